/* Vectors of sixteen bytes, which every machine has: SSE2 on x86-64, NEON on ARM, SIMD128 in WebAssembly.
 * Those of thirty-two are used where the processor has AVX2 when the program runs.
 */
#ifndef PCAI_LANES_H
#define PCAI_LANES_H

#include "wide.h"

/* Before a loop of at most 32 rounds, whose number is known when compiling. clang writes out such itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 32")
#else
#define WRITTEN_OUT
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

typedef double Doubles __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
typedef int64_t Longs __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(16)));
/* Number of doubles in a vector. */
typedef int32_t IntPair __attribute__((vector_size(8)));

enum { DOUBLE_LANES = 2, FLOAT_LANES = 4 };

/* Adding and taking away ROUNDING rounds what is within the limit to the nearest whole number, the even one of
 * two. */
#define ROUNDING 6755399441055744.0
#define ROUNDING_LIMIT 1073741824.0

/* Exact only if the compiler neither fuses nor re-orders these, and keeps no more bits than a double has. */
ALWAYS_INLINE double whole(double value) { return (value + ROUNDING) - ROUNDING; }

ALWAYS_INLINE Doubles load_doubles(const double *place) {
  Doubles values;
  memcpy(&values, place, sizeof values);
  return values;
}

ALWAYS_INLINE void put_doubles(double *place, Doubles values) { memcpy(place, &values, sizeof values); }

ALWAYS_INLINE Doubles all_doubles(double value) { return (Doubles){value, value}; }

/* The lesser and the greater of numbers, none of which is NaN. */
ALWAYS_INLINE Doubles lesser_doubles(Doubles a, Doubles b) {
#if defined(__SSE2__)
  return (Doubles)_mm_min_pd((__m128d)a, (__m128d)b);
#elif defined(__wasm_simd128__)
  return (Doubles)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
#else
  Longs first = a < b;
  return (Doubles)(((Longs)a & first) | ((Longs)b & ~first));
#endif
}

ALWAYS_INLINE Doubles greater_doubles(Doubles a, Doubles b) {
#if defined(__SSE2__)
  return (Doubles)_mm_max_pd((__m128d)a, (__m128d)b);
#elif defined(__wasm_simd128__)
  return (Doubles)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
#else
  Longs first = a > b;
  return (Doubles)(((Longs)a & first) | ((Longs)b & ~first));
#endif
}

ALWAYS_INLINE Doubles load_as_doubles(const int32_t *place) {
#if defined(__SSE2__)
  return (Doubles)_mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)place));
#elif defined(__wasm_simd128__)
  return (Doubles)wasm_f64x2_convert_low_i32x4(wasm_v128_load64_zero(place));
#else
  IntPair values;
  memcpy(&values, place, sizeof values);
  return __builtin_convertvector(values, Doubles);
#endif
}

/* Numbers cut off, which fit. */
ALWAYS_INLINE void put_cut_doubles(int32_t *place, Doubles values) {
#if defined(__SSE2__)
  _mm_storel_epi64((__m128i *)place, _mm_cvttpd_epi32((__m128d)values));
#elif defined(__wasm_simd128__)
  wasm_v128_store64_lane(place, wasm_i32x4_trunc_sat_f64x2_zero((v128_t)values), 0);
#else
  IntPair cut = __builtin_convertvector(values, IntPair);
  memcpy(place, &cut, sizeof cut);
#endif
}

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

ALWAYS_INLINE Floats load_floats(const float *place) {
  Floats values;
  memcpy(&values, place, sizeof values);
  return values;
}

ALWAYS_INLINE void put_floats(float *place, Floats values) { memcpy(place, &values, sizeof values); }

ALWAYS_INLINE Floats all_floats(float value) { return (Floats){value, value, value, value}; }

ALWAYS_INLINE Floats lesser_floats(Floats a, Floats b) {
#if defined(__SSE2__)
  return (Floats)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
  return (Floats)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
  Ints first = a < b;
  return (Floats)(((Ints)a & first) | ((Ints)b & ~first));
#endif
}

ALWAYS_INLINE Floats greater_floats(Floats a, Floats b) {
#if defined(__SSE2__)
  return (Floats)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
  return (Floats)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
  Ints first = a > b;
  return (Floats)(((Ints)a & first) | ((Ints)b & ~first));
#endif
}

ALWAYS_INLINE void put_cut_floats(int32_t *place, Floats values) {
  Ints cut = __builtin_convertvector(values, Ints);
  memcpy(place, &cut, sizeof cut);
}

#if defined(PCAI_WIDE)
typedef double WideDoubles __attribute__((vector_size(32)));
typedef float WideFloats __attribute__((vector_size(32)));
typedef int32_t WideInts __attribute__((vector_size(32)));

WIDE ALWAYS_INLINE WideFloats load_wide_floats(const float *place) {
  WideFloats values;
  memcpy(&values, place, sizeof values);
  return values;
}

WIDE ALWAYS_INLINE void put_wide_floats(float *place, WideFloats values) {
  memcpy(place, &values, sizeof values);
}

WIDE ALWAYS_INLINE WideFloats all_wide_floats(float value) {
  return (WideFloats){value, value, value, value, value, value, value, value};
}

WIDE ALWAYS_INLINE WideFloats lesser_wide_floats(WideFloats a, WideFloats b) {
  return (WideFloats)__builtin_ia32_minps256(a, b);
}

WIDE ALWAYS_INLINE WideFloats greater_wide_floats(WideFloats a, WideFloats b) {
  return (WideFloats)__builtin_ia32_maxps256(a, b);
}

WIDE ALWAYS_INLINE void put_cut_wide_floats(int32_t *place, WideFloats values) {
  WideInts cut = __builtin_convertvector(values, WideInts);
  memcpy(place, &cut, sizeof cut);
}

WIDE ALWAYS_INLINE WideDoubles load_wide_doubles(const double *place) {
  WideDoubles values;
  memcpy(&values, place, sizeof values);
  return values;
}

WIDE ALWAYS_INLINE void put_wide_doubles(double *place, WideDoubles values) {
  memcpy(place, &values, sizeof values);
}

WIDE ALWAYS_INLINE WideDoubles all_wide_doubles(double value) {
  return (WideDoubles){value, value, value, value};
}

WIDE ALWAYS_INLINE WideDoubles lesser_wide_doubles(WideDoubles a, WideDoubles b) {
  return (WideDoubles)__builtin_ia32_minpd256(a, b);
}

WIDE ALWAYS_INLINE WideDoubles greater_wide_doubles(WideDoubles a, WideDoubles b) {
  return (WideDoubles)__builtin_ia32_maxpd256(a, b);
}

WIDE ALWAYS_INLINE WideDoubles load_as_wide_doubles(const int32_t *place) {
  Ints values;
  memcpy(&values, place, sizeof values);
  return __builtin_convertvector(values, WideDoubles);
}

WIDE ALWAYS_INLINE void put_cut_wide_doubles(int32_t *place, WideDoubles values) {
  Ints cut = __builtin_convertvector(values, Ints);
  memcpy(place, &cut, sizeof cut);
}

#endif

#endif
