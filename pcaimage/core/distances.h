/* Coding numbers around what is expected of them, question by question.
 *
 * Is the number above the expected value? How far beyond it, in steps that suit the place? Where in the last
 * step? */
#ifndef PCAI_DISTANCES_H
#define PCAI_DISTANCES_H

#include "deciding.h"

/* Level of the widths from which on steps are longer than one. */
#define SMALLEST 40

/* How many binary digits the count of digits of far distances has. */
#define MOST_DIGITS 20

/* The last entry of the table of tails. */
#define LAST_TAIL 3071

/* The range of a number: the side of a border, and the largest distance from it. */
typedef struct {
  int64_t border, sign, limit;
  /* Bits that a number is shifted by to have a tilt. */
  int shade;
} Side;

/* Start of a distance in each distribution, length of a step, in 1/256 widths, and the step's gap. */
typedef struct {
  int64_t places[OPINIONS], steps[OPINIONS], gaps[OPINIONS];
} Steps;

/* ln(1 + exp(-z)). */
ALWAYS_INLINE int64_t tail_of(const CurveTables *curves, int64_t place) {
  return curves->tails[least(magnitude_of(place), LAST_TAIL)] - least(place, 0);
}

ALWAYS_INLINE int64_t shade_of(const Side *side, int64_t distance) {
  return (side->border + side->sign * distance) >> side->shade;
}

/* Codes what a distance has beyond all steps. */
ALWAYS_INLINE int64_t code_rest(RangeCoder *coder, int64_t rest, int reading) {
  int length = digits(rest + 1) - 1, found = 0;
  while (found < MOST_DIGITS && range_code(coder, ONE / 2, length > found, reading)) found++;
  int64_t value = 1;
  for (int place = found - 1; place >= 0; place--) {
    value = 2 * value + range_code(coder, ONE / 2, (int)((rest + 1) >> place) & 1, reading);
  }
  return value - 1;
}

/* Codes in which half of a part of a step a number lies. */
ALWAYS_INLINE int code_half(const Learned *learned, RangeCoder *coder, const Situation *at, Steps *steps,
                            int node, int bit, int depth, int64_t kind, int64_t value, int half,
                            int reading) {
  int64_t opinions[OPINIONS];
  for (int i = 0; i < OPINIONS; i++) {
    int64_t place = steps->places[i], step = steps->steps[i] >> (depth - 1);
    int64_t ratio = learned->curves->ratios[at->sizes[i] - 8 * bit + 8 * OCTAVES];
    opinions[i] =
        bounded_logit(tail_of(learned->curves, place) - tail_of(learned->curves, place + step) - ratio);
  }
  half = decide(learned, coder, at, opinions, node, kind, value, half, reading);
  if (half) {
    for (int i = 0; i < OPINIONS; i++) steps->places[i] += steps->steps[i] >> depth;
  }
  return half;
}

/* Codes how far a number lies beyond a border whose edge is `start` sixteenths beyond what is expected, in
 * steps of 2^shift; returns it. It may be beyond the limit if the bytes are damaged.
 *
 * The shift is at most (SIZES - 1 - SMALLEST) / 8 = 15, so all places in the tables of gaps and ratios, which
 * have 8 OCTAVES + SIZES entries, are within them; as many as LOW nodes for each of two bits lie behind
 * STEPS. */
ALWAYS_INLINE int64_t code_distance(const Learned *learned, RangeCoder *coder, const Situation *at,
                                    const Side *side, int64_t distance, int64_t start, int shift,
                                    int reading) {
  const CurveTables *curves = learned->curves;
  Steps steps;
  for (int i = 0; i < OPINIONS; i++) {
    int64_t inverse = curves->inverses[at->sizes[i]];
    steps.places[i] = (start * inverse) >> 18;
    steps.steps[i] = (inverse << (shift + FRACTION_BITS)) >> 18;
    steps.gaps[i] = curves->gaps[at->sizes[i] - 8 * shift + 8 * OCTAVES];
  }
  int64_t goal = distance >> shift, last = side->limit >> shift, found = 0;
  int64_t most_steps = least(last, STEPS), kinds = side->sign > 0 ? 4 : 0;
  int64_t kind = 1 + kinds + least(shift, 3);
  while (found < most_steps) {
    int64_t opinions[OPINIONS], value = shade_of(side, found << shift);
    for (int i = 0; i < OPINIONS; i++) {
      opinions[i] = bounded_logit(tail_of(curves, steps.places[i]) - steps.gaps[i]);
    }
    if (!decide(learned, coder, at, opinions, 1 + found, kind, value, goal > found, reading)) break;
    found++;
    for (int i = 0; i < OPINIONS; i++) steps.places[i] += steps.steps[i];
  }
  int node = 1 + STEPS + (int)least(found, LOW - 1);
  if (found == STEPS && last > STEPS) found += code_rest(coder, goal - STEPS, reading);
  for (int bit = shift - 1; bit >= 0; bit--) {
    int half = (int)(distance >> bit) & 1, depth = shift - bit;
    if (depth <= 2) {
      int64_t value = shade_of(side, least(found << (bit + 1), side->limit));
      half = code_half(learned, coder, at, &steps, node + LOW * (depth - 1), bit, depth,
                       8 + kinds + 1 + least(bit, 3), value, half, reading);
    } else {
      half = range_code(coder, ONE / 2, half, reading);
    }
    found = 2 * found + half;
  }
  return found;
}

/* Codes on which side of a border a number lies, whose edge is `start` sixteenths beyond what is expected. */
ALWAYS_INLINE int code_side(const Learned *learned, RangeCoder *coder, const Situation *at, int64_t start,
                            int64_t value, int bit, int reading) {
  int64_t opinions[OPINIONS];
  for (int i = 0; i < OPINIONS; i++) {
    opinions[i] = bounded_logit((-start * learned->curves->inverses[at->sizes[i]]) >> 18);
  }
  return decide(learned, coder, at, opinions, 0, 0, value, bit, reading);
}

#endif
