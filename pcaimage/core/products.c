#include "products.h"

#include "wide.h"

#define REAL float
#define NAME(x) x##_floats_narrow
#define BYTES 16
#define TARGET
#include "products_tpl.h"
#if defined(PCAI_WIDE)
#define NAME(x) x##_floats_wide
#define BYTES 32
#define TARGET WIDE
#include "products_tpl.h"
#endif
#undef REAL

#define REAL double
#define NAME(x) x##_doubles_narrow
#define BYTES 16
#define TARGET
#include "products_tpl.h"
#if defined(PCAI_WIDE)
#define NAME(x) x##_doubles_wide
#define BYTES 32
#define TARGET WIDE
#include "products_tpl.h"
#endif

void sum_floats(const float *const *lines, int count, const float *weights, int sums, int64_t numbers, float *to,
                int64_t apart) {
  BY_WIDTH(sum_floats, lines, count, weights, sums, numbers, to, apart);
}

void sum_doubles(const double *const *lines, int count, const double *weights, int sums, int64_t numbers,
                 double *to, int64_t apart) {
  BY_WIDTH(sum_doubles, lines, count, weights, sums, numbers, to, apart);
}
