/* Sums and sums of products of whole numbers: exact, so that they are the same in any order. */
#include "wide.h"

/* Numbers that are worked on at once: some lines of them stay in the cache. */
#define MOMENTS_TILE 1024

ALWAYS_INLINE int64_t product(const int16_t *one, const int16_t *other, int64_t count) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) total += (int32_t)one[i] * (int32_t)other[i];
  return total;
}

ALWAYS_INLINE int64_t sum(const int16_t *line, int64_t count) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) total += line[i];
  return total;
}

ALWAYS_INLINE void moments(const int16_t *planes, int64_t lines, int64_t apart, int64_t count, int64_t *sums,
                           int64_t *products) {
  for (int64_t start = 0; start < count; start += MOMENTS_TILE) {
    const int64_t size = least(count - start, MOMENTS_TILE);
    for (int64_t i = 0; i < lines; i++) {
      const int16_t *line = planes + i * apart + start;
      sums[i] += sum(line, size);
      for (int64_t j = 0; j <= i; j++) {
        products[i * lines + j] += product(line, planes + j * apart + start, size);
      }
    }
  }
}

#if defined(PCAI_WIDE)
WIDE static void wide_moments(const int16_t *planes, int64_t lines, int64_t apart, int64_t count,
                              int64_t *sums, int64_t *products) {
  moments(planes, lines, apart, count, sums, products);
}
#endif

/* Adds the sums of some lines of so many numbers, `apart` from each other, to (lines,), and those of their
 * products, with lines before and with themselves, to (lines, lines). */
API void pcai_moments_16(const int16_t *planes, int64_t first, int64_t lines, int64_t apart, int64_t count,
                         int64_t *sums, int64_t *products) {
#if defined(PCAI_WIDE)
  if (has_wide()) {
    wide_moments(planes + first, lines, apart, count, sums, products);
    return;
  }
#endif
  moments(planes + first, lines, apart, count, sums, products);
}
