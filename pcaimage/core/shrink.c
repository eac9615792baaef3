/* Shrinkage after decoding: what quantisation has left in small coefficients is taken out of each channel.
 *
 * Around each pixel lie sixteen blocks of 4x4. Each is transformed; each of its coefficients but the constant one
 * is changed by a share of itself that depends on its band and its size in steps; and what all blocks say of
 * the pixel is averaged. Small coefficients are mostly errors of quantisation, so their shares are close to -1.
 * That is denoising by shrinkage in all shifts of an orthogonal transform (R. R. Coifman, D. L. Donoho,
 * "Translation-invariant de-noising", 1995), whose shares were fitted to photographs.
 *
 * The vectors are whole numbers in place of the components of lines of four pixels, which they are close to.
 * Coefficients have 16 bits; sums behind them are whole numbers of 32 that wrap around, and where they become
 * doubles, these are exact.
 */
#include "lanes.h"

/* Classes of a coefficient's size. */
#define SIZES 10

/* Numbers count up to here, in eighths of the step: 36 times this, the largest coefficient, has 16 bits. */
#define FARTHEST 910.0

typedef struct {
  /* The least size of all classes but the first, (3, 9), by the vectors' length. */
  const int32_t *edges;
  /* Shares, (levels, C, 9, 10) by level, channel and band, in 2^-12 for each squared length. */
  const int32_t *gains;
  /* For each level and channel, what one of the sums adds, and an eighth of the step; both in the planes' unit. */
  const double *scales;
  const double *units;
  double half_place;
  int64_t width;
  int64_t channels;
  /* The level of each block of 8x8, whose rows and columns are so many. */
  const int8_t *levels;
  int64_t block_rows;
  int64_t block_columns;
} Shrinkage;

/* A part of a plane: lines and columns. */
typedef struct {
  int64_t from;
  int64_t to;
  int64_t left;
  int64_t right;
} Part;

static const int32_t VECTORS[4][4] = {{1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1}};
static const uint8_t EDGES_OF[4][4] = {{0, 1, 0, 1}, {1, 2, 1, 2}, {0, 1, 0, 1}, {1, 2, 1, 2}};
/* Bands (u, v) and (v, u) share their gains. */
static const uint8_t BAND_OF[4][4] = {{0, 0, 1, 2}, {0, 3, 4, 5}, {1, 4, 6, 7}, {2, 5, 7, 8}};

#define SHIFT 6755399441055744.0

/* The nearest whole number, the even one of two; see inverse.c. */
ALWAYS_INLINE double whole(double value) { return (value + SHIFT) - SHIFT; }

#define NAME(x) x##_narrow
#define TARGET
#include "shrink.h"
#undef NAME
#undef TARGET

#if defined(PCAI_WIDE)
#define NAME(x) x##_wide
#define TARGET WIDE
#include "shrink.h"
#define CALL(name, ...) (has_wide() ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define CALL(name, ...) name##_narrow(__VA_ARGS__)
#endif

/* Fills the room: a part of a plane and three lines and columns around it, in units; of the plane those from 0 to
 * `lines` exist. Outside stands what is nearest. */
static void fill(const Shrinkage *s, double unit, const double *plane, int64_t lines, Part part, int16_t *room) {
  int64_t width = part.right - part.left;
  for (int64_t y = part.from - 3; y < part.to + 3; y++, room += width + 6) {
    const double *line = plane + within(y, 0, lines - 1) * s->width;
    for (int64_t x = 0; x < width + 6; x++) {
      double value = line[within(part.left + x - 3, 0, s->width - 1)] / unit;
      value = value > -FARTHEST ? value : -FARTHEST;
      room[x] = (int16_t)whole(value < FARTHEST ? value : FARTHEST);
    }
  }
}

/* Finds the largest part of one level that begins with a line and a column: blocks to the right, and the rows below
 * that are like the whole row. `top` is which line of the image the plane's first one is. */
static int8_t find_part(const Shrinkage *s, int64_t top, int64_t to, Part *part) {
  int64_t row = (part->from + top) / 8, column = part->left / 8, end = column;
  const int8_t *levels = s->levels + row * s->block_columns;
  while (end < s->block_columns && levels[end] == levels[column]) end++;
  part->right = least(8 * end, s->width);
  while (row < s->block_rows && !memcmp(s->levels + row * s->block_columns, levels, (size_t)s->block_columns)) row++;
  part->to = least(8 * row - top, to);
  return levels[column];
}

/* Corrects lines `from` to `to` of planes of so many lines: (C, lines, width), `plane` numbers apart, of which the
 * first is line `top` of the image. The source is a copy of the planes. The room takes (to - from + 6) * (width + 6)
 * numbers, the space 34 * (width + 6). */
API void pcai_shrink(const Shrinkage *s, const double *source, double *planes, int64_t plane, int64_t lines,
                     int64_t from, int64_t to, int64_t top, int16_t *room, int32_t *space) {
  Part part = {from, from, 0, 0};
  for (part.from = from; part.from < to; part.from = part.to) {
    for (part.left = 0; part.left < s->width; part.left = part.right) {
      int64_t level = find_part(s, top, to, &part) * s->channels;
      for (int64_t p = 0; p < s->channels; p++) {
        double scale = s->scales[level + p];
        if (scale == 0.0) continue;
        fill(s, s->units[level + p], source + p * plane, lines, part, room);
        CALL(shrink, s, s->gains + (level + p) * 9 * SIZES, scale, planes + p * plane, part, room, space);
      }
    }
  }
}
