/* Writing planes of many bands; the encoder's alone, for it calls exp and log2 of the C library. */
#include <math.h>

#include "planes.h"

/* Bits that a number costs, by the place of its first edge in widths of 1/16. */
static double bits_of(double edge, double width) {
  double center = fabs(edge + 8) / width, first = center - 8 / width, second = center + 8 / width;
  double share = 1 / (1 + exp(first < 60.0 ? first : 60.0)) - 1 / (1 + exp(second < 60.0 ? second : 60.0));
  return -log2(share * 0.998 + 1e-6);
}

/* In calm places numbers other than 0 are as dear as with such a width. */
#define CALM_WIDTH 2.4

/* The whole number that costs the least: squared error plus the price of its bits. Looked at are the nearest, and
 * the next one towards what is expected; components that are left out, or that an image does not have, stay so.
 * Where all is as expected, anything else would seem dearer and dearer: widths are an eighth at least. */
static int64_t choose(double wanted, int64_t center, int64_t size, double price) {
  const double far = 1 << 26;
  int64_t nearest = (int64_t)floor(fmin(fmax(wanted, -far), far) + 0.5);
  if (price <= 0 || fabs(wanted) < 0x1p-10 || magnitude_of(16 * nearest - center) <= 8) return nearest;
  int64_t other = (double)center < 16 * wanted ? nearest - 1 : nearest + 1;
  double width = size < 0 ? CALM_WIDTH : fmax(exp2((double)size / 8), 2.0), lost = wanted - (double)nearest, more = wanted - (double)other;
  /* The other one saves less than 16 / ln 2 bits a width. */
  if (price * 23.1 < (more * more - lost * lost) * width) return nearest;
  double cost = lost * lost + price * bits_of((double)(16 * nearest - 8 - center), width);
  double less = more * more + price * bits_of((double)(16 * other - 8 - center), width);
  return less < cost ? other : nearest;
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
  const int32_t *line = code_plane(planes, wanted, price, coder, choose);
  for (int64_t i = 0; i < layout->lines * layout->columns; i++) {
    numbers[i] = layout->mask[i] ? line[i / layout->columns * planes->known.stride + i % layout->columns] : 0;
  }
}
