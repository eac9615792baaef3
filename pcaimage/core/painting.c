/* From coefficients to what a screen shows: averages of pixels, of the components that matter, in bytes. */

/* With all that -O3 does, gcc takes three times as long and makes nothing faster: loops that matter are
 * written out. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2")
#endif

#include "lanes.h"
#include "painting.h"

#define LINES (8 * MOST_CHANNELS)

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

API void pcai_paint(const Painting *p, void *picture) {
#if defined(PCAI_WIDE)
  if (has_wide()) {
    paint_wide_floats(p, picture);
    return;
  }
#endif
  paint_floats(p, picture);
}
