/* What the encoder and the window call of a photo's plan, slices and pictures. */
#include "picture.h"
#include "slice.h"

SHARED(PhotoPlan);
SHARED(Models);
SHARED(Picture);

/* Makes a plan without the tables of a grade, whose number is returned; if it cannot be made, a fault below
 * zero. The planes of components, their predictions and the factors of steps are copied from it, and whether
 * scores are wide. */
API int64_t pcai_make_plan(PhotoPlan *plan, const Header *header, const uint8_t *shared, int64_t size,
                           int64_t *planes, int32_t *prediction, int32_t *factors, int64_t *wide) {
  int fault = make_plan(plan, header, (Bytes){shared, size}, (Bytes){NULL, 0});
  if (fault) return -fault;
  memcpy(planes, plan->planes, (size_t)(64 * plan->channels) * sizeof *planes);
  memcpy(prediction, plan->prediction, (size_t)(8 * plan->components) * sizeof *prediction);
  memcpy(factors, plan->factors, (size_t)(64 * plan->channels * MOST_LEVELS) * sizeof *factors);
  *wide = plan->wide;
  return plan->grade;
}

/* Starts models from the tables of a grade; returns whether these are whole. */
API int64_t pcai_take_models(const PhotoPlan *plan, const uint8_t *grade, int64_t size, Models *models) {
  Tables tables;
  if (!find_tables(&tables, N_SHARED_TABLES, N_TABLES, grade, size)) return 0;
  take_models(plan, &tables, models);
  return 1;
}

/* Where models have what a slice made or changed: rows' numbers and models, and what mixers learned. */
API void pcai_models_places(int64_t *places) {
  const size_t found[] = {offsetof(Models, scores_numbers), offsetof(Models, scores),
                          offsetof(Models, means_numbers),  offsetof(Models, means),
                          offsetof(Models, scores_weights), offsetof(Models, scores_more),
                          offsetof(Models, means_weights),  offsetof(Models, means_more)};
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) places[i] = (int64_t)found[i];
}

API void pcai_slice_write_levels(SliceCoder *slice, RangeCoder *coder, const float *wanted,
                                 const float *worth) {
  code_slice_levels(slice, coder, wanted, worth, 0);
}

/* Makes a picture of slices at given addresses; returns a fault. */
API int64_t pcai_make_picture(Picture *picture, const PhotoPlan *plan, const Header *header,
                              const uint8_t *mean, int64_t size, const uint64_t *scores, const int8_t *levels,
                              int64_t wide_scores, int64_t white) {
  int fault = make_picture(picture, plan, header, (Bytes){mean, size},
                           (const void *const *)(const void *)scores, levels);
  picture->wide_scores = (int)wide_scores;
  picture->white = white;
  return fault;
}

API int64_t pcai_picture_room(const Picture *picture, int64_t start, int64_t stop) {
  return size_of_lines(picture, start, stop, 1);
}

API void pcai_picture_lines(const Picture *picture, int64_t k, int64_t start, int64_t stop, void *memory,
                            void *to, int64_t apart) {
  picture_lines(picture, k, start, stop, 1, memory, to, apart);
}

API void pcai_picture_coefficients(const Picture *picture, int64_t k, int64_t above, int64_t below,
                                   int32_t *result) {
  find_coefficients(picture, k, above, below, NULL, result);
}

/* The channels of groups of lines, from coefficients of so many rows of blocks from row `above` on, in units of
 * mantissa · 2^exponent. */
API void pcai_picture_planes(const Picture *picture, const int32_t *coefficients, int64_t held, int64_t above,
                             int64_t start, int64_t stop, int64_t mantissa, int64_t exponent, double *planes) {
  Synthesis synthesis = picture->synthesis;
  scale_synthesis(&synthesis, mantissa, exponent + picture->fraction_bits);
  synthesise_planes(&synthesis, coefficients, held, above, start, stop, planes);
}

/* Corrects lines of channels, which begin with line `top` of the photo. */
API void pcai_picture_shrink(const Picture *picture, const double *planes, int64_t lines, int64_t from,
                             int64_t to, int64_t top, double *found) {
  const int64_t width = picture->width;
  const Samples samples = {(double *)(uintptr_t)planes, lines * width, width, top, top + lines, 0};
  const Samples corrected = {found, (to - from) * width, width, top + from, top + to, 0};
  shrink_planes(picture, &samples, top + from, top + to, 0, width, &corrected);
}

/* Turns channels into pixels. */
API void pcai_picture_finish(const Picture *picture, const double *planes, int64_t count, void *pixels) {
  finish_planes(&picture->synthesis, planes, count, count, picture->wide ? UINT16_MAX : UINT8_MAX, pixels,
                picture->wide);
}
