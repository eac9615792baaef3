/* Planes of many bands, number by number: what is expected of a number, how wrong that may be, and which
 * symbol it is.
 *
 * How far a number is from the middle of its neighbours is predicted by a weighted sum of how far others are
 * around it, and of how far other planes are from theirs at its place: planes are uncorrelated over the whole
 * image, but not over a field or a lake. */
#ifndef PCAI_BANDS_H
#define PCAI_BANDS_H

#include "bands_around.h"
#include "strips.h"

/* Numbers are bounded by it. */
#define LARGEST (1 << 25)

/* Steps from the nearest number to what is far away. */
#define NEAREST_STEPS 8

/* The largest count of models of bits. */
#define BIT_LIMIT 127

/* Chooses the whole number to write for one that is wanted, given what is expected in 1/16, the level of the
 * width, or -1 in a calm place, and the price of a bit; the encoder alone has one. */
typedef int64_t Choose(double wanted, int64_t center, int64_t size, double price);

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
    found = 2 * found + range_code_evenly(coder, ONE / 2, (int)(value >> place) & 1, reading);
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

/* Codes a number around its expected value in 1/16, or reads it; returns it.
 *
 * Its distance from the nearest whole number is counted in steps that suit the width; from 7 below to 7 above,
 * these are symbols. Sides are exchanged where the expected value is below the nearest number. */
ALWAYS_INLINE int64_t code_number_around(int64_t value, int64_t center, const int32_t *number, int64_t stride,
                                         const Surroundings *at, const Acquired *learned,
                                         RangeCoder *coder, int reading) {
  int64_t nearest = (center + 8) >> FRACTION_BITS, beyond = center - nearest * (1 << FRACTION_BITS);
  int64_t turn = (beyond >> 63) | 1;
  int shift = (int)(most(at->size - SMALLEST, 0) >> 3);
  int64_t half = (INT64_C(1) << shift) >> 1, distance = turn * (value - nearest) + half;
  int64_t steps = distance >> shift;
  uint16_t *mixed[MIXED];
  find_distributions(learned, at, number, stride, nearest, turn * beyond, turn, mixed);
  uint16_t *weights = learned->weights + 4 * (at->size / 3);
  int symbol = (int)(magnitude_of(steps) < NEAREST_STEPS ? steps + NEAREST_STEPS - 1 : SYMBOLS - 1);
  symbol = code_symbol(mixed, weights, learned->rates, coder, symbol, reading);
  steps = LIKELY(symbol < SYMBOLS - 1) ? symbol + 1 - NEAREST_STEPS : code_far(learned, coder, steps, reading);
  if (shift > 0) {
    uint32_t *model = learned->models + SYMBOLS * ((at->size - SMALLEST) & 7) + symbol;
    int bit = (int)(distance >> (shift - 1)) & 1;
    bit = range_code_evenly(coder, chance_of(*model, 64), bit, reading);
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

/* Codes a plane, or reads it if nobody chooses.
 *
 * All places lie in the planes, which have a border of BORDER, and whatever is read is at most LARGEST in
 * magnitude; so differences stay below 2^27, and what is expected below 2^59. */
ALWAYS_INLINE void code_strips(int64_t plane, const double *wanted, const Layout *layout, KnownPlanes known,
                               Equations fit, Acquired learned, double price, RangeCoder *state, Choose *choose) {
  const int reading = !choose;
  const int64_t columns = layout->columns;
  RangeCoder coder = *state;
  int64_t in_line = (columns + STRIP - 1) / STRIP, stride = known.stride;
  Strip ahead = {0};
  for (int64_t index = 0; index < layout->lines * in_line; index++) {
    int64_t row = index / in_line, first = index % in_line * STRIP, strip = index % in_line % STRIPS;
    int64_t count = least(STRIP, columns - first), line = plane * known.area + (row + BORDER) * stride;
    int64_t begin = (row + BORDER) * stride + first + BORDER;
    const int32_t *weights = fit.weights + strip * fit.inputs;
    int32_t *errors = known.errors + (row + BORDER) * stride;
    int is_prepared = 0;
    if (first == 0) {
      begin_line(known.planes + line, stride);
      begin_line(errors, stride);
    }
    for (int64_t inside = 0; inside < count; inside++) {
      int64_t here = line + first + inside + BORDER, cell = row * columns + first + inside;
      int32_t *number = known.planes + here, *error = errors + first + inside + BORDER;
      if (!layout->mask[row * layout->mask_apart + first + inside]) {
        number[0] = number[-1];
        error[0] = error[-1];
        continue;
      }
      if (is_calm(number, stride)) {
        int64_t goal = reading ? 0 : choose(wanted[cell], 0, -1, price);
        int64_t found = code_calm(&learned, &coder, calm_context(&known, number, here - plane * known.area), goal, reading);
        number[0] = (int32_t)found;
        error[0] = (int32_t)least(magnitude_of(found * (1 << FRACTION_BITS)), FARTHEST);
        continue;
      }
      if (!is_prepared) prepare_strip(&fit, strip, known.planes + plane * known.area + begin, known.errors + begin, known.activity + begin, stride, &ahead);
      is_prepared = 1;
      int32_t middle = (number[-1] + number[-stride]) >> 1;
      int64_t raw = (int64_t)middle * (1 << FRACTION_BITS);
      raw += (expected(weights, number, middle, ahead.ahead[inside]) + (1 << 11)) >> 12;
      Surroundings at = look_around(ahead.own[inside] + 2 * error[-1] + error[-2], ahead.before[inside], number, stride, &learned);
      int64_t center = raw + (((int64_t)at.bias[0] * learned.rates[at.bias[1] + 3]) >> 16);
      center = within(center, -16 * LARGEST, 16 * LARGEST);
      int64_t goal = reading ? 0 : within(choose(wanted[cell], center, at.size, price), -LARGEST, LARGEST);
      int64_t found = code_number_around(goal, center, number, stride, &at, &learned, &coder, reading);
      int64_t exact = found * (1 << FRACTION_BITS), wrong = least(magnitude_of(exact - center), FARTHEST);
      number[0] = (int32_t)found;
      error[0] = (int32_t)wrong;
      /* Surprises teach less: edges would rule the equations. */
      set_scale(&ahead, inside, fine((at.width[0] >> 6) + (wrong >> 1)));
      learn_width(at.width, learned.rates, wrong);
      learn_bias(at.bias, exact - raw);
    }
    if (is_prepared) learn_strip(&fit, strip, known.planes + plane * known.area + begin, stride, &ahead);
    else forget(&fit, strip, FORGET);
    if (first + count == columns) {
      end_line(known.planes + line, columns);
      end_line(errors, columns);
    }
  }
  *state = coder;
}

#endif
