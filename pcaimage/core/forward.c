/* From pixels to scores: for the encoder, and for what a screen shows of an image that is no file yet.
 *
 * Images of 8 bits are analysed in float, those of 16 in double. Nothing here need be exact, but encoders
 * write the same bytes everywhere, because sums have one order and no products are fused with them.
 */
#include "lanes.h"

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

#define NAME(x) x##_floats
#define REAL float
#define VECTOR Floats
#define LANES FLOAT_LANES
#define WHOLE int16_t
#define SHIFT 12582912.0f
#include "forward.h"
#undef NAME
#undef REAL
#undef VECTOR
#undef LANES
#undef WHOLE
#undef SHIFT

#define NAME(x) x##_doubles
#define REAL double
#define VECTOR Doubles
#define LANES DOUBLE_LANES
#define WHOLE int32_t
#define SHIFT 6755399441055744.0
#include "forward.h"

/* Scores of the rows of blocks from `start` to `stop`. `planes` have shape (C*64, held, columns); the
 * first of
 * these rows is put at row `top`. */
API void pcai_analyse_8(const Analysis *a, const uint8_t *image, int64_t start, int64_t stop, int64_t held,
                        int64_t top, float *planes) {
  analyse_floats(a, image, 0, start, stop, planes, held, top, 0);
}

API void pcai_analyse_16(const Analysis *a, const uint16_t *image, int64_t start, int64_t stop, int64_t held,
                         int64_t top, float *planes) {
  analyse_doubles(a, image, 1, start, stop, planes, held, top, 0);
}

/* The same in whole numbers. */
API void pcai_analyse_8_whole(const Analysis *a, const uint8_t *image, int64_t start, int64_t stop,
                              int64_t held,
                              int64_t top, int16_t *planes) {
  analyse_floats(a, image, 0, start, stop, planes, held, top, 1);
}

API void pcai_analyse_16_whole(const Analysis *a, const uint16_t *image, int64_t start, int64_t stop,
                               int64_t held,
                               int64_t top, int32_t *planes) {
  analyse_doubles(a, image, 1, start, stop, planes, held, top, 1);
}
