/* From coefficients to what a screen shows: averages of pixels, of the components that matter, in bytes. */

/* With all that -O3 does, gcc takes three times as long and makes nothing faster: loops that matter are
 * written out. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2")
#endif

#include "lanes.h"

#define MOST_CHANNELS 4
#define LINES (8 * MOST_CHANNELS)

typedef struct {
  /* Shapes (4, cells, 24) each, (4, shown) and (shown,): maps for blocks that are neither first nor last,
   * first, last, and both, from the components of three blocks to averages in the one in the middle. */
  const float *vertical;
  const float *horizontal;
  const float *rotation;
  const float *offset;
  /* Shape (components, height, width), with halos of so many blocks. */
  const float *values;
  /* Shape (components, 2): 8 p + v, from 0 to 31 and ascending, and u, from 0 to 7 and ascending. */
  const int64_t *lines;
  /* A bit for each of the 8 p + v. */
  int64_t present;
  int64_t cells;
  int64_t shown;
  int64_t components;
  int64_t height;
  int64_t width;
  int64_t top;
  int64_t bottom;
  int64_t left;
  int64_t right;
} Painting;
SHARED(Painting);

#define NAME(x) x##_floats
#define VECTOR Floats
#define LANES FLOAT_LANES
#define TARGET
#include "painting_tpl.h"

#if defined(PCAI_WIDE)
#define NAME(x) x##_wide_floats
#define VECTOR WideFloats
#define LANES (2 * FLOAT_LANES)
#define TARGET WIDE
#include "painting_tpl.h"
#endif

/* Pixels of shape (h cells, w cells, shown) of the h x w blocks without their halo. */
API void pcai_paint(const Painting *p, uint8_t *picture) {
#if defined(PCAI_WIDE)
  if (has_wide()) {
    paint_wide_floats(p, picture);
    return;
  }
#endif
  paint_floats(p, picture);
}
