/* From pixels to scores: for the encoder, and for what a screen shows of an image that is no file yet.
 *
 * Images of 8 bits are analysed in float, those of 16 in double. Nothing here need be exact, but encoders
 * write the same bytes everywhere, because sums have one order and no products are fused with them.
 */
#include "products.h"
#include "wide.h"

#define MOST_CHANNELS 4

typedef struct {
  /* Shapes (C, C), (C,), (3, 16, 8) and (3, 16, 8). */
  const double *rotation;
  const double *offset;
  const double *vertical;
  const double *horizontal;
  double factor;
  double limit;
  int64_t height;
  int64_t width;
  int64_t channels;
} Analysis;
SHARED(Analysis);

/* Blocks of a row whose numbers are worked on at once: they stay in the cache; and the groups on both sides. */
#define FORWARD_TILE 32
#define FORWARD_WIDTH (FORWARD_TILE + 1)

#define REAL float
#define PIXEL uint8_t
#define WHOLE int16_t
#define FORWARD_SHIFT 12582912.0f
#define NAME(x) x##_floats
#include "forward_tpl.h"

#define REAL double
#define PIXEL uint16_t
#define WHOLE int32_t
#define FORWARD_SHIFT 6755399441055744.0
#define NAME(x) x##_doubles
#include "forward_tpl.h"

/* Scores of the rows of blocks from `start` to `stop` of an image of 8 bits, or of 16 if it is `wide`. `planes` have
 * shape (C*64, held, columns), and are floats, or whole numbers of 16 or 32 bits; the first of these rows is put
 * at row `top`. */
API void pcai_analyse(const Analysis *a, const uint8_t *image, int64_t wide, int64_t start, int64_t stop,
                      int64_t held, int64_t top, uint8_t *planes, int64_t whole) {
  if (wide) {
    analyse_doubles(a, (const uint16_t *)(const void *)image, start, stop, planes, held, top, (int)whole);
  } else {
    analyse_floats(a, image, start, stop, planes, held, top, (int)whole);
  }
}
