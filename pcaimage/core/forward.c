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
SHARED(Analysis);

#define REAL float
#define PIXEL uint8_t
#define WHOLE int16_t
#define FORWARD_SHIFT 12582912.0f
#define NAME(x) x##_floats
#define VECTOR Floats
#define LANES FLOAT_LANES
#define TARGET
#include "forward_tpl.h"
#if defined(PCAI_WIDE)
#define NAME(x) x##_wide_floats
#define VECTOR WideFloats
#define LANES (2 * FLOAT_LANES)
#define TARGET WIDE
#include "forward_tpl.h"
#endif
#undef REAL
#undef PIXEL
#undef WHOLE
#undef FORWARD_SHIFT

#define REAL double
#define PIXEL uint16_t
#define WHOLE int32_t
#define FORWARD_SHIFT 6755399441055744.0
#define NAME(x) x##_doubles
#define VECTOR Doubles
#define LANES DOUBLE_LANES
#define TARGET
#include "forward_tpl.h"
#if defined(PCAI_WIDE)
#define NAME(x) x##_wide_doubles
#define VECTOR WideDoubles
#define LANES (2 * DOUBLE_LANES)
#define TARGET WIDE
#include "forward_tpl.h"
#endif

/* The same in vectors as wide as the processor has. */
#if defined(PCAI_WIDE)
#define CALL(name, type, ...) (has_wide() ? name##_wide_##type(__VA_ARGS__) : name##_##type(__VA_ARGS__))
#else
#define CALL(name, type, ...) name##_##type(__VA_ARGS__)
#endif

/* Scores of the rows of blocks from `start` to `stop`. `planes` have shape (C*64, held, columns); the first
 * of these rows is put at row `top`. */
API void pcai_analyse_8(const Analysis *a, const uint8_t *image, int64_t start, int64_t stop, int64_t held,
                        int64_t top, float *planes) {
  CALL(analyse_exact, floats, a, image, start, stop, planes, held, top);
}

API void pcai_analyse_16(const Analysis *a, const uint16_t *image, int64_t start, int64_t stop, int64_t held,
                         int64_t top, float *planes) {
  CALL(analyse_exact, doubles, a, image, start, stop, planes, held, top);
}

/* The same in whole numbers. */
API void pcai_analyse_8_whole(const Analysis *a, const uint8_t *image, int64_t start, int64_t stop,
                              int64_t held, int64_t top, int16_t *planes) {
  CALL(analyse_whole, floats, a, image, start, stop, planes, held, top);
}

API void pcai_analyse_16_whole(const Analysis *a, const uint16_t *image, int64_t start, int64_t stop,
                               int64_t held, int64_t top, int32_t *planes) {
  CALL(analyse_whole, doubles, a, image, start, stop, planes, held, top);
}
