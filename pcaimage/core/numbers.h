/* Coding whole numbers that are not negative, bit by bit with mixed contexts. */
#ifndef PCAI_NUMBERS_H
#define PCAI_NUMBERS_H

#include "core.h"
#include "mixing.h"
#include "rangecoder.h"

/* How many binary digits a number has that is not negative; 0 for 0. */
ALWAYS_INLINE int digits(int64_t value) { return value > 0 ? 64 - __builtin_clzll((uint64_t)value) : 0; }

/* How large a number is, in halves of an octave: itself below 3, then two levels for each octave. */
ALWAYS_INLINE int64_t level(int64_t value, int64_t highest) {
  if (value > 2) {
    int octave = digits(value) - 1;
    value = 2 * octave + ((value >> (octave - 1)) & 1);
  }
  return least(value, highest);
}

#endif
