/* Vectors of sixteen bytes, which every machine has: SSE2 on x86-64, NEON on ARM, SIMD128 in WebAssembly. */
#ifndef PCAI_LANES_H
#define PCAI_LANES_H

#include "core.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef double Doubles __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
typedef int64_t Longs __attribute__((vector_size(16)));
/* As many as there are doubles in a vector. */
typedef int32_t IntPair __attribute__((vector_size(8)));

enum { DOUBLE_LANES = 2, FLOAT_LANES = 4 };

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
#else
  Longs first = a < b;
  return (Doubles)(((Longs)a & first) | ((Longs)b & ~first));
#endif
}

ALWAYS_INLINE Doubles greater_doubles(Doubles a, Doubles b) {
#if defined(__SSE2__)
  return (Doubles)_mm_max_pd((__m128d)a, (__m128d)b);
#else
  Longs first = a > b;
  return (Doubles)(((Longs)a & first) | ((Longs)b & ~first));
#endif
}

ALWAYS_INLINE Doubles load_as_doubles(const int32_t *place) {
#if defined(__SSE2__)
  return (Doubles)_mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)place));
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
#else
  IntPair cut = __builtin_convertvector(values, IntPair);
  memcpy(place, &cut, sizeof cut);
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
#else
  Ints first = a < b;
  return (Floats)(((Ints)a & first) | ((Ints)b & ~first));
#endif
}

ALWAYS_INLINE Floats greater_floats(Floats a, Floats b) {
#if defined(__SSE2__)
  return (Floats)_mm_max_ps((__m128)a, (__m128)b);
#else
  Ints first = a > b;
  return (Floats)(((Ints)a & first) | ((Ints)b & ~first));
#endif
}

ALWAYS_INLINE void put_cut_floats(int32_t *place, Floats values) {
  Ints cut = __builtin_convertvector(values, Ints);
  memcpy(place, &cut, sizeof cut);
}

#endif
