/* Predicting bits: adaptive models, and a mixer that learns whom to believe.
 *
 * Every context of a bit has a model: a probability of 22 bits above a count of 10, from which it learns
 * quickly at first and slowly later. The models' predictions are added up in the logistic domain with weights
 * that follow what each was worth; where much is seen of the sum, curves correct what is still wrong with it (pixels.h).
 *
 * M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech. Technical
 * Report CS-2005-16, 2005. C. Bloom, "Solving the problems of context modeling", 1998.
 */
#ifndef PCAI_MIXING_H
#define PCAI_MIXING_H

#include "core.h"

/* Logits are in units of 1/256; beyond 11 nothing more is gained. */
#define LOGIT_LIMIT 2815

/* A curve has a point for every logit of a whole unit, from -11 on. */
#define KNOTS 24

typedef struct {
  int32_t *weights;
  int32_t *more;
  int64_t limit;
  int64_t speed;
} Mixer;

typedef struct {
  const int16_t *logits;
  const int32_t *probabilities;
  const int32_t *rates;
} Scales;

ALWAYS_INLINE int64_t bounded_logit(int64_t logit) { return within(logit, -LOGIT_LIMIT, LOGIT_LIMIT); }

/* A model that has seen one more bit. */
ALWAYS_INLINE uint32_t taught(uint32_t word, int value, const int32_t *rates, int64_t limit) {
  int64_t count = word & 1023, probability = word >> 10;
  probability += ((value * INT64_C(4194303) - probability) * rates[count]) >> 16;
  return (uint32_t)((probability << 10) | least(count + 1, limit));
}

/* The probability that a model alone gives, kept a margin away from 0 and 65536. */
ALWAYS_INLINE int64_t chance_of(uint32_t word, int64_t margin) {
  return within(word >> 16, margin, 65536 - margin);
}

/* A model and the logit of its probability: together where looking it up would take longer than all else. */
typedef struct {
  uint32_t word;
  int32_t logit;
} Model;

/* What a model starts with. */
ALWAYS_INLINE Model started(const Scales *scales, int64_t logit, int64_t count) {
  uint32_t chance = (uint32_t)scales->probabilities[bounded_logit(logit) + LOGIT_LIMIT];
  return (Model){chance << 16 | (uint32_t)count, scales->logits[chance]};
}

/* Rows of models, one for each context. A row is made when it is first asked for, as most never are: of `trained`
 * models at its beginning tables say what they start with, 32 in the logit's unit, the others know nothing. */
typedef struct {
  const uint8_t *trained, *logits, *counts;
  const Scales *scales;
  int32_t *before; /* trained models of all rows before each ROWS_COUNTED */
  int64_t width;
  uint16_t *numbers; /* of the rows that were made, from 1 on; 0 for others */
  Model *models;
  int64_t made;
} Rows;

enum { ROWS_COUNTED = 64, ROW_LOGIT = 32 };

/* Makes the row of a context; returns its number. */
int make_row(Rows *rows, int64_t context);

ALWAYS_INLINE Model *row_of(Rows *rows, int64_t context, int64_t width) {
  int number = rows->numbers[context];
  if (UNLIKELY(number == 0)) number = make_row(rows, context);
  return rows->models + number * width;
}

ALWAYS_INLINE void teach(Model *model, int value, const Scales *scales, int64_t limit) {
  model->word = taught(model->word, value, scales->rates, limit);
  model->logit = scales->logits[model->word >> 16];
}

/* The logit of the probability that a bit is 1. */
ALWAYS_INLINE int32_t weighed(const int32_t *inputs, const int32_t *weights, const int32_t *more, int count) {
  int64_t total = 0;
  for (int i = 0; i < count; i++) total += inputs[i] * ((int64_t)weights[i] + more[i]);
  return (int32_t)bounded_logit(total >> 16);
}

/* Lets weights learn from a bit. */
ALWAYS_INLINE void teach_weights(const Mixer *mixer, const Scales *scales, const int32_t *inputs,
                                 int32_t *restrict weights, int32_t *restrict more, int count, int32_t logit,
                                 int value) {
  /* At most 2815 · 65535 · 6, and the half that rounds: within 32 bits. */
  int32_t error = ((value << 16) - scales->probabilities[logit + LOGIT_LIMIT]) * (int32_t)mixer->speed;
  for (int i = 0; i < count; i++) {
    int32_t change = (inputs[i] * error + (1 << 17)) >> 18;
    weights[i] = wrapped_sum(weights[i], change);
    more[i] = wrapped_sum(more[i], change);
  }
}

/* A bit as the mixer sees it: of up to eight inputs. */
typedef struct {
  int32_t inputs[8];
  int32_t logit;
} Seen_narrow;

/* Adds up what the models of a bit say; returns the logit. */
ALWAYS_INLINE int32_t look_narrow(Model *const *contexts, int bit, int count, const int32_t *weights,
                                  const int32_t *more, Seen_narrow *seen) {
  for (int i = 0; i < count; i++) seen->inputs[i] = contexts[i][bit].logit;
  return seen->logit = weighed(seen->inputs, weights, more, count);
}

/* Lets weights and models learn from what a bit was. */
ALWAYS_INLINE void learn_narrow(const Mixer *mixer, const Scales *scales, Model *const *contexts, int bit,
                                int count, int32_t *weights, int32_t *more, const Seen_narrow *seen, int value) {
  teach_weights(mixer, scales, seen->inputs, weights, more, count, seen->logit, value);
  for (int i = 0; i < count; i++) teach(contexts[i] + bit, value, scales, mixer->limit);
}

/* The observed probability of a one at a logit: between a curve's two nearest points. */
ALWAYS_INLINE int64_t corrected(const int32_t *curve, int64_t logit) {
  int64_t place = logit + LOGIT_LIMIT + 1, knot = place >> 8, rest = place & 255;
  return curve[knot] + (((int64_t)curve[knot + 1] - curve[knot]) * rest >> 8);
}

/* Moves a curve's nearest point towards what a bit was. */
ALWAYS_INLINE void correct(int32_t *curve, int64_t logit, int value) {
  int64_t knot = (logit + LOGIT_LIMIT + 1 + 128) >> 8;
  curve[knot] += (value * 65535 - curve[knot]) >> 6;
}

#endif
