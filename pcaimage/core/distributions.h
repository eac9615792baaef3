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

/* The upper half of a product; compilers know it by this. */
ALWAYS_INLINE uint16_t high_product(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b >> 16); }

/* How many of sixteen chances are at most as large as a place. */
ALWAYS_INLINE int count_up_to(const uint16_t *chances, uint16_t place) {
  uint16_t count = 0;
  for (int i = 0; i < SYMBOLS; i++) count = (uint16_t)(count + (chances[i] <= place));
  return count;
}

/* Mixes distributions, in which each symbol keeps a chance of 2 / 65536: all before each symbol, and 0 for all
 * of them. */
ALWAYS_INLINE void mix(uint16_t *const *mixed, const uint16_t *weights, uint16_t *restrict sums) {
  static const uint16_t behind[SYMBOLS] = {0,     65535, 65535, 65535, 65535, 65535, 65535, 65535,
                                           65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};
  const uint16_t *first = mixed[0], *second = mixed[1], *third = mixed[2], *fourth = mixed[3];
  const uint16_t a = weights[0], b = weights[1], c = weights[2], d = (uint16_t)(65535 - a - b - c);
  for (int i = 0; i < SYMBOLS; i++) {
    uint16_t sum = (uint16_t)(high_product(first[i], a) + high_product(second[i], b) + high_product(third[i], c) + high_product(fourth[i], d));
    sum &= behind[i];
    sums[i] = (uint16_t)(sum - (sum >> 11) + 2 * i);
  }
}

/* Lets weights learn from the chances that distributions gave a symbol. */
ALWAYS_INLINE void learn_weights(uint16_t *const *mixed, uint16_t *weights, int symbol) {
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
    weights[i] = (uint16_t)(weights[i] + ((share - weights[i]) >> WEIGHT_SHIFT));
  }
}

/* Lets a distribution learn from a symbol. Its count, in place of the first, is kept by a factor of almost one, which
 * takes one away. */
ALWAYS_INLINE void learn_symbol(uint16_t *restrict chances, int symbol, const int32_t *rates) {
  static const uint16_t above[2 * SYMBOLS] = {
      [SYMBOLS] = 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
      65535,             65535, 65535, 65535, 65535, 65535, 65535, 65535};
  static const uint16_t kept[SYMBOLS] = {65535}, more[SYMBOLS] = {2};
  static const uint16_t highest[SYMBOLS] = {OFTEN, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
                                            65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};
  const uint16_t *turned = above + SYMBOLS - 1 - symbol, keep = (uint16_t)(ONE - rates[chances[0]]);
  for (int i = 0; i < SYMBOLS; i++) {
    uint16_t found = (uint16_t)((turned[i] ^ high_product(turned[i] ^ chances[i], keep | kept[i])) + more[i]);
    chances[i] = found < highest[i] ? found : highest[i];
  }
}

/* Codes a symbol by distributions, or reads it; all of them learn from it. */
ALWAYS_INLINE int code_symbol(uint16_t *const *mixed, uint16_t *weights, const int32_t *rates,
                              RangeCoder *coder, int symbol, int reading) {
  uint16_t before[SYMBOLS + 1] = {0};
  mix(mixed, weights, before);
  if (reading) symbol = count_up_to(before, (uint16_t)range_place(coder)) - 1;
  range_take(coder, before[symbol], (uint16_t)(before[symbol + 1] - before[symbol]), reading);
  learn_weights(mixed, weights, symbol);
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) learn_symbol(mixed[i], symbol, rates);
  return symbol;
}

#endif
