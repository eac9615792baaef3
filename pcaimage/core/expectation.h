/* The expectations of a component's scores from those of earlier components, for a chunk of a row's blocks.
 *
 * Each magnitude, times trained weights, adds to what is expected of later components in its own block and in
 * the eight around it. Sums are of 16 bits and wrap around, whatever their order. Sixteen or
 * thirty-two blocks are looked at together: even ones and odd ones, whose bytes lie in the halves of words.
 */
#ifndef PCAI_EXPECTATION_H
#define PCAI_EXPECTATION_H

#include "lanes.h"
#if defined(PCAI_WIDE)
#include <immintrin.h>
#endif
#include "photo.h"

typedef struct {
  /* Magnitudes in 1/256 steps, from all that was coded, and from the same block alone. */
  int16_t size[CHUNK];
  int16_t own[CHUNK];
  /* Twice the magnitude above, plus those beside that. */
  uint8_t busy[CHUNK];
} Expectation;

/* Finds twice the magnitudes above, plus those beside that. Sums stay below 128. */
ALWAYS_INLINE void find_busy(const uint8_t *above, uint8_t *busy) {
  for (int i = 0; i < CHUNK; i++) {
    uint8_t before = (uint8_t)whole_of(above[i - 1]), here = (uint8_t)whole_of(above[i]);
    uint8_t behind = (uint8_t)whole_of(above[i + 1]);
    busy[i] = (uint8_t)((uint8_t)(2 * here) + before + behind) & MAGNITUDE;
  }
}

/* Functions that are compiled by themselves. */
#define APART static __attribute__((noinline))

typedef uint16_t Lanes_narrow __attribute__((vector_size(16)));
typedef uint8_t Bytes_narrow __attribute__((vector_size(16)));

ALWAYS_INLINE void put_pair_narrow(Lanes_narrow even, Lanes_narrow odd, int16_t *target) {
#if defined(__SSE2__)
  _mm_storeu_si128((__m128i *)(void *)target, _mm_unpacklo_epi16((__m128i)even, (__m128i)odd));
  _mm_storeu_si128((__m128i *)(void *)(target + 8), _mm_unpackhi_epi16((__m128i)even, (__m128i)odd));
#else
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  Lanes_narrow first = even, second = odd;
#else
  Lanes_narrow first = odd, second = even;
#endif
  for (int i = 0; i < 8; i++) {
    target[2 * i] = (int16_t)first[i];
    target[2 * i + 1] = (int16_t)second[i];
  }
#endif
}

#define NAME(x) x##_narrow
#define TARGET
#include "expectation_tpl.h"

#if defined(PCAI_WIDE)
typedef uint16_t Lanes_wide __attribute__((vector_size(32)));
typedef uint8_t Bytes_wide __attribute__((vector_size(32)));

WIDE ALWAYS_INLINE void put_pair_wide(Lanes_wide even, Lanes_wide odd, int16_t *target) {
  __m256i low = _mm256_unpacklo_epi16((__m256i)even, (__m256i)odd);
  __m256i high = _mm256_unpackhi_epi16((__m256i)even, (__m256i)odd);
  _mm256_storeu_si256((__m256i *)(void *)target, _mm256_permute2x128_si256(low, high, 0x20));
  _mm256_storeu_si256((__m256i *)(void *)(target + 16), _mm256_permute2x128_si256(low, high, 0x31));
}

#define NAME(x) x##_wide
#define TARGET WIDE
#include "expectation_tpl.h"
#endif

#endif
