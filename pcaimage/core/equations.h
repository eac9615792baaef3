/* Least squares fitted anew all the time, in integers.
 *
 * The weights of the inputs that predict a number are those that would have been best nearby: in the same
 * strip of the lines above, and in those beside it. The normal equations are solved by Gauss and Seidel's
 * iteration, a few steps at a time from the last line's weights on.
 *
 * X. Wu, E. U. Barthel and W. Zhang, "Piecewise 2D autoregression for predictive image coding", IEEE
 * International Conference on Image Processing, 1998.
 */
#ifndef PCAI_EQUATIONS_H
#define PCAI_EQUATIONS_H

#include "lanes.h"

/* Neighbours are at most so far away: planes have a border. */
#define BORDER 3

/* Numbers of a line for which the weights stay, and strips beyond which those far apart share theirs. */
#define STRIP 32
#define STRIPS 1024

/* Weights are in units of 2^-16, and not above 8. */
#define WEIGHT_BITS 16
#define HEAVIEST (1 << 19)

/* Steps of the iteration; where lines are learned from seldom, one is enough. */
#define SWEEPS 2

/* Where lines are learned from seldom, it is so many, and then one of so many. */
#define EARLY 16
#define SELDOM 4

/* A constant that is added to the diagonal, and the part of the diagonal that is: 2^-10. */
#define RIDGE 4096
#define RIDGE_SHIFT 10

/* There are fewer inputs than rows; rows are counted in fours. */
#define ROWS 32

/* The places of inputs, counted from the number itself, and how many of them are in its own plane; the
 * numbers of inputs and of strips. The sums of products of inputs, and in the last row with the target, are the
 * blocks of 4 × 4 sums on and below the diagonal, row by row, of one strip after the other. The weights are the
 * solutions, a row for each strip. */
typedef struct {
  const int64_t *places;
  int64_t own;
  int64_t others;
  int64_t inputs;
  int64_t strips;
  int32_t *sums;
  int32_t *weights;
} Equations;

ALWAYS_INLINE int blocks_of(const Equations *fit) { return (int)(fit->inputs + 4) / 4; }

/* The sums of a strip of so many inputs. */
ALWAYS_INLINE int64_t sums_of(int64_t inputs) { return 8 * ((inputs + 4) / 4) * ((inputs + 4) / 4 + 1); }

/* Strips of a line that have equations of their own. */
ALWAYS_INLINE int64_t strips_of(int64_t columns, int64_t width) {
  return least((columns + width - 1) / width, STRIPS);
}

/* Adds what was seen in a line of a strip, of that width at most, to its equations: inputs and, behind them, the
 * target of each number, scaled to 16 bits. A line counts 2^-forget less than the one below it.
 *
 * What was seen is at most 1023 in magnitude, so a sum over the strip is below 2^25, and the sums of all
 * lines are below 2^(25 + forget). */
ALWAYS_INLINE void accumulate(const Equations *fit, int64_t strip, int16_t (*seen)[ROWS], int width, int forget) {
  int blocks = blocks_of(fit);
  /* For pairs of columns, row by row both of a pair. */
  int16_t pairs[STRIP / 2][ROWS][2];
  for (int pair = 0; pair < width / 2; pair++) {
    for (int i = 0; i < 4 * blocks; i++) {
      pairs[pair][i][0] = seen[2 * pair][i];
      pairs[pair][i][1] = seen[2 * pair + 1][i];
    }
  }
  int64_t place = strip * sums_of(fit->inputs);
  for (int row = 0; row < blocks; row++) {
    for (int column = 0; column <= row; column++, place += 16) {
      Ints sums[4] = {{0}};
      for (int pair = 0; pair < width / 2; pair++) {
        Ints left;
        Shorts right;
        memcpy(&left, pairs[pair][4 * row], sizeof left);
        memcpy(&right, pairs[pair][4 * column], sizeof right);
        for (int i = 0; i < 4; i++) {
          Ints same = {left[i], left[i], left[i], left[i]};
          sums[i] += pair_products((Shorts)same, right);
        }
      }
      for (int i = 0; i < 4; i++) {
        Ints old;
        memcpy(&old, fit->sums + place + 4 * i, sizeof old);
        old += sums[i] - (old >> forget);
        memcpy(fit->sums + place + 4 * i, &old, sizeof old);
      }
    }
  }
}

/* Adds up the equations of a strip, so many times, and of those beside it; at an edge its own count once
 * more. */
ALWAYS_INLINE void gather(const Equations *fit, int64_t strip, int32_t (*matrix)[ROWS], int times) {
  int64_t size = sums_of(fit->inputs), place = strip * size;
  int64_t before = strip > 0 ? -size : 0, behind = strip + 1 < fit->strips ? size : 0;
  int blocks = blocks_of(fit);
  for (int row = 0; row < blocks; row++) {
    for (int column = 0; column <= row; column++, place += 16) {
      for (int i = 0; i < 4; i++) {
        const int32_t *sum = fit->sums + place + 4 * i;
        int32_t *there = matrix[4 * row + i] + 4 * column;
        for (int j = 0; j < 4; j++) there[j] = sum[before + j] + times * sum[j] + sum[behind + j];
      }
      for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
          matrix[4 * column + j][4 * row + i] = matrix[4 * row + i][4 * column + j];
        }
      }
    }
  }
}

#endif
