/* A strip of a line of a plane: what is known of all of its numbers before any is coded, and what they teach. */
#ifndef PCAI_STRIPS_H
#define PCAI_STRIPS_H

#include "equations.h"

/* A line counts 1/16 less than the one below it. */
#define FORGET 4

/* Inputs are bounded, so that sums fit into 32 bits; those of a width of so many octaves are not scaled. */
#define FARTHEST_INPUT 1023
#define UNSCALED 7

/* Limit to which the difference of the two nearest neighbours is an input itself; beyond it, its sign is. Numbers
 * around one in its own plane that are inputs beside the nearest two; and all of these. */
enum { SMALL = 8, OWN_PLACES = 5, OWN_INPUTS = 2 + OWN_PLACES };

/* Columns behind the last are found, too, and not asked for: planes end with borders.
 *
 * Of how far numbers are from the middle of their neighbours on the left and above, what can be told without the
 * numbers on the left, in 2^-16; the own errors above, weighted, and those before; the inputs; and how inputs are
 * scaled: shifts to the right and to the left, and a bound, 0 where a number teaches nothing. */
typedef struct {
  int64_t ahead[STRIP];
  int32_t own[STRIP], before[STRIP];
  int32_t less[STRIP], more[STRIP], bound[STRIP];
  int32_t inputs[ROWS][STRIP];
} Strip;

/* Brings the weights of a strip nearer to the best, and finds what is ahead of the numbers from a place on: of the
 * plane, of its errors, and of those before. */
void prepare_strip(const Equations *fit, int64_t strip, const int32_t *number, const int32_t *error, const int32_t *activity, int64_t stride, Strip *ahead);

/* Lets the equations learn from a strip whose numbers are known. */
void learn_strip(const Equations *fit, int64_t strip, const int32_t *number, int64_t stride, Strip *ahead);

/* Scales a number's inputs and what was to be predicted to about 64 times a width of that level, so that
 * products are below 2^24. */
ALWAYS_INLINE void set_scale(Strip *ahead, int64_t column, int64_t size) {
  int less = (int)(size >> 3) - UNSCALED;
  ahead->less[column] = less > 0 ? less : 0;
  ahead->more[column] = less < 0 ? -less : 0;
  ahead->bound[column] = FARTHEST_INPUT >> ahead->more[column];
}

/* How far a number is expected from the middle of its neighbours, in units of 2^-16. */
ALWAYS_INLINE int64_t expected(const int32_t *weights, const int32_t *number, int32_t middle, int64_t ahead) {
  int32_t near = middle < -SMALL ? -SMALL : middle > SMALL ? SMALL : middle;
  int64_t own = (int64_t)weights[2] + weights[3] + weights[4] + weights[5] + weights[6];
  return ahead + (int64_t)number[-1] * weights[0] + (int64_t)near * weights[1] + (int64_t)number[-2] * weights[4] - middle * own;
}

#endif
