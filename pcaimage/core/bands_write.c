/* Writing planes of many bands; the encoder's alone, for it calls floor and log2 of the C library. */
#include <math.h>

#include "planes.h"

/* How many bits less the next smaller number costs in a calm place: beyond whether it is 0, a sign, or its digits. */
static double calm_bits(int64_t size, int chance) {
  if (size == 1) return log2((double)(ONE - chance) / chance) + 1;
  return (size & (size - 1)) == 0 ? 2 : 0;
}

/* The whole number that costs the least: squared error plus the price of its bits. Looked at are the nearest, and
 * the next one towards what is expected; components that are left out, or that an image does not have, stay so. */
static int64_t choose(double wanted, const Prospect *prospect, double price) {
  const double far = 1 << 26;
  const int64_t nearest = (int64_t)floor(fmin(fmax(wanted, -far), far) + 0.5);
  if (price <= 0 || fabs(wanted) < 0x1p-10 || magnitude_of(16 * nearest - prospect->center) <= 8) return nearest;
  const int64_t other = (double)prospect->center < 16 * wanted ? nearest - 1 : nearest + 1;
  const double lost = wanted - (double)nearest, more = wanted - (double)other;
  double saved = 0;
  if (prospect->calm > 0) {
    saved = calm_bits(magnitude_of(nearest), prospect->calm);
  } else {
    const int64_t steps[2] = {nearest, other};
    double chances[2];
    for (int i = 0; i < 2; i++) {
      int64_t found = (prospect->turn * (steps[i] - prospect->nearest) + prospect->half) >> prospect->shift;
      if (magnitude_of(found) >= NEAREST_STEPS) return nearest;
      const uint16_t *before = prospect->before + found + NEAREST_STEPS - 1;
      chances[i] = (uint16_t)(before[1] - before[0]);
    }
    saved = log2(chances[1] / chances[0]);
  }
  return more * more - lost * lost < price * saved ? other : nearest;
}

/* Of a plane that is about to be coded every fourth place is looked at, of lines one for so many numbers. */
enum { PLACES_APART = 4, NUMBERS_OF_LINE = 1 << 11 };

/* The squares that predicting must save, by each square of the number of inputs: weights that are learned from a few
 * lines are the farther from the best the more there are. */
#define SAVED 0.00034

/* Solves normal equations, whose last row is of what is predicted; returns the squares that are left. */
static double squares_left(double (*sums)[ROWS], int n) {
  for (int i = 0; i < n; i++) {
    const double pivot = sums[i][i] + 1e-9 * sums[n][n] + 1e-9;
    for (int j = i + 1; j <= n; j++) {
      for (int k = i + 1; k <= j; k++) sums[j][k] -= sums[j][i] / pivot * sums[k][i];
    }
  }
  return sums[n][n];
}

/* Whether predicting a plane is not worth it. Numbers count less where those around are large, as they are expected
 * there to be. */
static int is_plain(Planes *planes, const double *wanted) {
  const Layout *layout = &planes->layout;
  const Equations *fit = &planes->fit;
  const int64_t stride = planes->known.stride, columns = layout->columns;
  const int64_t apart = most(3, layout->lines * columns / NUMBERS_OF_LINE);
  const int n = (int)fit->inputs;
  int32_t *plane = planes->known.planes + planes->slot * planes->known.area + BORDER * stride + BORDER;
  double sums[ROWS][ROWS] = {{0}}, own = 0;
  for (int64_t row = 2; row < layout->lines; row += apart) {
    for (int64_t i = (row - 2) * columns; i < (row + 1) * columns; i++) {
      plane[i / columns * stride + i % columns] = (int32_t)floor(fmin(fmax(wanted[i], -LARGEST), LARGEST) + 0.5);
    }
    for (int64_t i = 2 + row % PLACES_APART; i + 1 < columns; i += PLACES_APART) {
      const int32_t *number = plane + row * stride + i;
      if (!layout->mask[row * layout->mask_apart + i] || is_calm(number, stride)) continue;
      int32_t inputs[ROWS] = {0};
      double found[ROWS], size = 1;
      find_inputs(fit, number, stride, inputs);
      for (int j = 0; j < ROWS; j++) found[j] = inputs[j];
      for (int j = 0; j < 2 + OWN_PLACES; j++) size += fabs(found[j]);
      size = 1 / (size * size);
      own += size * number[0] * number[0];
      for (int j = 0; j <= n; j++) {
        const double scaled = size * found[j];
        for (int k = 0; k <= j; k++) sums[j][k] += scaled * found[k];
      }
    }
  }
  return squares_left(sums, n) > (1 - SAVED * n * n) * own;
}

static Layout layout_of(int64_t lines, int64_t columns, int64_t first, int64_t last, int64_t count) {
  return (Layout){.lines = lines, .columns = columns, .numbers = lines * columns, .first = first, .last = last,
                  .count = count};
}

API int64_t pcai_planes_size(int64_t lines, int64_t columns, int64_t first, int64_t last, int64_t count) {
  const Layout layout = layout_of(lines, columns, first, last, count);
  return planes_size(&layout);
}

API void pcai_planes_begin(void *memory, const CurveTables *curves, int64_t lines, int64_t columns,
                           const uint8_t *mask, int64_t first, int64_t last, int64_t count) {
  Layout layout = layout_of(lines, columns, first, last, count);
  layout.mask = mask;
  layout.mask_apart = columns;
  planes_in(memory, &layout, curves);
}

/* Encodes the next plane, given the numbers that are wanted; those that are coded follow, 0 where there is none. */
API void pcai_planes_write(void *memory, RangeCoder *coder, const double *wanted, double price, int32_t *numbers) {
  Planes *planes = (Planes *)(void *)room_in(memory).memory;
  const Layout *layout = &planes->layout;
  begin_plane(planes);
  const int plain = is_of_bands(layout) && is_plain(planes, wanted);
  const int32_t *line = code_plane(planes, wanted, price, coder, plain, choose);
  for (int64_t i = 0, row = 0; row < layout->lines; row++, line += planes->known.stride) {
    for (int64_t j = 0; j < layout->columns; j++, i++) numbers[i] = layout->mask[i] ? line[j] : 0;
  }
}
