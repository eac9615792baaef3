/* From scores to coefficients: what the means around a block tell of it, and where rounded scores lie.
 *
 * Coefficients are in units of the step / 256.
 */
#include "photo.h"
#include "wide.h"

/* Numbers that are looked at together: most are zeros, and so are those beside them. */
#define LANES 8

#define PREDICTION_WEIGHT_BITS 11

/* Blocks whose components are found one after the other while what they need stays in the cache. */
#define PREDICTION_TILE 128

/* Differences of means count up to so many steps, so that sums stay within 32 bits. */
#define PREDICTION_FARTHEST (1 << 15)

/* What networks know counts up to here. */
#define FARTHEST_KNOWN 8191

ALWAYS_INLINE int32_t difference(int32_t found, int32_t own) {
  int32_t rest = found - own;
  rest = rest > -PREDICTION_FARTHEST ? rest : -PREDICTION_FARTHEST;
  return rest < PREDICTION_FARTHEST ? rest : PREDICTION_FARTHEST;
}

/* Finds the differences of the neighbours' means to the own ones of some blocks of a row, neighbour by
 * neighbour in reading order and `apart` numbers from each other; outside of the slice stands its nearest
 * block. */
ALWAYS_INLINE void look_around(const void *means, int wide, int64_t plane, int64_t rows, int64_t columns,
                               int64_t row, int64_t start, int64_t count, int64_t apart,
                               int32_t *restrict result) {
  const int64_t own = plane + row * columns + start;
  for (int neighbour = 0; neighbour < 9; neighbour++) {
    if (neighbour == 4) continue;
    int down = neighbour / 3 - 1, right = neighbour % 3 - 1;
    int64_t other = plane + within(row + down, 0, rows - 1) * columns + start;
    int64_t from = right < 0 && start == 0, to = count - (right > 0 && start + count == columns);
    for (int64_t x = from; x < to; x++) {
      result[x] = difference(score_at(means, wide, other + x + right), score_at(means, wide, own + x));
    }
    if (from) result[0] = difference(score_at(means, wide, other), score_at(means, wide, own));
    if (to < count) result[to] = difference(score_at(means, wide, other + to), score_at(means, wide, own + to));
    result += apart;
  }
}

/* Whether means around a block tell anything of a component: of most they do not. */
static int tells(const int32_t *weights) {
  int32_t any = 0;
  for (int i = 0; i < 8; i++) any |= weights[i];
  return any != 0;
}

/* The coefficient of a score in half steps, whose step is a multiple of the image's in 2^-20. */
ALWAYS_INLINE int32_t moved_by(int64_t score, int32_t factor) {
  return (int32_t)within((score * factor + (1 << 12)) >> 13, -(1 << 30), 1 << 30);
}

/* What is expected of a score, times the inverse of its step's factor in 2^-12. */
ALWAYS_INLINE int16_t turned_by(int64_t expected, int32_t inverse) {
  return (int16_t)within((expected * inverse) >> 12, -INT16_MAX, INT16_MAX);
}

/* Numbers as networks take them: times 2^-shift, rounded down. */
ALWAYS_INLINE void keep(const int32_t *numbers, int64_t count, int64_t shift, int16_t *restrict kept) {
  const int up = shift < 0 ? (int)-shift : 0, down = shift > 0 ? (int)shift : 0;
  for (int64_t x = 0; x < count; x++) {
    int32_t number = (numbers[x] * (1 << up)) >> down;
    number = number > -FARTHEST_KNOWN ? number : -FARTHEST_KNOWN;
    kept[x] = (int16_t)(number < FARTHEST_KNOWN ? number : FARTHEST_KNOWN);
  }
}

/* Gives what is kept of a slice a border of the nearest blocks. */
static void close_border(int16_t *kept, int64_t rows, int64_t columns) {
  const int64_t pitch = columns + 2;
  for (int64_t row = 1; row <= rows; row++) {
    kept[row * pitch] = kept[row * pitch + 1];
    kept[row * pitch + columns + 1] = kept[row * pitch + columns];
  }
  memcpy(kept, kept + pitch, (size_t)pitch * sizeof *kept);
  memcpy(kept + (rows + 1) * pitch, kept + rows * pitch, (size_t)pitch * sizeof *kept);
}

/* Whether eight numbers are zeros. */
ALWAYS_INLINE int is_silent(const int16_t *numbers) {
  uint64_t both[2];
  memcpy(both, numbers, sizeof both);
  return (both[0] | both[1]) == 0;
}

#define NAME(x) x##_narrow
#define TARGET
#include "prediction_tpl.h"

#if defined(PCAI_WIDE)
#define NAME(x) x##_wide
#define TARGET WIDE
#include "prediction_tpl.h"
#endif

void find_differences(const void *means, int wide, int64_t rows, int64_t columns, int32_t *result) {
  for (int64_t row = 0; row < rows; row++) {
    look_around(means, wide, 0, rows, columns, row, 0, columns, rows * columns, result + row * columns);
  }
}

void predict(const int32_t *around, const int32_t *weights, int64_t fraction, int64_t count, int32_t *result) {
  BY_WIDTH(expect, around, count, weights, fraction, count, result);
}

void scale_expected(const int16_t *expected, const int8_t *levels, const int32_t *inverses, int64_t count,
                    int16_t *result) {
  BY_WIDTH(scale, expected, levels, inverses, count, result);
}

void fill_coefficients(const Settling *s, const void *scores, int wide, int64_t known, int64_t row, int64_t start,
                       int64_t count, int64_t area, int32_t *result) {
  for (int64_t end = start + count; start < end; start += PREDICTION_TILE, result += PREDICTION_TILE) {
    BY_WIDTH(fill, s, scores, wide, known, row, start, least(end - start, PREDICTION_TILE), area, result);
  }
}

void keep_known(const int32_t *numbers, int64_t rows, int64_t columns, int64_t shift, int16_t *result) {
  for (int64_t row = 0; row < rows; row++) {
    keep(numbers + row * columns, columns, shift, result + (row + 1) * (columns + 2) + 1);
  }
  close_border(result, rows, columns);
}

void learn_component(const Settling *s, const void *scores, int wide, const int32_t *around, int64_t index,
                     int64_t shift, int16_t *result) {
  for (int64_t row = 0; row < s->rows; row++) {
    int16_t *kept = result + (row + 1) * (s->columns + 2) + 1;
    BY_WIDTH(learn_row, s, scores, wide, around, index, row, shift, kept);
  }
  close_border(result, s->rows, s->columns);
}
