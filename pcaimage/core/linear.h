/* The linear method: blocks, bands and stacks (format.md, sections 4 to 6). */
#ifndef PCAI_LINEAR_H
#define PCAI_LINEAR_H

#include "direct.h"
#include "planes.h"

/* Numbers of 32 bits, or of 16 if they fit; NULL before they are decoded. */
typedef struct {
  void *at;
  int64_t wide;
} Numbers;

ALWAYS_INLINE int32_t number_at(const Numbers *numbers, int64_t index) {
  return numbers->wide ? ((const int32_t *)numbers->at)[index] : ((const int16_t *)numbers->at)[index];
}

/* A slice of the vectors, or of the scores: its lines and columns, in those of a sample or of a plane of scores. */
typedef struct {
  int64_t start, stop, left, right;
  int64_t done; /* components that are decoded; -1 if nothing is */
  Numbers
      *numbers; /* of each component: of vectors channel by channel at each place, as features are numbered */
  Numbers mean, scale;
  /* While it is decoded. */
  Planes *planes;
  Joined stream;
} Part;

/* Where nothing was measured (section 5.7). */
typedef struct {
  double value;
  uint8_t *measured; /* whether each pixel was, in any band; NULL if all were, everywhere */
  uint8_t *gone;     /* a bit for each sample, band by band; NULL if all bands have the same */
} Missing;

typedef struct {
  CurveTables curves;
  int64_t vectors, scores; /* parts: those of vectors come first */
  int64_t across;          /* slices of scores beside each other */
  Part *parts;
  int64_t shape[3]; /* of a component's vector: lines, columns, planes */
  int64_t features, plane[2];
  Missing missing;
  Shapes *shapes; /* if numbers are coded directly */
  /* The largest magnitudes that were found: of each component's scores and entries, of mean and deviations.
   */
  int32_t *largest_scores, *largest_entries, largest_mean, largest_scale;
} Linear;

/* The values in their unit: how they are rounded, and what they become. */
typedef struct {
  double lowest, highest, unit; /* 2^-V */
  int64_t type;
} Values;

Values values_of(const Header *header);

/* Writes whole numbers of the unit as values of the type; reads one. */
ALWAYS_INLINE void put_values(const Values *values, const int32_t *whole, int64_t count, uint8_t *to) {
  if (values->type == PCAI_U8) {
    uint8_t *restrict bytes = to;
    for (int64_t i = 0; i < count; i++) bytes[i] = (uint8_t)whole[i];
  } else if (values->type == PCAI_F32) {
    for (int64_t i = 0; i < count; i++) {
      float value = (float)(whole[i] * values->unit);
      memcpy(to + 4 * i, &value, sizeof value);
    }
  } else {
    for (int64_t i = 0; i < count; i++) {
      uint16_t value = (uint16_t)whole[i];
      memcpy(to + 2 * i, &value, sizeof value);
    }
  }
}

ALWAYS_INLINE int64_t whole_at(const Values *values, const uint8_t *lines, int64_t index) {
  uint16_t half;
  float real;
  if (values->type == PCAI_U8) return lines[index];
  if (values->type == PCAI_F32) {
    memcpy(&real, lines + 4 * index, sizeof real);
    double whole = (double)real / values->unit;
    return whole >= values->lowest && whole <= values->highest ? (int64_t)whole : 0;
  }
  memcpy(&half, lines + 2 * index, sizeof half);
  return values->type == PCAI_I16 ? (int16_t)half : half;
}

/* Reads the masks of missing data; returns a fault. */
int read_missing(const pcai *file, Missing *missing);
int64_t missing_size(const pcai *file);

/* Whether a sample is missing. */
ALWAYS_INLINE int is_missing(const Missing *missing, int64_t pixels, int64_t pixel, int64_t band) {
  if (!missing->measured) return 0;
  if (!missing->gone) return !missing->measured[pixel];
  int64_t bit = band * pixels + pixel;
  return missing->gone[bit >> 3] >> (7 - (bit & 7)) & 1;
}

/* Writes the value of missing data as one of the type. */
void put_missing(const Missing *missing, const Values *values, uint8_t *lines, int64_t index);

/* Sets where a slice that begins at a place has numbers. */
void mask_slice(const Linear *own, int64_t line, int64_t column, Layout *layout);

/* Whether sums of the first k components are exact as far as is known (section 6). */
int sums_are_exact(const pcai *file, int64_t k);

/* What linear_lines.c does for the method, and what memory it takes for so many components. */
int linear_lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                 int64_t apart);
int64_t terms_size(int64_t k);

/* What corrections.c does for it: whether they are coded directly, too. */
int is_direct(const pcai *file);
int64_t corrections_of(const Header *header);
int64_t corrections_size(const pcai *file);
int correct_lines(const pcai *file, int64_t part, int64_t start, int64_t stop, uint8_t *lines, int64_t apart);

/* Puts the value of missing data where a line has none. */
void put_missing_of_line(const pcai *file, int64_t line, uint8_t *to);

/* What reading a slice that is coded directly takes. */
int64_t direct_memory(const Layout *layout);

/* Reads a slice that is coded directly, in steps, and puts its values into lines, of its width. */
int direct_slice(const pcai *file, Bytes stream, const Layout *layout, int64_t step, uint8_t *lines, int64_t apart);

#endif
