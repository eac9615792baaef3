/* From scores to coefficients: what the means around a block tell of it, and where rounded scores lie.
 *
 * Coefficients are in units of the step / 256.
 */
#include "photo.h"

#define FRACTION_BITS 8
#define WEIGHT_BITS 11

/* Differences of means count up to so many steps, so that sums stay within 32 bits. */
#define FARTHEST (1 << 15)

/* Bias towards zero of scores of ±1 and of larger ones, in 1/256. */
#define BIAS_ONE 10
#define BIAS_MORE 5

ALWAYS_INLINE int32_t difference(int32_t found, int32_t own) {
  int32_t rest = found - own;
  rest = rest > -FARTHEST ? rest : -FARTHEST;
  return rest < FARTHEST ? rest : FARTHEST;
}

/* Finds the differences of the neighbours' means to each block's own, neighbour by neighbour in reading
 * order: (8, rows, columns); outside of the slice stands its nearest block. */
ALWAYS_INLINE void differences(const void *means, int wide, int64_t rows, int64_t columns, int32_t *result) {
  for (int neighbour = 0; neighbour < 9; neighbour++) {
    if (neighbour == 4) continue;
    int down = neighbour / 3 - 1, right = neighbour % 3 - 1;
    for (int64_t row = 0; row < rows; row++) {
      int64_t own = row * columns, other = within(row + down, 0, rows - 1) * columns, last = columns - 1;
      for (int64_t x = right < 0; x < columns - (right > 0); x++) {
        result[x] = difference(score_at(means, wide, other + x + right), score_at(means, wide, own + x));
      }
      if (right < 0) result[0] = difference(score_at(means, wide, other), score_at(means, wide, own));
      if (right > 0) {
        result[last] = difference(score_at(means, wide, other + last), score_at(means, wide, own + last));
      }
      result += columns;
    }
  }
}

API void pcai_differences_16(const int16_t *means, int64_t rows, int64_t columns, int32_t *result) {
  differences(means, 0, rows, columns, result);
}

API void pcai_differences_32(const int32_t *means, int64_t rows, int64_t columns, int32_t *result) {
  differences(means, 1, rows, columns, result);
}

/* Predicts one component from the means around each block: `around` is (8, count), `weights` at most 1 each,
 * in 2^-11, so that no sum passes 8 · 2^26 and a half. */
API void pcai_expect(const int32_t *around, const int32_t *weights, int64_t count, int32_t *result) {
  const int half = 1 << (WEIGHT_BITS - FRACTION_BITS - 1);
  for (int64_t i = 0; i < count; i++) {
    int32_t sum = half;
    for (int place = 0; place < 8; place++) sum += weights[place] * around[place * count + i];
    result[i] = sum >> (WEIGHT_BITS - FRACTION_BITS);
  }
}

ALWAYS_INLINE int32_t settled(int32_t score) {
  int32_t size = score < 0 ? -score : score, bias = size > 1 ? BIAS_MORE : size * BIAS_ONE;
  return 256 * score - (score < 0 ? -bias : bias);
}

/* Adds where rounded scores come to lie; a score is at most 2^22. */
API void pcai_settle_16(const int16_t *scores, int64_t count, int32_t *result) {
  for (int64_t i = 0; i < count; i++) result[i] = wrapped_sum(result[i], settled(scores[i]));
}

API void pcai_settle_32(const int32_t *scores, int64_t count, int32_t *result) {
  for (int64_t i = 0; i < count; i++) result[i] = wrapped_sum(result[i], settled(scores[i]));
}

/* The same of scores in half steps, which lie where they are. */
API void pcai_settle_halves_16(const int16_t *scores, int64_t count, int32_t *result) {
  for (int64_t i = 0; i < count; i++) result[i] = wrapped_sum(result[i], 128 * scores[i]);
}

API void pcai_settle_halves_32(const int32_t *scores, int64_t count, int32_t *result) {
  for (int64_t i = 0; i < count; i++) result[i] = wrapped_sum(result[i], 128 * scores[i]);
}
