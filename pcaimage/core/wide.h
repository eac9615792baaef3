/* Whether the processor has AVX2 when the program runs, so that vectors may be of thirty-two bytes.
 *
 * Whoever needs more than the compiler's own vectors includes <immintrin.h>, which takes long to read.
 */
#ifndef PCAI_WIDE_H
#define PCAI_WIDE_H

#include "core.h"

#if defined(__x86_64__) && !defined(PCAI_NARROW)
#define PCAI_WIDE
#define WIDE __attribute__((target("avx2")))

/* Returns whether the processor has AVX2, and the system keeps its registers. */
static inline int find_wide(void) {
  unsigned highest, b, c, d, control, high;
  __asm__("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
  if (highest < 7) return 0;
  __asm__("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
  if (!(c >> 27 & 1)) return 0;
  __asm__("xgetbv" : "=a"(control), "=d"(high) : "c"(0));
  __asm__("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  return (control & 6) == 6 && (b >> 5 & 1);
}

/* The same, asked once: a virtual machine takes many microseconds to answer. Threads find the same. */
static inline int has_wide(void) {
  static int known = -1;
  int wide = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (wide < 0) {
    wide = find_wide();
    __atomic_store_n(&known, wide, __ATOMIC_RELAXED);
  }
  return wide;
}

/* Calls what is compiled for vectors as wide as the processor has. */
#define BY_WIDTH(name, ...) (has_wide() ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define BY_WIDTH(name, ...) name##_narrow(__VA_ARGS__)
#endif

#endif
