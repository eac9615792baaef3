/* Adaptive distributions of sixteen symbols, several of which are mixed for each symbol.
 *
 * A distribution has the chances, in 1/65536, of all symbols before the second, before the third … and, in
 * place of those before the first, NEVER and how often it was asked, or 0 if never. The mixture's weights are
 * how likely it is that each is right, by what each said of the symbols so far. So a symbol is one step of the
 * range coder, and takes as long whatever it is.
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

/* Largest count of a distribution, what counts begin above, so that the largest is that of all bits, and how quickly
 * weights follow: 2^-5. */
#define OFTEN 126
#define NEVER (65535 - OFTEN)
#define WEIGHT_SHIFT 5

typedef uint16_t Chances __attribute__((vector_size(16)));

/* All bits of where the count is. */
#define COUNT ((Chances){65535})

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
  const Chances none = {0};
  sums[0] = sums[1] = none;
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) {
    const Chances weight = none + (uint16_t)weights[i];
    for (int half = 0; half < 2; half++) sums[half] += high_products(load_chances(mixed[i] + 8 * half), weight);
  }
  sums[0] &= ~COUNT;
  for (int half = 0; half < 2; half++) sums[half] += least[half] - (sums[half] >> 11);
}

/* Lets weights, of which the last is what the others leave, learn from the chances that distributions gave a symbol. */
ALWAYS_INLINE void learn_weights(uint16_t *const *mixed, int32_t *weights, int symbol) {
  const int64_t is_last = symbol == SYMBOLS - 1, begins = -(int64_t)(symbol > 0), ends = is_last - 1;
  const int64_t place = symbol, more = is_last * ONE + 8;
  uint64_t products[MIXED], total = 0;
  int32_t left = 65535;
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) {
    const int64_t low = mixed[i][place] & begins, high = mixed[i][place + 1 - is_last] & ends;
    products[i] = (uint64_t)((weights[i] + INT64_C(256)) * (high - low + more));
    total += products[i];
  }
  /* The total is at least 2^19; divided by a power of two, it has sixteen digits. */
  int shift = 48 - __builtin_clzll(total);
  uint32_t inverse = UINT32_MAX / (uint32_t)(total >> shift);
  WRITTEN_OUT
  for (int i = 0; i < MIXED - 1; i++) {
    int32_t share = (int32_t)(((uint32_t)(products[i] >> shift) * inverse) >> 16);
    weights[i] += (share - weights[i]) >> WEIGHT_SHIFT;
    left -= weights[i];
  }
  weights[MIXED - 1] = left;
}

/* Lets a distribution learn from a symbol: `turned` has all bits of what grows, and `keeps` are what is kept of
 * chances, by the count, which grows as if 1/65536 of what it lacks were lost. */
ALWAYS_INLINE void learn_symbol(uint16_t *chances, const Chances *turned, const Chances *keeps) {
  const Chances keep = keeps[chances[0] - NEVER];
  for (int half = 0; half < 2; half++) {
    const Chances kept = half ? keep : keep | COUNT;
    const Chances taught = turned[half] ^ high_products(turned[half] ^ load_chances(chances + 8 * half), kept);
    memcpy(chances + 8 * half, &taught, sizeof taught);
  }
}

/* Makes what is kept by each count. */
static inline void make_keeps(Chances *keeps, const int32_t *rates) {
  for (int i = 0; i <= OFTEN; i++) keeps[i] = (Chances){0} + (uint16_t)(ONE - rates[i]);
}

/* Codes a symbol by distributions, or reads it; all of them learn from it. */
ALWAYS_INLINE int code_symbol(uint16_t *const *mixed, int32_t *weights, const Chances *keeps, RangeCoder *coder,
                              int symbol, int reading) {
  static const uint16_t above[2 * SYMBOLS] = {
      [SYMBOLS] = 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
      65535,             65535, 65535, 65535, 65535, 65535, 65535, 65535};
  Chances sums[2], turned[2];
  uint16_t before[SYMBOLS + 1] = {0};
  mix(mixed, weights, sums);
  memcpy(before, sums, sizeof sums);
  if (reading) symbol = count_up_to(sums[0], sums[1], range_place(coder)) - 1;
  range_take(coder, before[symbol], (uint16_t)(before[symbol + 1] - before[symbol]), reading);
  learn_weights(mixed, weights, symbol);
  memcpy(turned, above + SYMBOLS - 1 - symbol, sizeof turned);
  turned[0] |= COUNT;
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) learn_symbol(mixed[i], turned, keeps);
  return symbol;
}

#endif
