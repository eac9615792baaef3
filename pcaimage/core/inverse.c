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
#include "lanes.h"

/* Blocks of a row whose numbers are worked on at once: they stay in the cache. */
#define TILE 32
/* The blocks on both sides of their borders, and room for a vector's end. */
#define WIDTH (TILE + 4)
#define MOST_CHANNELS 4

#define LIMIT 1073741824.0
#define HALF_PLACE (1.0 / 131072.0)

typedef struct {
  /* Shape (3, 8, 16), as of axes.synthesis() but in units of 1; for groups between blocks shape (8, 8): the
   * weights of component u's sum in the first four columns, of its difference in the others. */
  const double *vertical;
  const double *horizontal;
  const double *vertical_halves;
  const double *horizontal_halves;
  int64_t vertical_mirrored;
  int64_t horizontal_mirrored;
  /* Shape (C, C), from units of 2^-F to grey levels, and (C,). */
  const double *rotation;
  const double *mean;
  double scale;
  double half_place;
  int64_t height;
  int64_t width;
  int64_t channels;
} Synthesis;

/* The weights of mirrored maps, ready for all lanes. */
typedef struct {
  Doubles sums[8][4];
  Doubles differences[8][4];
} Halves;

typedef struct {
  Halves vertical;
  Halves horizontal;
  double fixed[16][WIDTH];
  double lines[8][MOST_CHANNELS * 8][WIDTH];
  double turned[MOST_CHANNELS][8][WIDTH];
  int32_t mixed[8 * MOST_CHANNELS][TILE];
} Room;

#define SHIFT 6755399441055744.0

/* Exact only if the compiler neither fuses nor re-orders these, and keeps no more bits than a double has. */
ALWAYS_INLINE double whole(double value) { return (value + SHIFT) - SHIFT; }

static void spread(const double *weights, Halves *halves) {
  for (int u = 0; u < 8; u++) {
    for (int r = 0; r < 4; r++) {
      halves->sums[u][r] = all_doubles(weights[u * 8 + r]);
      halves->differences[u][r] = all_doubles(weights[u * 8 + 4 + r]);
    }
  }
}

/* Step 1. */
ALWAYS_INLINE Doubles fixed_of(Doubles coefficients, double scale, double half_place) {
  const Doubles limit = all_doubles(LIMIT), shift = all_doubles(SHIFT);
  Doubles values = lesser_doubles(greater_doubles(coefficients * all_doubles(scale), -limit), limit);
  return ((values + all_doubles(half_place)) + shift) - shift;
}

/* The same of a part of a row of one plane. */
static void fix(const int32_t *coefficients, int64_t count, double scale, double half_place, double *fixed) {
  int64_t i = 0;
  for (; i + DOUBLE_LANES <= count; i += DOUBLE_LANES) {
    put_doubles(fixed + i, fixed_of(load_as_doubles(coefficients + i), scale, half_place));
  }
  for (; i < count; i++) fixed[i] = fixed_of(all_doubles(coefficients[i]), scale, half_place)[0];
}

/* Steps 2 and 3 as they are written: the eight samples of groups, `apart` numbers from each other, from the
 * eight components of each of two blocks. */
static void combine(const double *before, const double *behind, const double *weights, int64_t count,
                    double *samples, int64_t apart) {
  for (int s = 0; s < 8; s++, weights += 16, samples += apart) {
    for (int64_t j = 0; j < count; j++) {
      double total = HALF_PLACE;
      for (int u = 0; u < 8; u++) total += weights[u] * before[u * WIDTH + j];
      for (int u = 0; u < 8; u++) total += weights[8 + u] * behind[u * WIDTH + j];
      samples[j] = whole(total);
    }
  }
}

/* The same by mirrored maps; writes whole vectors. */
static void combine_halves(const double *before, const double *behind, const Halves *halves, int64_t count,
                           double *samples, int64_t apart) {
  const Doubles shift = all_doubles(SHIFT);
  for (int64_t j = 0; j < count; j += DOUBLE_LANES) {
    Doubles even[4], odd[4];
    for (int r = 0; r < 4; r++) {
      even[r] = all_doubles(HALF_PLACE);
      odd[r] = all_doubles(0.0);
    }
    for (int u = 0; u < 8; u++) {
      Doubles one = load_doubles(before + u * WIDTH + j), other = load_doubles(behind + u * WIDTH + j);
      Doubles sum = u % 2 ? one - other : one + other, difference = u % 2 ? one + other : one - other;
      for (int r = 0; r < 4; r++) even[r] += halves->sums[u][r] * sum;
      for (int r = 0; r < 4; r++) odd[r] += halves->differences[u][r] * difference;
    }
    for (int r = 0; r < 4; r++) {
      put_doubles(samples + r * apart + j, ((even[r] + odd[r]) + shift) - shift);
      put_doubles(samples + (7 - r) * apart + j, ((even[r] - odd[r]) + shift) - shift);
    }
  }
}

/* Blocks from `first` on, as far as they are of the image: numbers outside are zeros. */
static void take(const int32_t *row, int64_t columns, int64_t first, int64_t count, const Synthesis *s,
                 double *fixed) {
  int64_t start = most(-first, 0), stop = least(columns - first, count);
  for (int64_t i = 0; i < start; i++) fixed[i] = 0.0;
  fix(row + first + start, stop - start, s->scale, s->half_place, fixed + start);
  for (int64_t i = stop; i < count; i++) fixed[i] = 0.0;
}

/* Asks for the same early: planes lie too far apart for the processor to expect it. */
ALWAYS_INLINE void prefetch(const int32_t *row, int64_t columns, int64_t first, int64_t count) {
  int64_t start = most(first, 0), stop = least(columns, first + count);
  for (int64_t i = start; i < stop; i += 16) __builtin_prefetch(row + i);
}

/* Horizontal components of the eight lines of a group, from the blocks above and below them. */
static void down(const Synthesis *s, const int32_t *above, const int32_t *below, int64_t plane, int kind,
                 int64_t columns, int64_t first, int64_t count, Room *room) {
  const double *fixed = room->fixed[0], *behind = room->fixed[8];
  for (int64_t pv = 0; pv < s->channels * 8; pv++) {
    for (int u = 0; u < 8; u++) {
      int64_t start = (pv / 8 * 64 + u * 8 + pv % 8) * plane;
      take(above + start, columns, first, count, s, room->fixed[u]);
      take(below + start, columns, first, count, s, room->fixed[8 + u]);
      if (pv % 8 < 7) prefetch(below + start + plane, columns, first, count);
    }
    double *lines = room->lines[0][pv];
    const int64_t apart = MOST_CHANNELS * 8 * WIDTH;
    if (kind == 1 && s->vertical_mirrored) {
      combine_halves(fixed, behind, &room->vertical, count, lines, apart);
    } else {
      combine(fixed, behind, s->vertical + kind * 128, count, lines, apart);
    }
  }
}

/* Principal components of the pixels of a line. */
static void along(const Synthesis *s, int line, int64_t first, int64_t last, int64_t count, Room *room) {
  for (int64_t p = 0; p < s->channels; p++) {
    const double *before = room->lines[line][p * 8];
    double *turned = room->turned[p][0];
    if (s->horizontal_mirrored) {
      combine_halves(before, before + 1, &room->horizontal, count, turned, WIDTH);
    } else {
      combine(before, before + 1, s->horizontal + 128, count, turned, WIDTH);
    }
    if (first == 0) combine(before, before + 1, s->horizontal, 1, turned, WIDTH);
    int64_t end = last - first;
    if (end < count) combine(before + end, before + end + 1, s->horizontal + 256, 1, turned + end, WIDTH);
  }
}

/* Step 4. */
ALWAYS_INLINE void mix(const Synthesis *s, int channels, double peak, int64_t count, Room *room) {
  for (int k = 0; k < 8; k++) {
    for (int c = 0; c < channels; c++) {
      const Doubles start = all_doubles(s->mean[c] + 0.5), most = all_doubles(peak);
      Doubles weights[MOST_CHANNELS];
      for (int p = 0; p < channels; p++) weights[p] = all_doubles(s->rotation[p * channels + c]);
      for (int64_t j = 0; j < count; j += DOUBLE_LANES) {
        Doubles values = start;
        for (int p = 0; p < channels; p++) values += weights[p] * load_doubles(room->turned[p][k] + j);
        put_cut_doubles(room->mixed[k * channels + c] + j, lesser_doubles(greater_doubles(values,
                                                                                          all_doubles(0.0)),
                                                                                              most));
      }
    }
  }
}

/* Puts groups of pixels where they belong; the first and the last group reach out of the image. */
ALWAYS_INLINE void join(const Room *room, int channels, int64_t width, int64_t first, int64_t count,
                        void *line,
                        int wide) {
  for (int64_t j = 0; j < count; j++) {
    int64_t x = 8 * (first + j) - 4, from = most(-x, 0) * channels, to = least(width - x, 8) * channels;
    for (int64_t i = from; i < to; i++) {
      if (wide) {
        ((uint16_t *)line)[x * channels + i] = (uint16_t)room->mixed[i][j];
      } else {
        ((uint8_t *)line)[x * channels + i] = (uint8_t)room->mixed[i][j];
      }
    }
  }
}

ALWAYS_INLINE void finish(const Synthesis *s, int channels, int64_t first, int64_t count, Room *room,
                          void *line,
                          int wide) {
  mix(s, channels, wide ? 65535.0 : 255.0, count, room);
  join(room, channels, s->width, first, count, line, wide);
}

ALWAYS_INLINE void synthesise(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above,
                              int64_t start, int64_t stop, void *image, int wide) {
  Room room;
  int64_t columns = (s->width + 7) / 8, blocks = (s->height + 7) / 8, channels = s->channels;
  /* What fills a vector's end is computed with, though not used. */
  memset(room.fixed, 0, sizeof room.fixed);
  spread(s->vertical_halves, &room.vertical);
  spread(s->horizontal_halves, &room.horizontal);
  /* Group by group, so that what was below the last one is still in the cache when it is above the next. */
  for (int64_t first = 0; first <= columns; first += TILE) {
    int64_t count = least(columns + 1 - first, TILE);
    for (int64_t group = start; group < stop; group++) {
      int kind = group == 0 ? 0 : group == blocks ? 2 : 1;
      /* A row outside of what is held is one outside of the image: its weights are zeros. */
      const int32_t *before = coefficients + within(group - 1 - above, 0, held - 1) * columns;
      const int32_t *behind = coefficients + within(group - above, 0, held - 1) * columns;
      /* One block more on each side of the borders. */
      down(s, before, behind, held * columns, kind, columns, first - 1, count + 2, &room);
      int from = (int)most(0, 4 - 8 * group), to = (int)least(8, s->height + 4 - 8 * group);
      for (int line = from; line < to; line++) {
        int64_t y = (8 * group - 4 + line) * s->width * channels;
        void *target = (uint8_t *)image + (wide ? 2 * y : y);
        along(s, line, first, columns, count, &room);
        if (channels == 1) finish(s, 1, first, count, &room, target, wide);
        if (channels == 2) finish(s, 2, first, count, &room, target, wide);
        if (channels == 3) finish(s, 3, first, count, &room, target, wide);
        if (channels == 4) finish(s, 4, first, count, &room, target, wide);
      }
    }
  }
}

/* Pixels of some groups of lines. `coefficients` are those of `held` rows of blocks from row `above` on:
 * (C*64, held, columns). Group g is the lines from 8 g - 4 to 8 g + 3, as far as the image has them; it needs
 * the rows of blocks g - 1 and g. */
API void pcai_synthesise_8(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above,
                           int64_t start, int64_t stop, uint8_t *image) {
  synthesise(s, coefficients, held, above, start, stop, image, 0);
}

API void pcai_synthesise_16(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above,
                            int64_t start, int64_t stop, uint16_t *image) {
  synthesise(s, coefficients, held, above, start, stop, image, 1);
}
