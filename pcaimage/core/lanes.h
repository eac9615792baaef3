/* Vectors of sixteen bytes, which every machine has: SSE2 on x86-64, NEON on ARM, SIMD128 in WebAssembly.
 * Those of thirty-two are used where the processor has AVX2 when the program runs.
 */
#ifndef PCAI_LANES_H
#define PCAI_LANES_H

#include "wide.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

typedef int32_t Ints __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(16)));

/* A bit for each number that is negative. */
ALWAYS_INLINE int bits_of_signs(Ints values) {
#if defined(__SSE2__)
  return _mm_movemask_ps((__m128)values);
#else
  int bits = 0;
  for (int i = 0; i < 4; i++) bits |= (values[i] < 0) << i;
  return bits;
#endif
}

/* The nearest numbers of sixteen bits. */
ALWAYS_INLINE Shorts narrowed(Ints first, Ints second) {
#if defined(__SSE2__)
  return (Shorts)_mm_packs_epi32((__m128i)first, (__m128i)second);
#else
  Shorts found;
  for (int i = 0; i < 4; i++) {
    found[i] = (int16_t)within(first[i], INT16_MIN, INT16_MAX);
    found[4 + i] = (int16_t)within(second[i], INT16_MIN, INT16_MAX);
  }
  return found;
#endif
}

ALWAYS_INLINE Shorts bounded_shorts(Shorts values, int16_t limit) {
  const Shorts high = (Shorts){0} + limit, low = -high;
#if defined(__SSE2__)
  return (Shorts)_mm_max_epi16(_mm_min_epi16((__m128i)values, (__m128i)high), (__m128i)low);
#else
  Shorts more = values > high, less = values < low;
  return (high & more) | (low & less) | (values & ~(more | less));
#endif
}

/* Sums of products of neighbouring numbers of sixteen bits. */
ALWAYS_INLINE Ints pair_products(Shorts a, Shorts b) {
#if defined(__SSE2__)
  return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__wasm_simd128__)
  return (Ints)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
#else
  Ints sums;
  for (int i = 0; i < 4; i++) sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

#endif
