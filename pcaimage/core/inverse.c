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
#include "picture.h"

/* Blocks of a row whose numbers are worked on at once: they stay in the cache. */
#define INVERSE_TILE 32
/* The blocks on both sides of their borders, and room for a vector's end. */
#define INVERSE_WIDTH (INVERSE_TILE + 4)

#define HALF_PLACE (1.0 / 131072.0)

/* Asks for blocks early: planes lie too far apart for the processor to expect it. */
ALWAYS_INLINE void prefetch(const int32_t *row, int64_t columns, int64_t first, int64_t count) {
  int64_t start = most(first, 0), stop = least(columns, first + count);
  for (int64_t i = start; i < stop; i += 16) __builtin_prefetch(row + i);
}

#define NAME(x) x##_doubles
#define VECTOR Doubles
#define LANES DOUBLE_LANES
#define TARGET
#include "inverse_tpl.h"

#if defined(PCAI_WIDE)
#define NAME(x) x##_wide_doubles
#define VECTOR WideDoubles
#define LANES (2 * DOUBLE_LANES)
#define TARGET WIDE
#include "inverse_tpl.h"
#define CALL(name, ...) (has_wide() ? name##_wide_doubles(__VA_ARGS__) : name##_doubles(__VA_ARGS__))
#else
#define CALL(name, ...) name##_doubles(__VA_ARGS__)
#endif

void synthesise_pixels(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above, int64_t start,
                       int64_t stop, void *lines, int wide) {
  if (wide) {
    CALL(synthesise_16, s, coefficients, held, above, start, stop, lines);
  } else {
    CALL(synthesise_8, s, coefficients, held, above, start, stop, lines);
  }
}

void synthesise_planes(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above, int64_t start,
                       int64_t stop, double *planes) {
  CALL(synthesise_planes, s, coefficients, held, above, start, stop, planes);
}

void finish_planes(const Synthesis *s, const double *planes, int64_t plane, int64_t count, void *pixels, int wide) {
  if (wide) {
    CALL(finish_planes_16, s, planes, plane, count, pixels);
  } else {
    CALL(finish_planes_8, s, planes, plane, count, pixels);
  }
}
