/* From scores to coefficients for the screen: as a decoder, but in float, and rounding on the way.
 *
 * Coefficients are in units of the step, so that rounding is to whole numbers.
 */
#include "wide.h"

#define STORED 0
#define ROUNDED 1

/* Blocks of a row whose scores are read at once. */
#define SCREEN_TILE 64

typedef struct {
  /* The first row of the slice, and the one behind its last, in planes of so many rows and columns. */
  int64_t start;
  int64_t stop;
  int64_t rows;
  int64_t columns;
  /* The rectangle's first row in the planes and its first column, and its size. */
  int64_t row;
  int64_t column;
  int64_t height;
  int64_t width;
  /* The rounding of scores. */
  int64_t kind;
  double factor;
  double first;
  double others;
  /* The bias towards zero of a score of one, and of a larger one. */
  double one_less;
  double more_less;
  /* The level of each block of the slice, and for each chosen component the factor of the step at each level;
   * no levels if scores are rounded with one step. */
  const int8_t *levels;
  const float *factors;
  int64_t n_levels;
  /* Whether scores have 32 bits, rather than 16. */
  int64_t wide;
} Rectangle;
SHARED(Rectangle);

/* The nearest whole number, half to even: from 2^23 on floats are whole. */
ALWAYS_INLINE float nearest(float value) {
  float size = value < 0.0f ? -value : value;
  float whole = (size + 8388608.0f) - 8388608.0f;
  whole = size < 8388608.0f ? whole : size;
  return value < 0.0f ? -whole : whole;
}

/* Reads scores, in units of the step. */
ALWAYS_INLINE void read(const Rectangle *r, const void *planes, int64_t place, int64_t count, float factor,
                        float *restrict scores) {
  if (r->wide) {
    const int32_t *from = (const int32_t *)planes + place;
    for (int64_t x = 0; x < count; x++) scores[x] = (float)from[x] * factor;
  } else {
    const int16_t *from = (const int16_t *)planes + place;
    for (int64_t x = 0; x < count; x++) scores[x] = (float)from[x] * factor;
  }
}

ALWAYS_INLINE void means_around(const Rectangle *r, const void *planes, const int64_t *places,
                                int64_t channels, float *around) {
  const int64_t width = r->width + 2, first = most(1 - r->column, 0);
  const int64_t last = least(r->columns - r->column, r->width + 1);
  for (int64_t channel = 0; channel < channels; channel++) {
    for (int64_t y = 0; y < r->height + 2; y++, around += width) {
      int64_t row = places[channel] * r->rows + within(r->row + y - 1, r->start, r->stop - 1);
      if (places[channel] < 0) {
        memset(around, 0, (size_t)width * sizeof *around);
        continue;
      }
      read(r, planes, row * r->columns + r->column + first - 1, last - first + 1, (float)r->factor,
           around + first);
      if (r->kind == ROUNDED) {
        for (int64_t x = first; x <= last; x++) around[x] = nearest(around[x]);
      }
      for (int64_t x = 0; x < first; x++) around[x] = around[first];
      for (int64_t x = last + 1; x < width; x++) around[x] = around[last];
    }
  }
}

/* Predicts a row of blocks from the means around each, in rows that begin and end one block further. */
ALWAYS_INLINE void expect(const float *above, int64_t apart, const float *weights, int64_t count,
                          float *restrict target) {
  const float *here = above + apart, *below = here + apart;
  for (int64_t x = 0; x < count; x++) {
    target[x] = weights[0] * above[x] + weights[1] * above[x + 1] + weights[2] * above[x + 2] +
                weights[3] * here[x] + weights[4] * here[x + 1] + weights[5] * here[x + 2] +
                weights[6] * below[x] + weights[7] * below[x + 1] + weights[8] * below[x + 2];
  }
}

/* Adds to a prediction what the rounded difference of the scores to it stands for; if steps differ, they are
 * multiples of the step. */
ALWAYS_INLINE void settle_rounded(const Rectangle *r, const float *restrict scores,
                                  const float *restrict steps, int64_t count, float *restrict target) {
  const float one_less = (float)r->one_less, more_less = (float)r->more_less;
  const float first = (float)r->first, others = (float)r->others;
  for (int64_t x = 0; x < count; x++) {
    float value = steps ? (scores[x] - target[x]) / steps[x] : scores[x] - target[x];
    float size = value < 0.0f ? -value : value, more = size + others;
    /* Rounded down: exactly so below 2^22, which is beyond every score of an image in steps. */
    float whole = (more + 8388608.0f) - 8388608.0f;
    whole -= whole > more ? 1.0f : 0.0f;
    whole -= whole > 1.5f ? more_less : one_less;
    whole = size > first ? whole : 0.0f;
    whole = steps ? whole * steps[x] : whole;
    target[x] += value < 0.0f ? -whole : whole;
  }
}

/* Finds the coefficients of one component in a part of a row of blocks. */
ALWAYS_INLINE void find(const Rectangle *r, const void *planes, const int64_t *chosen, const float *weights,
                        const float *means, const float *factors, int64_t y, int64_t x, int64_t count,
                        float *restrict target) {
  const int64_t apart = r->width + 2;
  float scores[SCREEN_TILE], steps[SCREEN_TILE];
  if (chosen[2] < 0) {
    memcpy(target, means + apart + 1, (size_t)count * sizeof *target);
    return;
  }
  if (chosen[2] > 0) {
    expect(means, apart, weights, count, target);
  } else {
    memset(target, 0, (size_t)count * sizeof *target);
  }
  if (chosen[0] < 0) return;
  int64_t place = (chosen[0] * r->rows + r->row + y) * r->columns + r->column + x;
  if (r->kind == STORED || (r->kind == ROUNDED && r->n_levels)) {
    const int8_t *levels = r->levels + (r->row - r->start + y) * r->columns + r->column + x;
    for (int64_t i = 0; i < count; i++) steps[i] = factors[levels[i]];
  }
  if (r->kind == STORED) {
    read(r, planes, place, count, 0.5f, scores);
    for (int64_t i = 0; i < count; i++) target[i] += scores[i] * steps[i];
  } else if (r->kind == ROUNDED) {
    read(r, planes, place, count, (float)r->factor, scores);
    if (r->n_levels) {
      settle_rounded(r, scores, steps, count, target);
    } else {
      settle_rounded(r, scores, NULL, count, target);
    }
  } else {
    read(r, planes, place, count, (float)r->factor, target);
  }
}

ALWAYS_INLINE void coefficients(const Rectangle *r, const void *planes, const int64_t *chosen,
                                const float *weights, const float *around, int64_t components, int64_t top,
                                int64_t rows, float *result) {
  const int64_t width = r->width, apart = width + 2;
  for (int64_t index = 0; index < components; index++, chosen += 3, weights += 9) {
    for (int64_t y = 0; y < r->height; y++) {
      const float *means = around + (chosen[1] * (r->height + 2) + y) * apart;
      float *target = result + (index * rows + top + y) * width;
      for (int64_t x = 0; x < width; x += SCREEN_TILE) {
        find(r, planes, chosen, weights, means + x, r->factors + index * r->n_levels, y, x,
             least(width - x, SCREEN_TILE), target + x);
      }
    }
  }
}

/* The means of a rectangle, of shape (channels, height + 2, width + 2), from the planes that are given, zeros
 * for planes of -1. */
EITHER_WIDTH(API, pcai_means_around, means_around,
             (const Rectangle *r, const void *planes, const int64_t *places, int64_t channels, float *around),
             (r, planes, places, channels, around))

/* The coefficients of a rectangle, to rows from `top` on of a result of shape (components, rows, width).
 * `chosen` have shape (components, 3): the plane or -1, the channel, and whether it is predicted, -1 for
 * means. */
EITHER_WIDTH(API, pcai_coefficients, coefficients,
             (const Rectangle *r, const void *planes, const int64_t *chosen, const float *weights,
              const float *around, int64_t components, int64_t top, int64_t rows, float *result),
             (r, planes, chosen, weights, around, components, top, rows, result))
