/* The residual of a reconstruction, pixel by pixel: what is expected of a pixel, how wrong that may be, and
 * which decisions make it up. */
#include "distances.h"
#include "residual_context.h"

/* A line counts 1/8 less than the one below it. */
#define RESIDUAL_FORGET 3

/* Inputs are scaled in units of 2^-18, and bounded, so that the sums of three strips stay below 2^31. */
#define RESIDUAL_INVERSE_BITS 18
#define RESIDUAL_LARGEST 1023

/* Finds the best weights of a strip, by Gaussian elimination.
 *
 * Each operation on doubles is one of IEEE 754, in a fixed order, so that all machines find the same. Sums
 * that are forgotten are rounded by less than 1 in a line, 8 in all and 32 in four strips: n times that is
 * the most that an eigenvalue may lack, less than the ridge. So no pivot is below 4096 - 32 ROWS, but for
 * rounding. */
ALWAYS_INLINE void solve(const Equations *fit, int64_t strip) {
  int n = (int)fit->inputs;
  int32_t matrix[ROWS][ROWS];
  /* Rows from the diagonal to the target, and before it by what part of earlier rows they were reduced. */
  double rows[ROWS][ROWS], solutions[ROWS];
  gather(fit, strip, matrix, 2);
  for (int i = 0; i < n; i++) {
    for (int j = i; j <= n; j++) rows[i][j] = (double)matrix[j][i];
    rows[i][i] += RIDGE;
  }
  for (int k = 0; k < n; k++) {
    double inverse = 1 / rows[k][k];
    for (int i = k + 1; i < n; i++) {
      double part = rows[k][i] * inverse;
      for (int j = i; j <= n; j++) rows[i][j] -= part * rows[k][j];
      rows[i][k] = part;
    }
    solutions[k] = rows[k][n] * inverse;
  }
  for (int k = n - 1; k >= 0; k--) {
    double found = solutions[k], weight = found * (1 << WEIGHT_BITS);
    for (int i = 0; i < k; i++) solutions[i] -= rows[k][i] * found;
    weight = weight < -HEAVIEST ? -HEAVIEST : weight > HEAVIEST ? HEAVIEST : weight;
    fit->weights[strip * n + k] = (int32_t)weight;
  }
}

/* Gathers a pixel's inputs; returns what it is expected to lack, in units of 2^-16. */
ALWAYS_INLINE int64_t expected(const Equations *fit, const int32_t *weights, const int32_t *planes,
                               int64_t base, int32_t *inputs) {
  int64_t total = 0;
  int n = (int)fit->inputs, own = (int)fit->own;
  for (int i = 0; i < n; i++) {
    inputs[i] = planes[fit->places[i]] - (i < own ? 0 : (int32_t)base);
    total += (int64_t)inputs[i] * weights[i];
  }
  return total;
}

/* Scales a pixel's inputs and its target, at most 2^17 in magnitude, by an inverse below 2^27. */
ALWAYS_INLINE void scale(const int32_t *inputs, int rows, int32_t inverse, int16_t *scaled) {
  for (int i = 0; i < rows; i++) {
    /* Unsigned, and so much more as is subtracted behind the shift: products of 32 bits are quicker so. */
    uint64_t product = (uint64_t)(uint32_t)(inputs[i] + (1 << RESIDUAL_INVERSE_BITS)) * (uint32_t)inverse;
    int32_t found = (int32_t)(product >> RESIDUAL_INVERSE_BITS) - inverse;
    found = found < RESIDUAL_LARGEST ? found : RESIDUAL_LARGEST;
    scaled[i] = (int16_t)(found > -RESIDUAL_LARGEST ? found : -RESIDUAL_LARGEST);
  }
}

/* Codes a pixel around its expected value in 1/16, or reads it; returns it. */
ALWAYS_INLINE int64_t code_pixel(int64_t value, int64_t center, int64_t channel, int64_t here, int64_t mean,
                                 const KnownPixels *known, const Learned *learned, RangeCoder *coder,
                                 Situation *at, int reading) {
  int64_t border = least((center >> FRACTION_BITS) + 1, known->peak);
  int64_t inverse = learned->curves->inverses[mean], shade = known->peak > 255 ? 8 : 0;
  situate(known, channel, here, least(mean / 4, DENSITIES - 1), center, inverse, border, (int)shade, at);
  int64_t start = (border << FRACTION_BITS) - (1 << (FRACTION_BITS - 1)) - center;
  int above = code_side(learned, coder, at, start, border >> shade, value >= border, reading);
  Side side = {.border = above ? border : border - 1, .sign = above ? 1 : -1, .shade = (int)shade};
  side.limit = above ? known->peak - border : border - 1;
  int64_t distance = above ? value - border : border - 1 - value;
  int shift = (int)(most(mean - SMALLEST, 0) >> 3);
  distance = code_distance(learned, coder, at, &side, distance, above ? start : -start, shift, reading);
  return side.border + side.sign * least(distance, side.limit);
}

/* Codes one channel of some strips, counted in reading order.
 *
 * Strips of each line begin at its first pixel. All places lie in the planes, which have a border of BORDER,
 * and whatever is read is a value from 0 to the peak; so are all others that contexts are made of. */
void code_residual(int64_t channel, int64_t start, int64_t stop, int32_t *values, int64_t columns,
                   const KnownPixels *all_known, const Equations *all_fit, const Learned *all_learned,
                   RangeCoder *state, int reading) {
  const KnownPixels known = *all_known;
  const Equations fit = *all_fit;
  const Learned learned = *all_learned;
  const int width = NARROW;
  RangeCoder coder = *state;
  int64_t in_line = (columns + width - 1) / width;
  int n = (int)fit.inputs, rows = 4 * blocks_of(&fit);
  for (int64_t number = start; number < stop; number++) {
    int64_t row = number / in_line, first = number % in_line * width, strip = number % in_line % STRIPS;
    int64_t count = least(width, columns - first);
    const int32_t *weights = fit.weights + strip * n;
    int32_t inputs[ROWS] = {0};
    Situation at;
    int16_t seen[STRIP][ROWS];
    solve(&fit, strip);
    for (int64_t inside = 0; inside < count; inside++) {
      int64_t place = (row + BORDER) * known.stride + first + inside + BORDER,
              here = place + channel * known.area;
      int32_t *value = values + row * columns + first + inside;
      int64_t base = known.planes[here + known.channels * known.area];
      int64_t lacks = expected(&fit, weights, known.planes + place, base, inputs);
      int64_t raw = base * (1 << FRACTION_BITS) + ((lacks + (1 << 11)) >> 12);
      PixelsAround around = look_around(&known, channel, here);
      hold(&known, channel, here, &around, &at);
      int64_t mean = opinions_of(&learned, &at);
      int64_t center = within(raw + (biases_of(&learned, &at, 2) >> 17), 0, known.peak << FRACTION_BITS);
      int64_t found = code_pixel(*value, center, channel, here, mean, &known, &learned, &coder, &at, reading);
      int64_t exact = found << FRACTION_BITS, error = least(magnitude_of(exact - center), FARTHEST);
      *value = (int32_t)found;
      known.planes[here] = inputs[n] = (int32_t)(found - base);
      known.errors[here] = (int32_t)error;
      for (int i = 0; i < OPINIONS; i++) learn_width(learned.widths + 2 * at.held[i], learned.curves->rates, error);
      for (int i = 0; i < 2; i++) learn_bias(learned.biases + 2 * at.held[OPINIONS + i], exact - raw);
      scale(inputs, rows, learned.curves->inverses[at.sizes[2]], seen[inside]);
    }
    memset(seen[count], 0, (size_t)(width - count) * sizeof seen[0]);
    accumulate(&fit, strip, seen, width, RESIDUAL_FORGET);
  }
  *state = coder;
}
