/* Writing planes of many bands; the encoder's alone, for it calls exp and log2 of the C library. */
#include <math.h>

#include "bands.h"

/* 2^(level / 8) of each level of widths: powers of two times 2^(i / 8), rounded to the nearest double. */
static double width_of(int64_t level) {
  static const double eighths[8] = {0x1p+0,
                                    0x1.172b83c7d517bp+0,
                                    0x1.306fe0a31b715p+0,
                                    0x1.4bfdad5362a27p+0,
                                    0x1.6a09e667f3bcdp+0,
                                    0x1.8ace5422aa0dbp+0,
                                    0x1.ae89f995ad3adp+0,
                                    0x1.d5818dcfba487p+0};
  return eighths[level & 7] * (double)(INT64_C(1) << (level >> 3));
}

/* Bits that a number costs, by the place of its first edge in widths of 1/16. */
static double bits_of(double edge, double width) {
  double first = edge / width, second = (edge + 16.0) / width;
  if (first + second < 0) {
    double swapped = first;
    first = -second;
    second = -swapped;
  }
  double share = 1 / (1 + exp(first < 60.0 ? first : 60.0)) - 1 / (1 + exp(second < 60.0 ? second : 60.0));
  return -log2(share * 0.998 + 1e-6);
}

/* The whole number that costs the least: squared error plus the price of its bits. Looked at are the nearest,
 * and the next one towards what is expected. Where all is as expected, anything else would seem dearer and
 * dearer: widths are taken to be an eighth at least. */
static int64_t choose(double wanted, int64_t center, int64_t size, double price) {
  const double far = 1 << 26;
  double shifted = (wanted > -far ? wanted < far ? wanted : far : -far) + 0.5;
  int64_t nearest = (int64_t)shifted;
  nearest -= (double)nearest > shifted;
  if (price <= 0 || magnitude_of(16 * nearest - center) <= 8) return nearest;
  int64_t other = (double)center < 16 * wanted ? nearest - 1 : nearest + 1;
  double width = fmax(width_of(size), 2.0), lost = wanted - (double)nearest, more = wanted - (double)other;
  /* The other one saves less than 16 / ln 2 bits a width. */
  if (price * 23.1 < (more * more - lost * lost) * width) return nearest;
  double cost = lost * lost + price * bits_of((double)(16 * nearest - 8 - center), width);
  double less = more * more + price * bits_of((double)(16 * other - 8 - center), width);
  return less < cost ? other : nearest;
}

API void pcai_bands_write(int64_t plane, int64_t start, int64_t stop, const double *wanted,
                          const uint8_t *mask, int64_t columns, const KnownPlanes *known,
                          const Equations *fit, const Acquired *learned, double price, RangeCoder *coder) {
  code_strips(plane, start, stop, wanted, mask, columns, *known, *fit, *learned, price, coder, 0, choose);
}
