/* What the scores of earlier components let one expect of a component's, for a chunk of a row's blocks.
 *
 * Each magnitude, times trained weights, adds to what is expected of later components in its own block and in
 * the eight around it. Sums are of 16 bits and wrap around, whatever their order.
 */
#ifndef PCAI_EXPECTATION_H
#define PCAI_EXPECTATION_H

#include "photo.h"

typedef struct {
  /* Magnitudes in 1/256 steps, from all that was coded, and from the same block alone. */
  int16_t size[CHUNK];
  int16_t own[CHUNK];
  /* With their signs, from the block above and the block to the left. */
  int16_t value[CHUNK];
  /* Twice the magnitude above, plus those beside that. */
  uint8_t busy[CHUNK];
} Expectation;

/* Adds what one earlier component tells. */
ALWAYS_INLINE void expect_from(const int8_t *known, int64_t pitch, const int16_t *weights, Expectation *result) {
  int16_t own = weights[0], side = weights[1], corner = weights[2];
  if (own != 0) {
    for (int i = 0; i < CHUNK; i++) result->own[i] = (int16_t)(result->own[i] + own * known[i]);
  }
  const int8_t *above = known - pitch, *below = known + pitch;
  if (side != 0) {
    for (int i = 0; i < CHUNK; i++) {
      /* At most 4 · 24. */
      int8_t sum = (int8_t)(above[i] + below[i] + known[i - 1] + known[i + 1]);
      result->size[i] = (int16_t)(result->size[i] + side * sum);
    }
  }
  if (corner != 0) {
    for (int i = 0; i < CHUNK; i++) {
      int8_t sum = (int8_t)(above[i - 1] + above[i + 1] + below[i - 1] + below[i + 1]);
      result->size[i] = (int16_t)(result->size[i] + corner * sum);
    }
  }
}

/* Adds what one component's signed scores in the blocks before tell. */
ALWAYS_INLINE void hope_from(const int8_t *scores, int64_t pitch, const int16_t *weights, Expectation *result) {
  int16_t left = weights[0], above = weights[1];
  if (left != 0) {
    for (int i = 0; i < CHUNK; i++) result->value[i] = (int16_t)(result->value[i] + left * scores[i - 1]);
  }
  if (above != 0) {
    for (int i = 0; i < CHUNK; i++) result->value[i] = (int16_t)(result->value[i] + above * scores[i - pitch]);
  }
}

/* Finds what is expected of a component in a chunk of blocks. */
static inline void expect_chunk(const Slice *slice, int64_t index, int64_t row, int64_t chunk, Expectation *result) {
  const Plan *plan = &slice->plan;
  const Known *known = &slice->known;
  int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  const uint8_t *near = near_of(known, row, chunk);
  int16_t level = plan->level[index];
  memset(result->own, 0, sizeof result->own);
  memset(result->value, 0, sizeof result->value);
  for (int i = 0; i < CHUNK; i++) result->size[i] = level;
  for (int64_t i = plan->first[index]; i < plan->first[index + 1]; i++) {
    int64_t other = plan->other[i];
    if (near[other]) {
      expect_from(known->magnitudes + plane_of(known, other) + place, pitch, plan->weights + 3 * i, result);
    }
  }
  for (int i = 0; i < CHUNK; i++) result->size[i] = (int16_t)(result->size[i] + result->own[i]);
  for (int64_t i = plan->sign_first[index]; i < plan->sign_first[index + 1]; i++) {
    int64_t other = plan->sign_other[i];
    if (near[other]) {
      hope_from(known->scores + plane_of(known, other) + place, pitch, plan->sign_weights + 2 * i, result);
    }
  }
  const int8_t *above = known->magnitudes + plane_of(known, index) + place - pitch;
  for (int i = 0; i < CHUNK; i++) result->busy[i] = (uint8_t)(2 * above[i] + above[i - 1] + above[i + 1]);
}

#endif
