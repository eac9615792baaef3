/* From coefficients to pixels, with the same bits on every machine.
 *
 * All numbers are held in double. So long as the magnitudes of a sum's terms add up to at most 2^53 units of
 * its last place, each partial sum is exact, in any order and whether or not products and sums are fused.
 * With F = 17 fraction bits for images of 8 bits and F = 9 for those of 16, the steps and their bounds are:
 *
 * 1. x = floor(c m 2^(e + F) + 1/2), limited to +-2^30, of int32 coefficients c and a unit of m 2^e with
 *    m <= 2^20. |c m| <= 2^51 is exact, and so is its product with q = 2^(e + F). The limit is 2^13 grey
 *    levels for 8 bits and 2^21 for 16, beyond every score of an image: that of 16x16 samples on a function
 *    of norm 1.
 * 2. t = floor(sum + 1/2), a sum of 16 products with the vertical map. Its entries are whole numbers of
 *    2^-16, and the magnitudes in each of its rows add up to less than 8: |t| <= 2^33.
 * 3. y = floor(sum + 1/2), a sum of 16 products with the horizontal map: |sum| < 2^36, |y| <= 2^36.
 * 4. pixel = floor(sum + 1/2), limited to the pixels' type: a sum of up to four products with entries of the
 *    rotation, which are at most 1 and whole numbers of 2^-14, in units of 2^-F, and of the mean.
 *
 * Rounding: whole(z) adds and takes away 1.5 2^52. Where |z| < 2^51, that is the nearest whole number. It is
 * floor(z + 1/2) too if less than half the distance to the next number below a half was added to z before:
 * no half is left then to be rounded to even. In step 1, whole numbers of q < 1 take q/2, (2 c m + 1) q/2 is
 * exact, and whole numbers take nothing. In steps 2 and 3, sums of whole numbers of 2^-16 take 2^-17: that is
 * 53 bits below 2^36. In step 4 the sum, of whole numbers of 2^-(F + 14) and at most 2^(38 - F) + 2^16 in
 * magnitude, takes a half without more; what is limited to the pixels' type is cut off, not rounded.
 *
 * Mirrored maps: between blocks, and if components are even and odd in turn, sample 7 - r of a group takes of
 * the block before what sample r takes of the block behind, but for the signs of odd components. With sums
 * and differences of both blocks' components, half of the products are enough: half the sum of both samples
 * is a sum of 8 products with whole numbers of 2^-17 that add up to less than 4, of numbers up to 2^31 and
 * 2^34. It stays below 2^36, and again 53 bits are enough.
 */
#include "picture.h"
#include "products.h"
#include "wide.h"

/* Pixels that are finished at once. */
#define FINISHED 64

#define HALF_PLACE (1.0 / 131072.0)

/* Step 1. */
ALWAYS_INLINE void fix_numbers(const int32_t *row, int64_t count, double scale, double half_place,
                               double *restrict fixed) {
  for (int64_t i = 0; i < count; i++) {
    fixed[i] = whole(bounded(row[i] * scale, -ROUNDING_LIMIT, ROUNDING_LIMIT) + half_place);
  }
}

EITHER_WIDTH(static, fix, fix_numbers,
             (const int32_t *row, int64_t count, double scale, double half_place, double *fixed),
             (row, count, scale, half_place, fixed))

/* Numbers of some blocks, and zeros before and behind them. Returns whether any is not zero. */
static int fix_row(const int32_t *row, int64_t before, int64_t present, int64_t count, const Synthesis *s,
                   double *fixed) {
  int32_t any = 0;
  for (int64_t i = 0; i < present; i++) any |= row[i];
  memset(fixed, 0, (size_t)count * sizeof *fixed);
  if (any) fix(row, present, s->scale, s->half_place, fixed + before);
  return any != 0;
}

/* Steps 2 and 3 as they are written: the eight samples of groups, `apart` numbers from each other, from the
 * first components of each of two blocks. Groups are `step` numbers apart. */
static void combine(const double *before, const double *behind, int present, const double *weights, int64_t count,
                    double *samples, int64_t apart, int64_t step) {
  for (int s = 0; s < 8; s++, weights += 16, samples += apart) {
    for (int64_t j = 0; j < count; j++) {
      double total = HALF_PLACE;
      for (int u = 0; u < present; u++) {
        total += weights[u] * before[u * INVERSE_WIDTH + j] + weights[8 + u] * behind[u * INVERSE_WIDTH + j];
      }
      samples[step * j] = whole(total);
    }
  }
}

/* Sums and differences of both blocks' components, of which odd ones have other signs in the second. */
ALWAYS_INLINE void find_both(const double *before, const double *behind, int present, int64_t count,
                             double (*restrict both)[INVERSE_WIDTH]) {
  for (int u = 0; u < present; u++, before += INVERSE_WIDTH, behind += INVERSE_WIDTH) {
    double *sums = both[u + u % 2 * 8], *differences = both[u + 8 - u % 2 * 8];
    for (int64_t j = 0; j < count; j++) {
      const double sum = before[j] + behind[j], difference = before[j] - behind[j];
      sums[j] = sum;
      differences[j] = difference;
    }
  }
}

/* Samples of groups from half their sums and differences. */
ALWAYS_INLINE void put_both(const double (*halves)[INVERSE_WIDTH], int64_t count, double *restrict samples,
                            int64_t apart, int64_t step) {
  for (int r = 0; r < 4; r++) {
    double *first = samples + r * apart, *last = samples + (7 - r) * apart;
    for (int64_t j = 0; j < count; j++) {
      const double sum = halves[r][j] + halves[4 + r][j], difference = halves[r][j] - halves[4 + r][j];
      first[step * j] = whole(sum + HALF_PLACE);
      last[step * j] = whole(difference + HALF_PLACE);
    }
  }
}

ALWAYS_INLINE void put_any(const double (*halves)[INVERSE_WIDTH], int64_t count, double *samples, int64_t apart,
                           int64_t step) {
  if (step == 1) {
    put_both(halves, count, samples, apart, 1);
  } else {
    put_both(halves, count, samples, 1, 8);
  }
}

EITHER_WIDTH(static, fold, find_both,
             (const double *before, const double *behind, int present, int64_t count, double (*both)[INVERSE_WIDTH]),
             (before, behind, present, count, both))
EITHER_WIDTH(static, unfold, put_any,
             (const double (*halves)[INVERSE_WIDTH], int64_t count, double *samples, int64_t apart, int64_t step),
             (halves, count, samples, apart, step))

/* Steps 2 and 3 by mirrored maps. */
static void combine_halves(const double *before, const double *behind, int present, const double *weights,
                           int64_t count, double *samples, int64_t apart, int64_t step) {
  double both[16][INVERSE_WIDTH], halves[8][INVERSE_WIDTH];
  const double *lines[16];
  for (int i = 0; i < 16; i++) lines[i] = both[i];
  fold(before, behind, present, count, both);
  sum_doubles(lines, present, weights, 4, count, halves[0], INVERSE_WIDTH);
  sum_doubles(lines + 8, present, weights + 32, 4, count, halves[4], INVERSE_WIDTH);
  unfold(halves, count, samples, apart, step);
}

void take_row(const Synthesis *s, InverseRoom *room, int64_t group, int64_t first, int64_t count,
              const int32_t *coefficients, int64_t plane) {
  const int64_t before = first == 0, present = least((s->width + 7) / 8 - first + 1, count + 1) - before;
  double (*fixed)[8][INVERSE_WIDTH] = room->fixed[group & 1];
  int *last = room->present[group & 1];
  memset(last, 0, sizeof room->present[0]);
  if (!coefficients) {
    memset(fixed, 0, sizeof room->fixed[0]);
    return;
  }
  for (int64_t pv = 0; pv < s->channels * 8; pv++) {
    for (int u = 0; u < 8; u++) {
      const int32_t *row = coefficients + (pv / 8 * 64 + u * 8 + pv % 8) * plane;
      if (fix_row(row, before, present, count + 1, s, fixed[pv][u])) last[pv] = u + 1;
    }
  }
}

/* Horizontal components of the eight lines of a group, from the blocks above and below them. Returns in `present` up to
 * which there are some of each channel. */
static void combine_down(const Synthesis *s, int64_t group, int64_t count, InverseRoom *room, int *present) {
  const int64_t apart = MOST_CHANNELS * 8 * INVERSE_WIDTH;
  const int kind = group == 0 ? 0 : group == (s->height + 7) / 8 ? 2 : 1;
  for (int64_t pv = 0; pv < s->channels * 8; pv++) {
    const int along = (int)most(room->present[0][pv], room->present[1][pv]);
    if (pv % 8 == 0 || along > 0) present[pv / 8] = (int)(pv % 8) + (along > 0);
    const double *above = room->fixed[(group + 1) % 2][pv][0], *below = room->fixed[group % 2][pv][0];
    if (kind == 1 && s->down->mirrored) {
      combine_halves(above, below, along, s->down->halves, count, room->lines[0][pv], apart, 1);
    } else {
      combine(above, below, along, s->down->maps + kind * 128, count, room->lines[0][pv], apart, 1);
    }
  }
}

/* A channel's samples of groups of a line. */
static void combine_along(const Synthesis *s, const double *before, int present, int64_t first, int64_t count,
                          double *samples) {
  const int64_t end = (s->width + 7) / 8 - first;
  if (s->along->mirrored) {
    combine_halves(before, before + 1, present, s->along->halves, count, samples, 1, 8);
  } else {
    combine(before, before + 1, present, s->along->maps + 128, count, samples, 1, 8);
  }
  if (first == 0) combine(before, before + 1, present, s->along->maps, 1, samples, 1, 8);
  if (end < count) combine(before + end, before + end + 1, present, s->along->maps + 256, 1, samples + 8 * end, 1, 8);
}

void synthesise(const Synthesis *s, InverseRoom *room, int64_t group, int64_t first, int64_t count,
                const Samples *samples) {
  int present[MOST_CHANNELS];
  combine_down(s, group, count + 1, room, present);
  for (int64_t y = most(8 * group - 4, 0); y < least(8 * group + 4, s->height); y++) {
    for (int64_t p = 0; p < s->channels; p++) {
      combine_along(s, room->lines[y + 4 - 8 * group][p * 8], present[p], first, count,
                    sample_at(samples, p, y, 8 * first - 4));
    }
  }
}

void synthesise_planes(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above, int64_t start,
                       int64_t stop, double *planes) {
  InverseRoom room;
  double numbers[MOST_CHANNELS * 8 * 8 * INVERSE_TILE];
  Samples some = {.numbers = numbers, .plane = 64 * INVERSE_TILE, .pitch = 8 * INVERSE_TILE};
  const int64_t columns = (s->width + 7) / 8, top = most(8 * start - 4, 0);
  const int64_t area = (least(8 * stop - 4, s->height) - top) * s->width;
  /* Group by group, so that what was below the last one is still in the cache when it is above the next. */
  for (int64_t first = 0; first <= columns; first += INVERSE_TILE) {
    const int64_t count = least(columns + 1 - first, INVERSE_TILE), left = most(8 * first - 4, 0);
    const int64_t right = least(8 * (first + count) - 4, s->width);
    some.left = 8 * first - 4;
    for (int64_t group = start - 1; group < stop; group++) {
      const int64_t row = group - above, place = row * columns + most(first - 1, 0);
      take_row(s, &room, group, first, count, row < 0 || row >= held ? NULL : coefficients + place, held * columns);
      if (group < start || right <= left) continue; /* The last group of a line may lie behind it. */
      some.top = 8 * group - 4;
      synthesise(s, &room, group, first, count, &some);
      for (int64_t y = most(some.top, 0); y < least(some.top + 8, s->height); y++) {
        for (int64_t p = 0; p < s->channels; p++) {
          memcpy(planes + p * area + (y - top) * s->width + left, sample_at(&some, p, y, left),
                 (size_t)(right - left) * sizeof *planes);
        }
      }
    }
  }
}

/* Step 4 of at most FINISHED pixels. */
ALWAYS_INLINE void finish(const Synthesis *s, int channels, const double *planes, int64_t plane, int64_t count,
                          double peak, void *pixels, int wide) {
  double values[FINISHED];
  for (int c = 0; c < channels; c++) {
    for (int64_t j = 0; j < count; j++) values[j] = s->mean[c] + 0.5;
    for (int p = 0; p < channels; p++) {
      const double weight = s->rotation[p * channels + c];
      for (int64_t j = 0; j < count; j++) values[j] += weight * planes[p * plane + j];
    }
    for (int64_t j = 0; j < count; j++) {
      int32_t value = (int32_t)bounded(values[j], 0.0, peak);
      if (wide) {
        ((uint16_t *)pixels)[j * channels + c] = (uint16_t)value;
      } else {
        ((uint8_t *)pixels)[j * channels + c] = (uint8_t)value;
      }
    }
  }
}

ALWAYS_INLINE void finish_all(const Synthesis *s, const double *planes, int64_t plane, int64_t count, double peak,
                              void *pixels, int wide) {
  for (int64_t i = 0; i < count; i += FINISHED) {
    int64_t left = least(count - i, FINISHED), place = i * s->channels;
    void *to = wide ? (void *)((uint16_t *)pixels + place) : (uint8_t *)pixels + place;
    if (left == FINISHED && s->channels == 3) {
      finish(s, 3, planes + i, plane, FINISHED, peak, to, wide);
    } else {
      finish(s, (int)s->channels, planes + i, plane, left, peak, to, wide);
    }
  }
}

ALWAYS_INLINE void finish_any(const Synthesis *s, const double *planes, int64_t plane, int64_t count, double peak,
                              void *pixels, int wide) {
  if (wide) {
    finish_all(s, planes, plane, count, peak, pixels, 1);
  } else {
    finish_all(s, planes, plane, count, peak, pixels, 0);
  }
}

EITHER_WIDTH(, finish_planes, finish_any,
             (const Synthesis *s, const double *planes, int64_t plane, int64_t count, double peak, void *pixels,
              int wide),
             (s, planes, plane, count, peak, pixels, wide))
