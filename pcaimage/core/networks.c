/* Expecting scores from components that are known, by small trained networks.
 *
 * A network's inputs are known coefficients of a block and of the eight around it. Each of its hidden units is
 * a weighted sum of them, less a threshold that is a share of the inputs' mean magnitude; so an edge that is
 * twice as strong is expected to have scores twice as large. Outputs are weighted sums of the hidden units. All
 * numbers are whole, and the weights are such that no sum leaves 32 bits.
 */
#include "lanes.h"
#if defined(PCAI_WIDE)
#include <immintrin.h>
#endif
#include "photo.h"

/* A network's layers have at most so many numbers each. */
#define MOST_UNITS 96

/* Blocks of a row that are listed at once. */
#define STRETCH 256

/* Magnitudes whose sum 16 bits hold. */
#define AT_ONCE 8

/* More than so many busy blocks of a vector's are most of them. */
#define MANY (3 * LANES / 4 - 1)

/* The mean magnitude of inputs, in eighths of the step, below which nothing is expected. */
#define LEAST_KNOWN 4

/* From sums to hidden numbers, and to expected scores in 1/256 of the step. */
#define HIDDEN_SHIFT 7
#define OUTPUT_SHIFT 8

typedef int32_t NarrowVector __attribute__((vector_size(16)));
typedef uint16_t NarrowWords __attribute__((vector_size(16)));

/* Puts the numbers of two inputs side by side, those of the first blocks and those of the others. */
ALWAYS_INLINE void pair_narrow(const int16_t *first, const int16_t *second, NarrowVector *low,
                               NarrowVector *high) {
#if defined(__SSE2__)
  __m128i a = _mm_loadu_si128((const __m128i *)(const void *)first);
  __m128i b = _mm_loadu_si128((const __m128i *)(const void *)second);
  *low = (NarrowVector)_mm_unpacklo_epi16(a, b);
  *high = (NarrowVector)_mm_unpackhi_epi16(a, b);
#elif defined(__wasm_simd128__)
  v128_t a = wasm_v128_load(first), b = wasm_v128_load(second);
  *low = (NarrowVector)wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  *high = (NarrowVector)wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  for (int i = 0; i < 4; i++) {
    (*low)[i] = (int32_t)((uint16_t)first[i] | (uint32_t)(uint16_t)second[i] << 16);
    (*high)[i] = (int32_t)((uint16_t)first[4 + i] | (uint32_t)(uint16_t)second[4 + i] << 16);
  }
#endif
}

/* Two weights in all lanes. */
ALWAYS_INLINE NarrowVector spread_narrow(const int16_t *weights) {
  return (NarrowVector){0} + (int32_t)((uint16_t)weights[0] | (uint32_t)(uint16_t)weights[1] << 16);
}

/* The sums of the products of both halves. */
ALWAYS_INLINE NarrowVector products_narrow(NarrowVector a, NarrowVector b) {
#if defined(__SSE2__)
  return (NarrowVector)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__wasm_simd128__)
  return (NarrowVector)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
#else
  return ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

ALWAYS_INLINE void put_apart_narrow(NarrowVector low, NarrowVector high, int32_t *sums) {
  memcpy(sums, &low, sizeof low);
  memcpy(sums + 4, &high, sizeof high);
}

#define NAME(x) x##_narrow
#define TARGET
#define LANES 8
typedef NarrowVector NAME(Vector);
typedef NarrowWords NAME(Words);
#include "networks_tpl.h"

#if defined(PCAI_WIDE)
typedef int32_t WideVector __attribute__((vector_size(32)));
typedef uint16_t WideWords __attribute__((vector_size(32)));

WIDE ALWAYS_INLINE void pair_wide(const int16_t *first, const int16_t *second, WideVector *low,
                                  WideVector *high) {
  __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)first);
  __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)second);
  *low = (WideVector)_mm256_unpacklo_epi16(a, b);
  *high = (WideVector)_mm256_unpackhi_epi16(a, b);
}

WIDE ALWAYS_INLINE WideVector spread_wide(const int16_t *weights) {
  int32_t both;
  memcpy(&both, weights, sizeof both);
  return (WideVector)_mm256_set1_epi32(both);
}

WIDE ALWAYS_INLINE WideVector products_wide(WideVector a, WideVector b) {
  return (WideVector)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

/* Each half has four numbers of the first eight blocks and four of the others. */
WIDE ALWAYS_INLINE void put_apart_wide(WideVector low, WideVector high, int32_t *sums) {
  __m256i first = _mm256_permute2x128_si256((__m256i)low, (__m256i)high, 0x20);
  __m256i second = _mm256_permute2x128_si256((__m256i)low, (__m256i)high, 0x31);
  _mm256_storeu_si256((__m256i *)(void *)sums, first);
  _mm256_storeu_si256((__m256i *)(void *)(sums + 8), second);
}

#define NAME(x) x##_wide
#define TARGET WIDE
#define LANES 16
typedef WideVector NAME(Vector);
typedef WideWords NAME(Words);
#include "networks_tpl.h"
#endif

void expect_by_network(const Network *network, const int16_t *values, const int64_t *offsets, int64_t rows,
                       int64_t columns, int64_t pitch, int16_t *found) {
  for (int64_t row = 0; row < rows; row++) {
    BY_WIDTH(expect_row, network, values + row * pitch, offsets, columns, rows * columns, found + row * columns);
  }
}
