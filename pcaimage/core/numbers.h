/* Sizes of whole numbers that are not negative. */
#ifndef PCAI_NUMBERS_H
#define PCAI_NUMBERS_H

#include "core.h"

/* Number of binary digits of a number that is not negative; 0 for 0. */
ALWAYS_INLINE int digits(int64_t value) { return value > 0 ? 64 - __builtin_clzll((uint64_t)value) : 0; }

/* The size of a number in halves of an octave: itself below 3, then two levels for each octave. */
ALWAYS_INLINE int64_t level(int64_t value, int64_t highest) {
  int octave = 63 ^ __builtin_clzll((uint64_t)value | 1);
  return least(2 * octave + ((2 * value >> octave) & 1) + (value == 1), highest);
}

#endif
