/* Scores of samples on a few components, and samples of a few scores, which the encoder compares with the original:
 * products of matrices, for which BLAS would need copies in double precision.
 *
 * Sums have the same order on every machine; those of samples are of whole numbers, and exact. */
#include "file.h"
#include "wide.h"

/* Numbers of a vector, components and vectors at once; rows are filled up to multiples of LANES * VECTORS. */
enum { LANES = 4, ROWS = 8, VECTORS = 4, MOST_TERMS = 64 };

typedef double Four __attribute__((vector_size(32)));

/* Samples in lines of pixels: bytes from one line, pixel and band to the next. */
typedef struct {
  const uint8_t *values;
  int64_t type, next_line, next_pixel, next_band, columns, bands;
} Samples;

/* Converts values of a type, `next` bytes from each other. */
#define CONVERT(TYPE)                                   \
  for (int64_t i = 0; i < count; i++, from += next) {   \
    TYPE value;                                         \
    memcpy(&value, from, sizeof value);                 \
    to[i] = value;                                      \
  }

ALWAYS_INLINE void convert(const uint8_t *from, int64_t next, int64_t type, int64_t count, double *restrict to) {
  if (type == PCAI_U8) CONVERT(uint8_t)
  else if (type == PCAI_U16) CONVERT(uint16_t)
  else if (type == PCAI_I16) CONVERT(int16_t)
  else CONVERT(float)
}

/* The numbers of a sample; neighbours in memory are converted several at once. */
ALWAYS_INLINE void load_sample(const Samples *from, int64_t index, double *to) {
  const int64_t next = from->next_band, line = index / from->columns, pixel = index % from->columns;
  const uint8_t *at = from->values + line * from->next_line + pixel * from->next_pixel;
  if (from->type == PCAI_U16 && next == 2) convert(at, 2, PCAI_U16, from->bands, to);
  else convert(at, next, from->type, from->bands, to);
}

ALWAYS_INLINE void project_all(const Samples *from, int64_t count, const double *rows, int64_t n_rows, int64_t length,
                               double *sample, double *to) {
  for (int64_t i = 0; i < count; i++) {
    load_sample(from, i, sample);
    for (int64_t j = 0; j < n_rows; j += ROWS) {
      Four totals[ROWS] = {{0}}, numbers, row;
      for (int64_t b = 0; b < length; b += LANES) {
        memcpy(&numbers, sample + b, sizeof numbers);
        WRITTEN_OUT for (int r = 0; r < ROWS; r++) {
          memcpy(&row, rows + (j + r) * length + b, sizeof row);
          totals[r] += numbers * row;
        }
      }
      for (int r = 0; r < ROWS; r++) {
        to[(j + r) * count + i] = (totals[r][0] + totals[r][1]) + (totals[r][2] + totals[r][3]);
      }
    }
  }
}

EITHER_WIDTH(static, project, project_all,
             (const Samples *from, int64_t count, const double *rows, int64_t n_rows, int64_t length, double *sample,
              double *to),
             (from, count, rows, n_rows, length, sample, to))

/* Projects samples on rows, whose number is a multiple of ROWS, to planes. The room of a row is of zeros. */
API void pcai_project(const uint8_t *values, int64_t type, int64_t next_line, int64_t next_pixel, int64_t next_band,
                      int64_t columns, int64_t bands, int64_t count, const double *rows, int64_t n_rows,
                      int64_t length, double *room, double *to) {
  const Samples from = {values, type, next_line, next_pixel, next_band, columns, bands};
  project(&from, count, rows, n_rows, length, room, to);
}

/* Adds up a sample: rows as often as their scores say, to what was there before. */
ALWAYS_INLINE void add_terms(const double *from, const double *const *rows, const double *scores, int count,
                             int64_t length, double *to) {
  for (int64_t i = 0; i < length; i += LANES * VECTORS) {
    Four sums[VECTORS], row;
    WRITTEN_OUT for (int v = 0; v < VECTORS; v++) memcpy(sums + v, from + i + v * LANES, sizeof row);
    for (int j = 0; j < count; j++) {
      WRITTEN_OUT for (int v = 0; v < VECTORS; v++) {
        memcpy(&row, rows[j] + i + v * LANES, sizeof row);
        sums[v] += scores[j] * row;
      }
    }
    WRITTEN_OUT for (int v = 0; v < VECTORS; v++) memcpy(to + i + v * LANES, sums + v, sizeof row);
  }
}

/* Whole scores of so many samples and components, and terms of these: rows of `length`, before them what all samples
 * have. Bounds of samples are whole. */
typedef struct {
  const int32_t *scores;
  int64_t count, k, length;
  const double *terms;
  double low, high;
} Made;

/* Makes a sample, rounded down. */
ALWAYS_INLINE void make_sample(const Made *made, int64_t index, double *restrict to) {
  const double *rows[MOST_TERMS], *from = made->terms, low = made->low, high = made->high;
  double scores[MOST_TERMS];
  int count = 0;
  for (int64_t j = 0; j < made->k; j++) {
    const int32_t score = made->scores[j * made->count + index];
    rows[count] = made->terms + (j + 1) * made->length;
    scores[count] = score;
    count += score != 0;
    if (count == MOST_TERMS) add_terms(from, rows, scores, count, made->length, to), from = to, count = 0;
  }
  add_terms(from, rows, scores, count, made->length, to);
  for (int64_t b = 0; b < made->length; b++) {
    double value = to[b] > low ? to[b] : low;
    value = value < high ? value : high;
    const double cut = (int32_t)value;
    to[b] = cut > value ? cut - 1 : cut;
  }
}

/* Makes samples, or adds up squared differences from others, of at most sixteen bits. */
ALWAYS_INLINE void make_all(const Made *made, const Samples *with, double *room, int32_t *to, double *squares) {
  Four total = {0}, one, other;
  for (int64_t i = 0; i < made->count; i++) {
    make_sample(made, i, room);
    for (int64_t b = 0; !with->values && b < with->bands; b++) *to++ = (int32_t)room[b];
    if (with->values) load_sample(with, i, room + made->length);
    for (int64_t b = 0; with->values && b < made->length; b += LANES) {
      memcpy(&one, room + b, sizeof one);
      memcpy(&other, room + made->length + b, sizeof other);
      total += (one - other) * (one - other);
    }
  }
  *squares = (total[0] + total[1]) + (total[2] + total[3]);
}

EITHER_WIDTH(static, make, make_all,
             (const Made *made, const Samples *with, double *room, int32_t *to, double *squares),
             (made, with, room, to, squares))

/* Makes samples in a room of two rows of zeros, or, if there are others, returns the squared differences from these. */
API double pcai_make_samples(const int32_t *scores, int64_t count, int64_t k, const double *terms, int64_t length,
                             double low, double high, double *room, int32_t *to, int64_t bands, const uint8_t *others,
                             int64_t type, int64_t next_line, int64_t next_pixel, int64_t next_band, int64_t columns) {
  const Made made = {scores, count, k, length, terms, low, high};
  const Samples with = {others, type, next_line, next_pixel, next_band, columns, bands};
  double squares;
  make(&made, &with, room, to, &squares);
  return squares;
}
