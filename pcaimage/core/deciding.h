/* Deciding under uncertainty: yes or no, by several opinions and by what was seen before.
 *
 * A number's distance from what is expected of it is taken to be logistic; of how wide, there are several
 * opinions. Each gives a probability, and so do models of the situation. They are mixed in the logistic
 * domain. Pixels have a tilt on top for each value that is decided on, and for its difference to the channels
 * before: whoever made the image rounded its values, perhaps in another colour space, and so some are more
 * frequent than others.
 *
 * M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech. Technical
 * Report CS-2005-16, 2005.
 */
#ifndef PCAI_DECIDING_H
#define PCAI_DECIDING_H

#include "core.h"
#include "curves.h"
#include "mixing.h"
#include "numbers.h"
#include "rangecoder.h"

/* Distributions of different widths, and models: they are mixed. */
#define OPINIONS 3
#define EXPERIENCES 5
#define INPUTS (OPINIONS + EXPERIENCES)

/* Distances are coded in unary up to so many steps; for two bits below, the step is known up to so many. */
#define STEPS 23
#define LOW 4

/* Questions that have models and weights, and questions that have tilts, with so many values of each. */
#define NODES (1 + STEPS + 2 * LOW)
#define KINDS 17
#define VALUES 512
#define TILTS 3

/* Levels of the opinions' mean. */
#define DENSITIES 40

/* Learning rates of weights, in 2^-18, and of tilts, in 2^-24. */
#define WEIGHT_SPEED 3
#define TILT_SPEED 10

/* The largest counts of models, of widths and of biases. */
#define MODEL_LIMIT 255
#define QUICK 60
#define BIAS_LIMIT 252

/* Expectations and errors are in units of 1/16; errors are bounded. */
#define FRACTION_BITS 4
#define FARTHEST ((1 << 20) - 1)

typedef struct {
  int32_t *weights;
  uint32_t *models;
  int32_t *tilts;
  int32_t *widths;
  int32_t *biases;
  const CurveTables *curves;
} Learned;

/* Which experience applies to the number at hand. */
typedef struct {
  /* Among widths, and then among biases. */
  int64_t held[OPINIONS + 2];
  /* The first of its models of each kind, and of its weights, and of those
   * that are added to them; where its tilts for a value of 0 begin. */
  int64_t models[EXPERIENCES], weights, more, tilts[TILTS];
  int n_tilts;
  /* Levels of the widths. */
  int64_t sizes[OPINIONS];
} Situation;

/* The size class of a number that is not negative: eight for each octave of the number plus one. */
ALWAYS_INLINE int64_t fine(int64_t value) {
  value = 8 * value + 8;
  int octave = (63 ^ __builtin_clzll((uint64_t)value)) - 3;
  return least(8 * octave + ((value >> octave) & 7), SIZES - 1);
}

/* A context of two numbers, of interest where they are small. */
ALWAYS_INLINE int64_t pair_of(int64_t first, int64_t second) {
  return 8 * within(first + 4, 0, 7) + within(second + 4, 0, 7);
}

/* A context of the signs of two numbers. */
ALWAYS_INLINE int64_t signs_of(int64_t first, int64_t second) {
  return 3 * (first > 0) + 6 * (first < 0) + (second > 0) + 2 * (second < 0);
}

/* Finds the levels of the widths from the contexts; returns their mean. */
ALWAYS_INLINE int64_t opinions_of(const Learned *learned, Situation *at) {
  int64_t total = 0;
  for (int i = 0; i < OPINIONS; i++) {
    at->sizes[i] = fine(learned->widths[2 * at->held[i]] >> 6);
    total += at->sizes[i];
  }
  return total / OPINIONS;
}

/* Lets a width and its count learn from an error in 1/16, from 0 to FARTHEST. */
ALWAYS_INLINE void learn_width(int32_t *width, const int32_t *rates, int64_t error) {
  int64_t old = width[0], count = width[1];
  width[0] = (int32_t)(old + (((46 * error - old) * rates[count]) >> 16));
  width[1] = (int32_t)least(count + 1, QUICK);
}

/* Lets a bias and its count learn from an error without it, in 1/16. Sums stay below 2^25: they are halved in
 * time. */
ALWAYS_INLINE void learn_bias(int32_t *bias, int64_t missed) {
  bias[0] += (int32_t)within(missed, -65536, 65536);
  bias[1]++;
  if (bias[1] > BIAS_LIMIT) {
    bias[0] >>= 1;
    bias[1] >>= 1;
  }
}

/* The sum of the means of some biases, times 65536. */
ALWAYS_INLINE int64_t biases_of(const Learned *learned, const Situation *at, int count) {
  int64_t total = 0;
  for (int i = 0; i < count; i++) {
    const int32_t *bias = learned->biases + 2 * at->held[OPINIONS + i];
    total += (int64_t)bias[0] * learned->curves->rates[bias[1] + 3];
  }
  return total;
}

/* Codes a decision, or reads it, and learns from it.
 *
 * The opinions' logits are given; node and kind are the question for models and for tilts, value is which
 * number from 0 to 255 it is about. */
static __attribute__((noinline)) int decide(const Learned *learned, RangeCoder *coder, const Situation *at,
                         const int64_t *opinions, int64_t node, int64_t kind, int64_t value, int bit,
                         int reading) {
  int32_t *weights = learned->weights + (at->weights + node) * INPUTS;
  int32_t *more = learned->weights + (at->more + node) * INPUTS;
  int64_t inputs[INPUTS], tilt = kind * VALUES + value, total = 0;
  uint32_t *models[EXPERIENCES];
  for (int i = 0; i < OPINIONS; i++) inputs[i] = opinions[i];
  for (int i = 0; i < EXPERIENCES; i++) {
    models[i] = learned->models + at->models[i] + node;
    inputs[OPINIONS + i] = learned->curves->logits[*models[i] >> 16];
  }
  for (int i = 0; i < at->n_tilts; i++) total += learned->tilts[at->tilts[i] + tilt];
  for (int i = 0; i < INPUTS; i++) total += inputs[i] * (weights[i] + (int64_t)more[i]);
  int64_t chance = learned->curves->probabilities[bounded_logit(total >> 16) + LOGIT_LIMIT];
  bit = range_code(coder, chance, bit, reading);
  int64_t error = ((int64_t)bit << 16) - chance;
  for (int i = 0; i < at->n_tilts; i++) {
    int32_t *found = learned->tilts + at->tilts[i] + tilt;
    *found = wrapped_sum(*found, (int32_t)(error * TILT_SPEED));
  }
  for (int i = 0; i < INPUTS; i++) {
    int32_t change = (int32_t)((inputs[i] * error * WEIGHT_SPEED + (1 << 17)) >> 18);
    weights[i] = wrapped_sum(weights[i], change);
    more[i] = wrapped_sum(more[i], change);
  }
  for (int i = 0; i < EXPERIENCES; i++) *models[i] = taught(*models[i], bit, learned->curves->rates, MODEL_LIMIT);
  return bit;
}

#endif
