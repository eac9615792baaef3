/* Coding whole numbers that are not negative, bit by bit with mixed contexts. */
#ifndef PCAI_NUMBERS_H
#define PCAI_NUMBERS_H

#include "core.h"
#include "mixing.h"
#include "rangecoder.h"

/* Number of binary digits of a number that is not negative; 0 for 0. */
ALWAYS_INLINE int digits(int64_t value) { return value > 0 ? 64 - __builtin_clzll((uint64_t)value) : 0; }

/* The size of a number in halves of an octave: itself below 3, then two levels for each octave. */
ALWAYS_INLINE int64_t level(int64_t value, int64_t highest) {
  int octave = 63 - __builtin_clzll((uint64_t)value | 1);
  return least(2 * octave + ((2 * value >> octave) & 1) + (value == 1), highest);
}

/* Codes a number that is not negative, or decodes it: in unary first, then the count of its binary digits,
 * then these. Up to `small` it is unary alone; the unary part is at most `longest`. `weights` and `more` are
 * the sets of its first bit, `contexts` its models. */
ALWAYS_INLINE int64_t code_number(RangeCoder *coder, const Mixer *mixer, const Scales *scales, int64_t number,
                                  int small, int longest, uint32_t *const *contexts, int32_t *weights,
                                  int32_t *more, int count, int reading) {
  int goal = number <= small ? (int)number : small + digits(number - small), found = 0;
  int32_t inputs[16];
  while (found < longest) {
    int32_t *first = weights + found * count, *second = more + found * count;
    for (int i = 0; i < count; i++) inputs[i] = scales->logits[contexts[i][found] >> 16];
    int32_t logit = weighed(inputs, first, second, count);
    int bit = range_code(coder, scales->probabilities[logit + LOGIT_LIMIT], goal > found, reading);
    teach_weights(mixer, scales, inputs, first, second, count, logit, bit);
    for (int i = 0; i < count; i++) {
      contexts[i][found] = taught(contexts[i][found], bit, scales->rates, mixer->limit);
    }
    if (!bit) break;
    found++;
  }
  if (found <= small) return found;
  int64_t rest = 1;
  for (int place = found - small - 2; place >= 0; place--) {
    rest = 2 * rest + range_code(coder, ONE / 2, (int)(((number - small) >> place) & 1), reading);
  }
  return small + rest;
}

#endif
