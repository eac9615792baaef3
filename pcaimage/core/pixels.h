/* Pixels coded by prediction among pixels: what is known of a slice, and what is learned from it.
 *
 * Colours repeat in graphics. So a pixel is asked first whether it has the colour of a neighbour, or the one
 * that followed the same neighbours before; if not, its channels are coded bit by bit. Each bit is predicted by
 * models of hashed contexts, and those of channels by logistic distributions around several expectations, too.
 *
 * M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech. Technical
 * Report CS-2005-16, 2005.
 */
#ifndef PCAI_PIXELS_H
#define PCAI_PIXELS_H

#include "core.h"
#include "mixing.h"
#include "numbers.h"
#include "rangecoder.h"

/* Pixels along a tile's side. */
#define PIXELS_TILE 64

/* Lines above a slice's first, and columns on either side. */
#define ABOVE 3
#define BESIDE 4

/* The most channels; colours that a pixel is compared with; what `found` says where it has none of them. */
#define MOST_CHANNELS 4
#define CANDIDATES 6
#define UNFOUND 7

/* Models of a comparison and of a bit, expectations of a bit, and inputs: these and a constant. */
#define COMPARED 8
#define REMEMBERED 9
#define ESTIMATES 4
#define MOST_INPUTS 16

/* Sets of weights and curves: those of comparisons, then those of bits. */
enum { FIRST_SETS = CANDIDATES * 256, SECOND_SETS = CANDIDATES * 128, COMPARED_CURVES = CANDIDATES * 64 };

#define ACTIVITIES 12
#define MASSES 3072
#define WEIGHTS_LEARN 14
#define WEIGHTS_TIMES 956

/* Models are words of mixing.h; those of tiles are four more. The table of colours has two halves of as many
 * places: the colours that followed, and how often they did so without fail. */
typedef struct {
  uint32_t *models;
  int64_t model_mask;
  uint32_t *tile_models;
  uint32_t *colours;
  uint8_t *sure;
  int64_t colour_mask;
  int32_t *first_weights;
  int32_t *second_weights;
  int32_t *curves;
  int32_t *widths;
  int32_t *biases;
  const int16_t *logits;
  const int32_t *probabilities;
  const int32_t *rates;
  const int32_t *inverses;
  const int32_t *masses;
  const int32_t *logs;
  const float *bits;
} Experience;

/* Colours, packed, and how each was found, with ABOVE lines above and BESIDE columns on either side; which
 * tiles are coded, and what each costs, in bits. */
typedef struct {
  uint32_t *colours;
  uint8_t *found;
  uint8_t *tiles;
  float *costs;
  int64_t rows;
  int64_t columns;
  int64_t channels;
  int64_t height; /* of an image: rows below are those of the next one */
} Sheet;

/* Codes some lines of a slice, or reads them; the first must begin a row of tiles, or follow the last call.
 * Colours that are not repeated are rounded to multiples of about the step, or kept if it is 0; where they need
 * not be, the price is the squared error that a bit is worth. */
void code_pixels(const Sheet *sheet, const Experience *known, RangeCoder *coder, int64_t start, int64_t stop,
                 float step, float price, int reading);

/* The inputs of a bit's mixing, and the models behind the first of them. */
typedef struct {
  int32_t inputs[MOST_INPUTS];
  uint32_t *models[REMEMBERED];
} Mixture;

ALWAYS_INLINE uint32_t hashed(uint32_t a, uint32_t b) {
  uint32_t hash = (a ^ (b * 0x9E3779B1u)) * 0x85EBCA6Bu;
  return hash ^ (hash >> 15);
}

/* Asks a model for its opinion as it is now. */
ALWAYS_INLINE void recall(const Experience *known, Mixture *mixture, int number) {
  mixture->inputs[number] = known->logits[*mixture->models[number] >> 16];
}

ALWAYS_INLINE void remember(const Experience *known, Mixture *mixture, int number, uint32_t hash) {
  mixture->models[number] = known->models + (hash & (uint64_t)known->model_mask);
  recall(known, mixture, number);
}

/* Lets weights learn, fast at first: the last of them, which no input has, counts how often they did. */
ALWAYS_INLINE void correct_weights(const Experience *known, int32_t *weights, const int32_t *inputs, int count,
                                   int64_t logit, int bit) {
  int32_t *times = weights + MOST_INPUTS - 1;
  int32_t rate = WEIGHTS_LEARN + (known->rates[(*times + 64) >> 2] >> 6);
  int32_t error = (((bit << 16) - known->probabilities[logit + LOGIT_LIMIT]) * rate + 32) >> 6;
  *times += *times < WEIGHTS_TIMES;
  for (int i = 0; error != 0 && i < count; i++) {
    weights[i] = wrapped_sum(weights[i], (inputs[i] * error + (1 << 11)) >> 12);
  }
}

/* Codes a bit, or reads it, and learns from it. Its inputs are those of so many models and expectations, and
 * a constant. Its cost is added where it is written. */
ALWAYS_INLINE int mixed_bit(const Experience *known, Mixture *mixture, int remembered, int expected,
                            int64_t first_set, int64_t second_set, int64_t curve_number, RangeCoder *coder,
                            int bit, int reading, float *cost) {
  int32_t *first = known->first_weights + first_set * MOST_INPUTS;
  int32_t *second = known->second_weights + second_set * MOST_INPUTS;
  int32_t *curve = known->curves + curve_number * KNOTS;
  int32_t *inputs = mixture->inputs;
  int count = remembered + expected + 1;
  inputs[count - 1] = 256;
  int64_t one = 0, other = 0;
  for (int i = 0; i < count; i++) {
    one += inputs[i] * (int64_t)first[i];
    other += inputs[i] * (int64_t)second[i];
  }
  int64_t one_logit = bounded_logit(one >> 16), other_logit = bounded_logit(other >> 16);
  int64_t logit = (one_logit + other_logit) >> 1;
  int64_t mixed = known->probabilities[logit + LOGIT_LIMIT];
  int64_t chance = within((mixed + 3 * corrected(curve, logit)) >> 2, 8, ONE - 8);
  bit = range_code(coder, chance, bit, reading);
  if (!reading) *cost += known->bits[bit ? chance : ONE - chance];
  correct(curve, logit, bit);
  correct_weights(known, first, inputs, count, one_logit, bit);
  correct_weights(known, second, inputs, count, other_logit, bit);
  for (int i = 0; i < remembered; i++) {
    *mixture->models[i] = taught(*mixture->models[i], bit, known->rates, 255);
  }
  return bit;
}

#endif
