/* Planes of many bands, number by number: what is expected of a number, how wrong that may be, and which
 * symbol it is.
 *
 * How far a number is from the middle of its neighbours is predicted by a weighted sum of how far others are
 * around it, and of how far other planes are from theirs at its place: planes are uncorrelated over the whole
 * image, but not over a field or a lake. */
#ifndef PCAI_BANDS_H
#define PCAI_BANDS_H

#include "bands_around.h"
#include "equations.h"

/* A line counts 1/16 less than the one below it; where lines are learned from seldom, 1/8. */
#define FORGET 4
#define SELDOM_FORGET 3

/* Inputs are bounded, so that sums fit into 32 bits; those of a width of so many octaves are not scaled. */
#define FARTHEST_INPUT 1023
#define UNSCALED 7

/* Limit to which the difference of the two nearest neighbours is an input itself; beyond it, its sign is. */
#define SMALL 8

/* Numbers are bounded by it. */
#define LARGEST (1 << 25)

/* Steps from the nearest number to what is far away. */
#define NEAREST_STEPS 8

/* The largest count of models of bits. */
#define BIT_LIMIT 127

/* What a number may be written as: steps from the nearest number to what is expected are symbols, of which chances are
 * given, in 1/65536, of all before each; in a calm place, that it is not 0. */
typedef struct {
  int64_t center, nearest, turn, half;
  int shift, calm;
  uint16_t before[SYMBOLS + 1];
} Prospect;

/* Chooses the whole number to write for one that is wanted, given the price of a bit; the encoder alone has one. */
typedef int64_t Choose(double wanted, const Prospect *prospect, double price);

/* Brings the weights of a strip nearer to the best, in so many steps. */
ALWAYS_INLINE void solve(const Equations *fit, int64_t strip, int sweeps) {
  int n = (int)fit->inputs, rows = 4 * blocks_of(fit);
  int32_t *weights = fit->weights + strip * n;
  int64_t known = 0, solved[ROWS] = {0};
  int32_t matrix[ROWS][ROWS];
  gather(fit, strip, matrix, 1);
  for (int i = 0; i <= n; i++) known += matrix[i][i];
  if (known <= 0) return;
  for (int i = 0; i < n; i++) {
    matrix[i][i] += (matrix[i][i] >> RIDGE_SHIFT) + RIDGE;
    solved[i] = weights[i];
  }
  for (int sweep = 0; sweep < sweeps; sweep++) {
    for (int i = 0; i < n; i++) {
      /* Three strips' sums are below 2^31, so this is below 2^47 plus 2^55. */
      int64_t total = matrix[n][i] * (INT64_C(1) << WEIGHT_BITS);
      for (int j = 0; j < rows; j += 4) {
        for (int k = j; k < j + 4; k++) total -= matrix[i][k] * solved[k];
      }
      solved[i] = within(solved[i] + floor_divided(total, matrix[i][i]), -HEAVIEST, HEAVIEST);
    }
  }
  for (int i = 0; i < n; i++) weights[i] = (int32_t)solved[i];
}

/* The mean of the neighbours on the left and above, rounded down. */
ALWAYS_INLINE int32_t middle(const int32_t *number, int64_t stride) {
  return (number[-1] + number[-stride]) >> 1;
}

/* Adds up what numbers of other planes say of those of a strip, all 32 of them, in units of 2^-16. */
ALWAYS_INLINE void expect_by_others(const Equations *fit, const int32_t *weights, const int32_t *numbers, int64_t stride,
                                    int64_t *restrict totals) {
  for (int i = 0; i < STRIP; i++) totals[i] = 0;
  for (int64_t j = 0; j < fit->others; j++) {
    const int32_t *there = numbers + fit->places[j], *up = there - stride;
    const int32_t off = weights[2 + OWN_PLACES + 2 * j], slope = weights[3 + OWN_PLACES + 2 * j];
    for (int i = 0; i < STRIP; i++) {
      const int32_t west = there[i - 1], north = up[i];
      totals[i] += (int64_t)(there[i] - ((west + north) >> 1)) * off + (int64_t)(west - north) * slope;
    }
  }
}

ALWAYS_INLINE int32_t bounded_middle(int32_t middle) { return (int32_t)within(middle, -SMALL, SMALL); }

/* What a number's own plane says of how far it is from the middle of its neighbours, in units of 2^-16. What depends
 * on the number on the left, which was known last, is added last. */
ALWAYS_INLINE int64_t expected_by_own(const int32_t *weights, const int32_t *number, int64_t stride, int32_t middle) {
  const int32_t *up = number - stride, *higher = up - stride;
  const int32_t own[OWN_PLACES] = {up[-1], up[1], number[-2], higher[0], higher[1]};
  int64_t total = 0, heavy = 0;
  WRITTEN_OUT
  for (int i = 0; i < OWN_PLACES; i++) {
    total += (int64_t)own[i] * weights[2 + i];
    heavy += weights[2 + i];
  }
  return total + ((int64_t)(number[-1] - up[0]) * weights[0] + (int64_t)bounded_middle(middle) * weights[1] -
                  middle * heavy);
}

/* Gathers a number's inputs, and behind them what was to be predicted. */
ALWAYS_INLINE void find_inputs(const Equations *fit, const int32_t *number, int64_t stride, int32_t *restrict inputs) {
  const int32_t *up = number - stride, *higher = up - stride, base = middle(number, stride);
  const int32_t own[OWN_PLACES] = {up[-1], up[1], number[-2], higher[0], higher[1]};
  inputs[0] = number[-1] - up[0];
  inputs[1] = bounded_middle(base);
  for (int i = 0; i < OWN_PLACES; i++) inputs[2 + i] = own[i] - base;
  for (int64_t i = 0; i < fit->others; i++) {
    const int32_t *there = number + fit->places[i];
    inputs[2 + OWN_PLACES + 2 * i] = there[0] - middle(there, stride);
    inputs[3 + OWN_PLACES + 2 * i] = there[-1] - there[-stride];
  }
  inputs[fit->inputs] = number[0] - base;
}

/* Scales a number's inputs and what was to be predicted to about 64 times a width of that level, so that
 * products are below 2^24. */
ALWAYS_INLINE void scale(const int32_t *inputs, int rows, int64_t size, int16_t *scaled) {
  int less = (int)(size >> 3) - UNSCALED, more = less < 0 ? -less : 0;
  if (less < 0) less = 0;
  for (int i = 0; i < rows; i += 8) {
    Ints first, second;
    memcpy(&first, inputs + i, sizeof first);
    memcpy(&second, inputs + i + 4, sizeof second);
    Shorts found = bounded_shorts(narrowed(first >> less, second >> less), (int16_t)(FARTHEST_INPUT >> more));
    found <<= more;
    memcpy(scaled + i, &found, sizeof found);
  }
}

/* Codes a bit by one model, which learns from it, or reads it. */
ALWAYS_INLINE int code_bit(uint32_t *model, const int32_t *rates, RangeCoder *coder, int bit, int reading) {
  bit = range_code(coder, chance_of(*model, 64), bit, reading);
  *model = taught(*model, bit, rates, BIT_LIMIT);
  return bit;
}

/* Codes so many binary digits, all of which are as likely, or reads them. */
ALWAYS_INLINE int64_t code_digits(RangeCoder *coder, int64_t value, int count, int reading) {
  int64_t found = 0;
  for (int place = count - 1; place >= 0; place--) {
    found = 2 * found + range_code_fair(coder, ONE / 2, (int)(value >> place) & 1, reading);
  }
  return found;
}

/* Codes a number other than 0, or reads it: its sign, how many binary digits follow the first, and these. */
ALWAYS_INLINE int64_t code_signed(uint32_t *models, const int32_t *rates, RangeCoder *coder, int64_t number,
                                  int reading) {
  int above = range_code(coder, ONE / 2, number > 0, reading), found = 0;
  int length = digits(magnitude_of(number)) - 1;
  while (found < FAR_DIGITS && code_bit(models + found, rates, coder, length > found, reading)) found++;
  int64_t size = (INT64_C(1) << found) + code_digits(coder, magnitude_of(number), found, reading);
  return above ? size : -size;
}

/* Codes a distance beyond all symbols but the last, or reads it. */
ALWAYS_INLINE int64_t code_far(const Acquired *learned, RangeCoder *coder, int64_t steps, int reading) {
  int64_t nearest = steps > 0 ? NEAREST_STEPS - 1 : 1 - NEAREST_STEPS;
  int64_t rest = code_signed(learned->models + FAR_MODELS, learned->rates, coder, steps - nearest, reading);
  return rest + (rest > 0 ? NEAREST_STEPS - 1 : 1 - NEAREST_STEPS);
}

/* Whether all is 0 around a number. */
ALWAYS_INLINE int is_calm(const int32_t *number, int64_t stride) {
  const int32_t *up = number - stride;
  return (number[-1] | number[-2] | up[-1] | up[0] | up[1] | up[2]) == 0;
}

/* Codes a number in a calm place, where it hardly ever is other than 0, or reads it. */
ALWAYS_INLINE int64_t code_calm(const Acquired *learned, RangeCoder *coder, int64_t context, int64_t number,
                                int reading) {
  if (!code_bit(learned->models + CALM_MODELS + context, learned->rates, coder, number != 0, reading)) return 0;
  return within(code_signed(learned->models + CALM_FAR_MODELS, learned->rates, coder, number, reading), -LARGEST,
                LARGEST);
}

/* Codes a number around its expected value in 1/16, chosen for one that is wanted, or reads it; returns it.
 *
 * Its distance from the nearest whole number is counted in steps that suit the width; from 7 below to 7 above,
 * these are symbols. Sides are exchanged where the expected value is below the nearest number. */
ALWAYS_INLINE int64_t code_number_around(double wanted, double price, Choose *choose, int64_t center,
                                         const int32_t *number, int64_t stride, const Surroundings *at,
                                         const Acquired *learned, RangeCoder *coder) {
  const int reading = !choose;
  int64_t nearest = (center + 8) >> FRACTION_BITS, beyond = center - nearest * (1 << FRACTION_BITS);
  int64_t turn = (beyond >> 63) | 1;
  int shift = (int)(most(at->size - SMALLEST, 0) >> 3);
  int64_t half = (INT64_C(1) << shift) >> 1, distance = 0;
  uint16_t *mixed[MIXED];
  find_distributions(learned, at, number, stride, nearest, turn * beyond, turn, mixed);
  int32_t *weights = learned->weights + 4 * (at->size / 3);
  if (!reading) {
    Prospect prospect = {center, nearest, turn, half, shift, 0, {0}};
    Chances sums[2] = {{0}};
    if (price > 0) mix(mixed, weights, sums);
    memcpy(prospect.before, sums, sizeof sums);
    distance = turn * (within(choose(wanted, &prospect, price), -LARGEST, LARGEST) - nearest) + half;
  }
  int64_t steps = distance >> shift;
  int symbol = (int)(magnitude_of(steps) < NEAREST_STEPS ? steps + NEAREST_STEPS - 1 : SYMBOLS - 1);
  symbol = code_symbol(mixed, weights, learned->keeps, coder, symbol, reading);
  steps = LIKELY(symbol < SYMBOLS - 1) ? symbol + 1 - NEAREST_STEPS : code_far(learned, coder, steps, reading);
  if (shift > 0) {
    uint32_t *model = learned->models + SYMBOLS * ((at->size - SMALLEST) & 7) + symbol;
    int bit = range_code_fair(coder, chance_of(*model, 64), (int)(distance >> (shift - 1)) & 1, reading);
    *model = taught(*model, bit, learned->rates, BIT_LIMIT);
    steps = 2 * steps + bit;
    steps = steps * (INT64_C(1) << (shift - 1)) + code_digits(coder, distance, shift - 1, reading);
  }
  return within(nearest + turn * (steps - half), -LARGEST, LARGEST);
}

/* What planes are: lines and columns; where there are numbers, or NULL if in the first so many places; by how
 * many of the very first planes, and of those directly before, a plane is predicted; how many planes there
 * are. */
typedef struct {
  int64_t lines, columns;
  const uint8_t *mask;
  int64_t mask_apart; /* from line to line */
  int64_t numbers, first, last, count;
} Layout;

/* Whether equations learn from a line. */
ALWAYS_INLINE int is_learned(int64_t row, int seldom) { return !seldom || row < EARLY || row % SELDOM == 0; }

/* Codes a plane, or reads it if nobody chooses. Without inputs it is plain: nothing is predicted. Equations may learn
 * seldom.
 *
 * All places lie in the planes, which have a border of BORDER, and whatever is read is at most LARGEST in
 * magnitude; so differences stay below 2^27, and what is expected below 2^59. */
ALWAYS_INLINE void code_strips(int64_t plane, const double *wanted, const Layout *layout, KnownPlanes known,
                               Equations fit, Acquired learned, int seldom, double price, RangeCoder *state,
                               Choose *choose) {
  const int reading = choose == NULL;
  const int64_t columns = layout->columns;
  const uint8_t *mask = layout->mask;
  RangeCoder coder = *state;
  int64_t in_line = (columns + STRIP - 1) / STRIP, stride = known.stride;
  int n = (int)fit.inputs, rows = 4 * blocks_of(&fit);
  /* Scaled together, for numbers that were just stored cannot be loaded four at a time. */
  int32_t inputs[STRIP][ROWS] = {{0}};
  for (int64_t index = 0; index < layout->lines * in_line; index++) {
    int64_t row = index / in_line, first = index % in_line * STRIP, strip = index % in_line % STRIPS;
    int64_t count = least(STRIP, columns - first), line = plane * known.area + (row + BORDER) * stride;
    const int32_t *weights = fit.weights + strip * n;
    int64_t surprises[STRIP], totals[STRIP];
    const int32_t *numbers[STRIP];
    int32_t *errors = known.errors + (row + BORDER) * stride;
    int32_t above[STRIP], before[STRIP];
    int16_t seen[STRIP + 1][ROWS];
    int n_seen = 0, is_ready = 0;
    if (first == 0) {
      begin_line(known.planes + line, stride);
      begin_line(errors, stride);
    }
    find_errors(&known, (row + BORDER) * stride + first + BORDER, above, before);
    if (first + count < columns) {
      /* More planes than the machine follows by itself: the next strip will need 128 bytes of each. */
      for (int64_t i = 0; i < fit.others; i++) {
        const int32_t *next = known.planes + line + first + count + BORDER + fit.places[i];
        __builtin_prefetch(next);
        __builtin_prefetch(next + least(STRIP, columns - first - count) - 1);
      }
    }
    for (int64_t inside = 0; inside < count; inside++) {
      int64_t here = line + first + inside + BORDER, cell = row * columns + first + inside;
      int32_t *number = known.planes + here, *error = errors + first + inside + BORDER;
      if (!mask[row * layout->mask_apart + first + inside]) {
        number[0] = number[-1];
        error[0] = error[-1];
        continue;
      }
      if (is_calm(number, stride)) {
        const int64_t context = calm_context(number, stride, before[inside]);
        const Prospect prospect = {.calm = (int)chance_of(learned.models[CALM_MODELS + context], 64)};
        int64_t goal = reading ? 0 : choose(wanted[cell], &prospect, price);
        int64_t found = code_calm(&learned, &coder, context, goal, reading);
        number[0] = (int32_t)found;
        error[0] = (int32_t)least(magnitude_of(found * (1 << FRACTION_BITS)), FARTHEST);
        continue;
      }
      int64_t raw = 0;
      if (n > 0) {
        if (!is_ready) {
          if (is_learned(row - 1, seldom)) solve(&fit, strip, seldom ? 1 : SWEEPS);
          expect_by_others(&fit, weights, known.planes + line + first + BORDER, stride, totals);
        }
        is_ready = 1;
        const int32_t base = middle(number, stride);
        raw = (totals[inside] + expected_by_own(weights, number, stride, base) + (1 << 11)) >> 12;
        raw += (int64_t)base * (1 << FRACTION_BITS);
      }
      Surroundings at = look_around(number, stride, above[inside] + 2 * error[-1] + error[-2], before[inside], &learned);
      int64_t center = within(raw + at.bias[2], -16 * LARGEST, 16 * LARGEST);
      double goal = reading ? 0 : wanted[cell];
      int64_t found = code_number_around(goal, price, choose, center, number, stride, &at, &learned, &coder);
      int64_t exact = found * (1 << FRACTION_BITS), wrong = least(magnitude_of(exact - center), FARTHEST);
      number[0] = (int32_t)found;
      error[0] = (int32_t)wrong;
      /* Surprises teach less: edges would rule the equations. */
      numbers[n_seen] = number;
      surprises[n_seen++] = (at.width[0] >> 6) + (wrong >> 1);
      learn_width(at.width, learned.rates, wrong);
      learn_bias(at.bias, exact - raw);
      at.width[2] = (int32_t)fine(at.width[0] >> 6);
      at.bias[2] = (int32_t)(((int64_t)at.bias[0] * learned.rates[at.bias[1] + 3]) >> 16);
    }
    if (n > 0 && is_learned(row, seldom)) {
      for (int i = 0; i < n_seen; i++) find_inputs(&fit, numbers[i], stride, inputs[i]);
      for (int i = 0; i < n_seen; i++) scale(inputs[i], rows, fine(surprises[i]), seen[i]);
      memset(seen[n_seen], 0, sizeof seen[0]);
      accumulate(&fit, strip, seen, n_seen + 1, seldom ? SELDOM_FORGET : FORGET);
    }
    if (first + count == columns) {
      end_line(known.planes + line, columns);
      end_line(errors, columns);
    }
  }
  *state = coder;
}

#endif
