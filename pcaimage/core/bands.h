/* Planes of many bands, number by number: what is expected of a number, how wrong that may be, and which
 * decisions make it up. Reading and writing are compiled from it each in a file of its own.
 *
 * How far a number is from the middle of its neighbours is predicted by a weighted sum of how far others are
 * around it, and of how far other planes are from theirs at its place: planes are uncorrelated over the whole
 * image, but not over a field or a lake. */
#ifndef PCAI_BANDS_H
#define PCAI_BANDS_H

#include "bands_around.h"
#include "distances.h"
#include "equations.h"

/* A line counts 1/16 less than the one below it. */
#define FORGET 4

/* Inputs are scaled in units of 2^-16, to 64 times their number of widths; they count up to 64 widths. */
#define INVERSE_BITS 16
#define FARTHEST_INPUT 4095

/* Limit to which the difference of the two nearest neighbours is an input itself; beyond it, its sign is. */
#define SMALL 8

/* Numbers are bounded by it. */
#define LARGEST (1 << 25)

static const Traits TRAITS = {.limit = 127, .most_digits = 28, .tilted = 0};

/* Chooses the whole number to write for one that is wanted, given what is expected in 1/16, the mean level of
 * the widths, and the price of a bit; the encoder alone has one. */
typedef int64_t Choose(double wanted, int64_t center, int64_t mean, double price);

/* Brings the weights of a strip nearer to the best. */
ALWAYS_INLINE void solve(const Equations *fit, int64_t strip) {
  int n = (int)fit->inputs;
  int32_t *weights = fit->weights + strip * n;
  int64_t known = 0;
  Matrix matrix;
  gather(fit, strip, &matrix, 1, 1);
  for (int i = 0; i <= n; i++) known += matrix.sums[i][i];
  if (known <= 0) return;
  for (int i = 0; i < n; i++) matrix.sums[i][i] += (matrix.sums[i][i] >> RIDGE_SHIFT) + RIDGE;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int i = 0; i < n; i++) {
      /* Three strips' sums are below 2^35, so this is below 2^51 plus 2^59. */
      int64_t total = matrix.sums[n][i] * (1 << WEIGHT_BITS);
      for (int j = 0; j < n; j++) total -= matrix.sums[i][j] * weights[j];
      int64_t better = weights[i] + floor_divided(total, matrix.sums[i][i]);
      weights[i] = (int32_t)within(better, -HEAVIEST, HEAVIEST);
    }
  }
}

/* The mean of the neighbours on the left and above, rounded down. */
ALWAYS_INLINE int32_t middle(const int32_t *number, int64_t stride) {
  return (number[-1] + number[-stride]) >> 1;
}

/* Gathers a number's inputs; returns how far from the middle of its neighbours it is expected, in units of
 * 2^-16. */
ALWAYS_INLINE int64_t expected(const Equations *fit, const int32_t *weights, const int32_t *number,
                               int64_t stride, int32_t base, int32_t *inputs) {
  int own = (int)fit->own, others = (int)fit->others;
  inputs[0] = number[-1] - number[-stride];
  inputs[1] = base < -SMALL ? -SMALL : base > SMALL ? SMALL : base;
  int64_t total = (int64_t)inputs[0] * weights[0] + (int64_t)inputs[1] * weights[1];
  for (int i = 0; i < own; i++) {
    int32_t input = number[fit->places[i]] - base;
    total += (int64_t)input * weights[2 + i];
    inputs[2 + i] = input;
  }
  inputs += 2 + own, weights += 2 + own;
  for (int i = 0; i < others; i++) {
    const int32_t *there = number + fit->places[own + i];
    int32_t west = there[-1], north = there[-stride];
    int32_t off = there[0] - ((west + north) >> 1), slope = west - north;
    total += (int64_t)off * weights[2 * i] + (int64_t)slope * weights[2 * i + 1];
    inputs[2 * i] = off;
    inputs[2 * i + 1] = slope;
  }
  return total;
}

/* Scales a number's inputs and what was to be predicted, by an inverse below 2^27.
 *
 * What is far away counts less as a whole: what its parts are to each other remains. So products are below
 * 2^28. */
ALWAYS_INLINE void scale(const int32_t *inputs, int rows, int64_t inverse, int16_t *scaled) {
  const int64_t most_product = FARTHEST_INPUT << INVERSE_BITS;
  int32_t bits = 0;
  for (int i = 0; i < rows; i++) bits |= inputs[i] ^ (inputs[i] >> 31);
  if (UNLIKELY((bits + INT64_C(1)) * inverse > most_product)) {
    int64_t largest = 0;
    for (int i = 0; i < rows; i++) largest = most(largest, magnitude_of(inputs[i]));
    if (largest * inverse > most_product) inverse = most_product / largest;
  }
  for (int i = 0; i < rows; i++) scaled[i] = (int16_t)((inputs[i] * (int32_t)inverse) >> INVERSE_BITS);
}

/* Codes a number around its expected value in 1/16, or reads it; returns it. */
ALWAYS_INLINE int64_t code_number_around(int64_t value, int64_t center, int64_t mean, const Learned *learned,
                                         RangeCoder *coder, const Situation *at, int reading) {
  int64_t border = (center >> FRACTION_BITS) + 1;
  int64_t start = border * (1 << FRACTION_BITS) - (1 << (FRACTION_BITS - 1)) - center;
  int above = code_side(learned, coder, at, start, 0, value >= border, TRAITS, reading);
  Side side = {.border = border, .sign = above ? 1 : -1};
  int64_t distance = above ? value - border : border - 1 - value;
  int shift = (int)(most(mean - SMALLEST, 0) >> 3);
  distance =
      code_distance(learned, coder, at, &side, distance, above ? start : -start, shift, TRAITS, reading);
  return within(above ? border + distance : border - 1 - distance, -LARGEST, LARGEST);
}

/* Codes some strips of a plane, counted in reading order.
 *
 * All places lie in the planes, which have a border of BORDER, and whatever is read is at most LARGEST in
 * magnitude; so differences stay below 2^27, and what is expected below 2^59. */
ALWAYS_INLINE void code_strips(int64_t plane, int64_t start, int64_t stop, const double *wanted,
                               const uint8_t *mask, int64_t columns, KnownPlanes known, Equations fit,
                               Learned learned, double price, RangeCoder *state, int reading,
                               Choose *choose) {
  RangeCoder coder = *state;
  int64_t in_line = (columns + STRIP - 1) / STRIP, stride = known.stride;
  int n = (int)fit.inputs, rows = 4 * blocks_of(&fit);
  for (int64_t index = start; index < stop; index++) {
    int64_t row = index / in_line, first = index % in_line * STRIP, strip = index % in_line % STRIPS;
    int64_t count = least(STRIP, columns - first), line = plane * known.area + (row + BORDER) * stride;
    const int32_t *weights = fit.weights + strip * n;
    int32_t inputs[ROWS] = {0};
    Situation at;
    Seen seen;
    if (first == 0) begin_line(&known, line);
    solve(&fit, strip);
    if (first + count < columns) {
      /* More planes than the machine follows by itself: the next strip will need 128 bytes of each. */
      for (int64_t i = 0; i < fit.others; i++) {
        const int32_t *next = known.planes + line + first + count + BORDER + fit.places[fit.own + i];
        __builtin_prefetch(next);
        __builtin_prefetch(next + least(STRIP, columns - first - count) - 1);
      }
    }
    for (int64_t inside = 0; inside < count; inside++) {
      int64_t here = line + first + inside + BORDER, cell = row * columns + first + inside;
      int32_t *number = known.planes + here, *error = known.errors + here;
      if (!mask[cell]) {
        number[0] = number[-1];
        error[0] = error[-1];
        memset(seen.scaled[inside], 0, sizeof seen.scaled[inside]);
        continue;
      }
      int32_t base = middle(number, stride);
      int64_t raw = (int64_t)base * (1 << FRACTION_BITS);
      raw += (expected(&fit, weights, number, stride, base, inputs) + (1 << 11)) >> 12;
      int64_t mean = look_around(&known, plane, here, &learned, &at);
      int64_t center = raw + (biases_of(&learned, &at, 1) >> 16);
      center = within(center, -16 * LARGEST, 16 * LARGEST);
      situate(&known, plane, here, center, mean, &at);
      int64_t goal = reading ? 0 : within(choose(wanted[cell], center, mean, price), -LARGEST, LARGEST);
      int64_t found = code_number_around(goal, center, mean, &learned, &coder, &at, reading);
      int64_t exact = found * (1 << FRACTION_BITS), wrong = least(magnitude_of(exact - center), FARTHEST);
      number[0] = (int32_t)found;
      error[0] = (int32_t)wrong;
      inputs[n] = (int32_t)found - base;
      /* Surprises teach less: edges would rule the equations. */
      int64_t surprise = (learned.widths[2 * at.held[1]] >> 6) + (wrong >> 1);
      int64_t inverse = learned.curves.inverses[fine(surprise)];
      learn_widths(&learned, &at, wrong);
      learn_biases(&learned, &at, 1, exact - raw);
      scale(inputs, rows, inverse, seen.scaled[inside]);
    }
    memset(seen.scaled[count], 0, (size_t)(STRIP - count) * sizeof seen.scaled[0]);
    accumulate(&fit, strip, &seen, STRIP, FORGET, 1);
    if (first + count == columns) end_line(&known, line, columns);
  }
  *state = coder;
}

#endif
