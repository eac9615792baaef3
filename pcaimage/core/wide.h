/* Whether the processor has AVX2 when the program runs, so that vectors may be of thirty-two bytes, and what came with
 * it: shifts by any register, and counts of zeros.
 *
 * Whoever needs more than the compiler's own vectors includes <immintrin.h>, which takes long to read.
 */
#ifndef PCAI_WIDE_H
#define PCAI_WIDE_H

#include "core.h"

/* Before a loop of at most 32 rounds, whose number is known when compiling. clang writes out such itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 32")
#else
#define WRITTEN_OUT
#endif

#if defined(__x86_64__) && !defined(PCAI_NARROW)
#define PCAI_WIDE
#define WIDE __attribute__((target("avx2,bmi,bmi2,lzcnt")))

/* Returns whether the processor has them, and the system keeps its registers. Volatile, or else compilers ask
 * before they know whether it is known. */
static inline int find_wide(void) {
  unsigned highest, a, b, c, d, control, high;
  __asm__ volatile("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
  if (highest < 7) return 0;
  __asm__ volatile("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
  if (!(c >> 27 & 1)) return 0;
  __asm__ volatile("xgetbv" : "=a"(control), "=d"(high) : "c"(0));
  __asm__ volatile("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  __asm__ volatile("cpuid" : "=a"(a), "=b"(highest), "=c"(c), "=d"(d) : "a"(0x80000001), "c"(0));
  return (control & 6) == 6 && (b & 0x128) == 0x128 && (c >> 5 & 1);
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

/* Defines a function by one that is always inlined, with all that it calls: for vectors of both widths. */
#define EITHER_WIDTH(kind, name, inlined, parameters, arguments) \
  DEFINE_BOTH(kind, name, inlined, parameters, arguments)
#define DEFINE_BOTH(kind, name, inlined, parameters, arguments)  \
  static void name##_narrow parameters { inlined arguments; }    \
  WIDE static void name##_wide parameters { inlined arguments; } \
  kind void name parameters {                                    \
    if (has_wide()) {                                            \
      name##_wide arguments;                                     \
    } else {                                                     \
      name##_narrow arguments;                                   \
    }                                                            \
  }
#else
#define BY_WIDTH(name, ...) name##_narrow(__VA_ARGS__)
#define EITHER_WIDTH(kind, name, inlined, parameters, arguments) \
  kind void name parameters { inlined arguments; }
#endif

#endif
