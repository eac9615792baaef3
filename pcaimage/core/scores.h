/* The common part of the coders of scores: bits of magnitudes and signs, mixed, and what is remembered. */
#ifndef PCAI_SCORES_H
#define PCAI_SCORES_H

#include "contexts.h"
#include "numbers.h"

/* Where little is expected of a score, so many levels of that have a model each. It is asked alone while it says that
 * the score is other than zero with less than this chance, in 2^-32. */
#define QUIET_LIMIT 255
#define QUIET_BELOW (512u << 16)

/* Weights for a magnitude: those of its first bit. Each bit's have SCORES_PLACES places. */
typedef struct {
  int32_t *weights;
  int32_t *more;
} Sets;

/* The state of coding one component, all of it held in registers or close by. */
typedef struct {
  const Slice *slice;
  Scales scales;
  Mixer mixer;
  RangeCoder range;
  const int8_t *bins;
  const float *bits;
  double price;
} Coder;

ALWAYS_INLINE int code(Coder *coder, int64_t chance, int bit, int reading) {
  return range_code(&coder->range, chance, bit, reading);
}

/* The probability of a bit whose logit is mixed. */
ALWAYS_INLINE int64_t chance_in(const Coder *coder, int32_t logit) {
  return coder->scales.probabilities[logit + LOGIT_LIMIT];
}

/* Codes what a magnitude is above the unary part: the count of its digits, then these. */
static __attribute__((noinline)) int64_t escape(RangeCoder *range, uint32_t *models, const int32_t *rates,
                                                int64_t rest, int reading) {
  int length = digits(rest + 1) - 1, found = 0;
  while (found < ESCAPES - 1) {
    int bit = range_code(range, chance_of(models[found], 64), length > found, reading);
    models[found] = taught(models[found], bit, rates, 30);
    if (!bit) break;
    found++;
  }
  int64_t value = 1;
  for (int place = found - 1; place >= 0; place--) {
    value = 2 * value + range_code(range, ONE / 2, (int)(((rest + 1) >> place) & 1), reading);
  }
  return value - 1;
}

/* Codes what a magnitude is from UNARY on. */
ALWAYS_INLINE int64_t large_magnitude(Coder *coder, int64_t wanted, int64_t channel, int reading) {
  /* A copy, so that the coder itself stays in registers. */
  RangeCoder range = coder->range;
  uint32_t *models = coder->slice->learned.escapes + channel * ESCAPES;
  int64_t rest = escape(&range, models, coder->scales.rates, wanted - UNARY, reading);
  coder->range = range;
  return UNARY + rest;
}

/* Returns whether a score of which next to nothing is expected is worth its bits. */
ALWAYS_INLINE int alive(const Coder *coder, float size, int64_t chance) {
  if (!(size >= 0.5f)) return 0;
  float rest = size - 0.96f, square = size * size, rest_square = rest * rest;
  double cost = coder->price * ((double)coder->bits[chance] + 2.0 - coder->bits[ONE - chance]);
  return size >= 1.5f || square > rest_square + cost;
}

/* A score that is not zero as known scores have it; `loudest` is the magnitude up to which it counts. */
ALWAYS_INLINE uint8_t known_score(int64_t score, int64_t loudest) {
  int64_t size = least(magnitude_of(score), loudest);
  return (uint8_t)(score < 0 ? size | (MAGNITUDE + 1) : size);
}

/* Remembers where a chunk has scores other than zero: `found` has a bit for each block. */
ALWAYS_INLINE void remember(const CodedScores *known, int64_t index, int64_t row, int64_t chunk,
                            uint64_t found) {
  if (!found) return;
  int64_t word = index / 64;
  uint64_t bit = UINT64_C(1) << (index % 64);
  for (int64_t y = row - 1; y <= row + 1; y++) {
    near_of(known, y, chunk)[word] |= bit;
    if (found & 1) near_of(known, y, chunk - 1)[word] |= bit;
    if (found >> (CHUNK - 1)) near_of(known, y, chunk + 1)[word] |= bit;
  }
}

#endif
