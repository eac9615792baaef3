/* Adaptive distributions of sixteen symbols, several of which are mixed for each symbol.
 *
 * A distribution has the chances, in 1/65536, of all symbols before the second, before the third … and, in
 * place of those before the first, how often it was asked, or 0 if never. The mixture's weights are how likely
 * it is that each is right, by what each said of the symbols so far. So a symbol is one step of the range
 * coder, and takes as long whatever it is.
 *
 * J.-M. Valin et al., "Daala: building a next-generation video codec from unconventional technology", IEEE
 * Workshop on Multimedia Signal Processing, 2016.
 */
#ifndef PCAI_DISTRIBUTIONS_H
#define PCAI_DISTRIBUTIONS_H

#include "lanes.h"
#include "rangecoder.h"

#define SYMBOLS 16
#define MIXED 4

/* Largest count of a distribution, and how quickly weights follow: 2^-5. */
#define OFTEN 126
#define WEIGHT_SHIFT 5

typedef uint16_t Chances __attribute__((vector_size(16)));

ALWAYS_INLINE Chances load_chances(const uint16_t *place) {
  Chances found;
  memcpy(&found, place, sizeof found);
  return found;
}

/* The upper halves of products. */
ALWAYS_INLINE Chances high_products(Chances a, Chances b) {
#if defined(__SSE2__)
  return (Chances)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
#else
  typedef uint32_t Wider __attribute__((vector_size(32)));
  Wider products = __builtin_convertvector(a, Wider) * __builtin_convertvector(b, Wider);
  return __builtin_convertvector(products >> 16, Chances);
#endif
}

/* How many of sixteen ascending chances are at most as large as a place. */
ALWAYS_INLINE int count_up_to(Chances first, Chances second, int64_t place) {
#if defined(__SSE2__)
  __m128i least = _mm_set1_epi16((int16_t)place), none = _mm_setzero_si128();
  __m128i low = _mm_cmpeq_epi16(_mm_subs_epu16((__m128i)first, least), none);
  __m128i high = _mm_cmpeq_epi16(_mm_subs_epu16((__m128i)second, least), none);
  return __builtin_ctz(~(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  const Chances least = (Chances){0} + (uint16_t)place;
  Chances found = (Chances)(first <= least) + (Chances)(second <= least);
  int count = 0;
  for (int i = 0; i < 8; i++) count -= (int16_t)found[i];
  return count;
#endif
}

/* Mixes distributions, in which each symbol keeps a chance of 2 / 65536: all before each symbol, and 0 for all
 * of them. */
ALWAYS_INLINE void mix(uint16_t *const *mixed, const int32_t *weights, Chances *sums) {
  const Chances least[2] = {{0, 2, 4, 6, 8, 10, 12, 14}, {16, 18, 20, 22, 24, 26, 28, 30}};
  const Chances first = {0, 65535, 65535, 65535, 65535, 65535, 65535, 65535};
  const Chances none = {0};
  int32_t left = 65535;
  sums[0] = sums[1] = none;
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) {
    int32_t weight = i < MIXED - 1 ? weights[i] : left;
    left -= weight;
    for (int half = 0; half < 2; half++) {
      sums[half] += high_products(load_chances(mixed[i] + 8 * half), none + (uint16_t)weight);
    }
  }
  sums[0] &= first;
  for (int half = 0; half < 2; half++) sums[half] += least[half] - (sums[half] >> 11);
}

/* Lets weights learn from the chances that distributions gave a symbol. */
ALWAYS_INLINE void learn_weights(uint16_t *const *mixed, int32_t *weights, int symbol) {
  uint64_t products[MIXED], total = 0;
  int32_t left = 65535;
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) {
    int32_t weight = i < MIXED - 1 ? weights[i] : left;
    int32_t low = symbol > 0 ? mixed[i][symbol] : 0;
    int32_t high = symbol < SYMBOLS - 1 ? mixed[i][symbol + 1] : ONE;
    left -= weight;
    products[i] = (uint64_t)(weight + 256) * (uint64_t)(high - low + 8);
    total += products[i];
  }
  /* The total is at least 2^19; divided by a power of two, it has sixteen digits. */
  int shift = 48 - __builtin_clzll(total);
  uint32_t inverse = UINT32_MAX / (uint32_t)(total >> shift);
  WRITTEN_OUT
  for (int i = 0; i < MIXED - 1; i++) {
    int32_t share = (int32_t)(((uint32_t)(products[i] >> shift) * inverse) >> 16);
    weights[i] += (share - weights[i]) >> WEIGHT_SHIFT;
  }
}

/* Lets a distribution learn from a symbol. */
ALWAYS_INLINE void learn_symbol(uint16_t *chances, int symbol, const int32_t *rates) {
  static const uint16_t above[2 * SYMBOLS] = {
      [SYMBOLS] = 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
      65535,             65535, 65535, 65535, 65535, 65535, 65535, 65535};
  int count = chances[0];
  const Chances keep = (Chances){0} + (uint16_t)(ONE - rates[count]);
  for (int half = 0; half < 2; half++) {
    Chances turned = load_chances(above + SYMBOLS - 1 - symbol + 8 * half);
    Chances taught = turned ^ high_products(turned ^ load_chances(chances + 8 * half), keep);
    /* In one store, for the next symbol may load it at once. */
    if (half == 0) taught[0] = (uint16_t)(count + (count < OFTEN));
    memcpy(chances + 8 * half, &taught, sizeof taught);
  }
}

/* Codes a symbol by distributions, or reads it; all of them learn from it. */
ALWAYS_INLINE int code_symbol(uint16_t *const *mixed, int32_t *weights, const int32_t *rates,
                              RangeCoder *coder, int symbol, int reading) {
  Chances sums[2];
  uint16_t before[SYMBOLS + 1] = {0};
  mix(mixed, weights, sums);
  memcpy(before, sums, sizeof sums);
  if (reading) symbol = count_up_to(sums[0], sums[1], range_place(coder)) - 1;
  range_take(coder, before[symbol], (uint16_t)(before[symbol + 1] - before[symbol]), reading);
  learn_weights(mixed, weights, symbol);
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) learn_symbol(mixed[i], symbol, rates);
  return symbol;
}

#endif
