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
  /* Shares, (C, 9, 10) by channel and band, in 2^-12 for each squared length. */
  const int32_t *gains;
  /* What one of the sums adds, for each channel; an eighth of the step, both in the planes' unit. */
  const double *scales;
  double unit;
  double half_place;
  int64_t width;
  int64_t channels;
} Shrinkage;

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

/* Fills the room: lines from `from` - 3 to `to` + 3 of a plane, of which those from 0 to `lines` exist. Outside
 * stands what is nearest. */
static void fill(const Shrinkage *s, const double *plane, int64_t lines, int64_t from, int64_t to, int16_t *room) {
  int64_t width = s->width;
  for (int64_t y = from - 3; y < to + 3; y++, room += width + 6) {
    const double *line = plane + within(y, 0, lines - 1) * width;
    for (int64_t x = 0; x < width; x++) {
      double value = line[x] / s->unit;
      value = value > -FARTHEST ? value : -FARTHEST;
      room[x + 3] = (int16_t)whole(value < FARTHEST ? value : FARTHEST);
    }
    for (int x = 0; x < 3; x++) {
      room[x] = room[3];
      room[width + 3 + x] = room[width + 2];
    }
  }
}

/* Corrects lines `from` to `to` of planes of so many lines: (C, lines, width), `plane` numbers apart. The room
 * takes (to - from + 6) * (width + 6) numbers, the space 34 * (width + 6). */
API void pcai_shrink(const Shrinkage *s, double *planes, int64_t plane, int64_t lines, int64_t from, int64_t to,
                     int16_t *room, int32_t *space) {
  for (int64_t p = 0; p < s->channels; p++) {
    double *own = planes + p * plane;
    if (s->scales[p] == 0.0) continue;
    fill(s, own, lines, from, to, room);
    CALL(shrink, s, s->gains + p * 9 * SIZES, s->scales[p], own + from * s->width, to - from, room, space);
  }
}
