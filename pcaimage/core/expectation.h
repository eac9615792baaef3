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

/* A term of one earlier component: its plane, from the chunk's first block on, and its weight. */
typedef struct {
  const uint8_t *plane;
  int16_t weight;
} Term;

typedef struct {
  /* Magnitudes in 1/256 steps, from all that was coded, and from the same block alone. */
  int16_t size[CHUNK];
  int16_t own[CHUNK];
  /* Twice the magnitude above, plus those beside that. */
  uint8_t busy[CHUNK];
} Expectation;

/* Lists a component's terms in a chunk of blocks, kind by kind: `weights` has so many for each earlier
 * component of the set. Returns in `counts` how many there are. */
ALWAYS_INLINE void list_terms(const CodedScores *known, const uint64_t *predictors, const uint64_t *near,
                              const int16_t *weights, int kinds, int64_t place, Term terms[][MOST_COMPONENTS],
                              int *counts) {
  int64_t pitch = pitch_of(known);
  for (int word = 0; word < SET_WORDS; word++) {
    for (uint64_t left = predictors[word] & near[word]; left; left &= left - 1) {
      int64_t other = 64 * word + __builtin_ctzll(left);
      const uint8_t *plane = known->scores + place_of_plane(known, other) + place;
      /* The next chunk will ask for the row below, the others are close by already. */
      __builtin_prefetch(plane + CHUNK + pitch);
      for (int kind = 0; kind < kinds; kind++) {
        int16_t weight = weights[kinds * other + kind];
        terms[kind][counts[kind]] = (Term){plane, weight};
        counts[kind] += weight != 0;
      }
    }
  }
}

/* Finds twice the magnitudes above, plus those beside that. Sums stay below 128. */
ALWAYS_INLINE void find_busy(const uint8_t *above, uint8_t *busy) {
  for (int i = 0; i < CHUNK; i++) {
    uint8_t before = (uint8_t)whole_of(above[i - 1]), here = (uint8_t)whole_of(above[i]);
    uint8_t behind = (uint8_t)whole_of(above[i + 1]);
    busy[i] = (uint8_t)((uint8_t)(2 * here) + before + behind) & MAGNITUDE;
  }
}

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
