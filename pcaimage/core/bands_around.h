/* Contexts of a number of a plane: what surrounds it, and which experience applies to it. */
#ifndef PCAI_BANDS_AROUND_H
#define PCAI_BANDS_AROUND_H

#include "deciding.h"
#include "distributions.h"
#include "equations.h"

/* Level of the width from which on numbers are divided by powers of two. */
#define SMALLEST 28

/* Numbers around one in its own plane that are inputs beside the nearest two. */
#define OWN_PLACES 5

/* Where distributions of each kind of context begin, and how many there are. */
#define SECOND_PLACE (SIZES / 3 * 5 * 3)
#define THIRD_PLACE (SECOND_PLACE + 64 * 10)
#define FOURTH_PLACE (THIRD_PLACE + 729 * 3)
#define DISTRIBUTIONS (FOURTH_PLACE + 32 * 32 * 3)

/* Models of the next digit, by eight widths and the symbol, those of what is far away, and those of calm places:
 * whether numbers are 0, by what is around, and those of others. The count of digits has so many digits. */
#define FAR_DIGITS 26
#define FAR_MODELS (8 * SYMBOLS)
#define CALM_FAR_MODELS (FAR_MODELS + FAR_DIGITS)
#define CALM_MODELS (CALM_FAR_MODELS + FAR_DIGITS)
#define MODELS_OF_PLANES (CALM_MODELS + 8 * 32)

/* The known numbers of a slice, in planes with a border; the errors of the expectations of the last plane, in
 * 1/16, and those at a place in all planes before. */
typedef struct {
  int32_t *planes;
  int32_t *errors;
  int32_t *activity;
  int64_t area;
  int64_t stride;
} KnownPlanes;

/* What is learned of numbers: distributions and the weights of their mixtures, models of single bits, widths
 * and biases with their counts and, behind these, the width's level and the bias as it is added; how distributions of
 * each width begin, what they keep by their counts, and the rates of deciding.h. */
typedef struct {
  uint16_t *distributions;
  int32_t *weights;
  uint32_t *models;
  int32_t *widths;
  int32_t *biases;
  const uint16_t *first;
  const Chances *keeps;
  const int32_t *rates;
} Acquired;

/* Which experience applies to the number at hand. */
typedef struct {
  /* Its own errors' and the activity's context, its width and its bias. */
  int64_t around;
  int32_t *width;
  int32_t *bias;
  /* The level of the width. */
  int64_t size;
} Surroundings;

/* 0, 1 or 2 for what is less than zero, zero, or more. */
ALWAYS_INLINE int third_of(int64_t value) { return 1 + (value > 0) - (value < 0); }

/* How wrong expectations were around the places of a strip, all 32 of them: in its own plane above them, and in those
 * before. */
ALWAYS_INLINE void find_errors(const KnownPlanes *known, int64_t place, int32_t *restrict above,
                               int32_t *restrict before) {
  const int64_t stride = known->stride;
  const int32_t *up = known->errors + place - stride, *activity = known->activity + place;
  for (int i = 0; i < STRIP; i++) {
    above[i] = 2 * up[i] + up[i - 1] + up[i + 1] + up[i - stride];
    before[i] = 4 * activity[i] + activity[i - 1] + activity[i + 1] + activity[i - stride] + activity[i + stride];
  }
}

/* The context of whether a number in a calm place is 0. */
ALWAYS_INLINE int64_t calm_context(const int32_t *number, int64_t stride, int32_t before) {
  const int32_t *up = number - stride, *higher = up - stride;
  int further = (number[-3] != 0) + (up[-2] != 0) + (higher[-1] != 0) + (higher[0] != 0) + (higher[1] != 0);
  return 32 * further + level(before >> 5, 31);
}

/* Finds which experience applies to a number by how wrong expectations were around it. */
ALWAYS_INLINE Surroundings look_around(const int32_t *number, int64_t stride, int32_t own, int32_t before,
                                       const Acquired *learned) {
  int32_t *width = learned->widths + 4 * fine((2 * own + (before >> 2)) >> 2);
  /* Of a quarter, the level is lower by four, but for the lowest. */
  int64_t size = level(own >> 2, 63), bias = within(size - 4, size > 3, 23) * 9 + 3 * third_of(number[-1]) + third_of(number[-stride]);
  return (Surroundings){least(size, 31) * 32 + level(before >> 5, 31), width, learned->biases + 4 * bias, width[2]};
}

/* The number in base 3 that has the binary digits of each. */
static const uint16_t TERNARY[64] = {0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31, 36, 37, 39, 40,
                                  81, 82, 84, 85, 90, 91, 93, 94, 108, 109, 111, 112, 117, 118, 120, 121,
                                  243, 244, 246, 247, 252, 253, 255, 256, 270, 271, 273, 274, 279, 280, 282, 283,
                                  324, 325, 327, 328, 333, 334, 336, 337, 351, 352, 354, 355, 360, 361, 363, 364};

ALWAYS_INLINE Ints four_at(const int32_t *numbers) {
  Ints found;
  memcpy(&found, numbers, sizeof found);
  return found;
}

/* Finds the distributions of a number's distance from the one that is nearest to what is expected, which lies
 * `beyond` it in 1/16, from 0 to 8; `turn` is -1 if signs are changed for that. */
ALWAYS_INLINE void find_distributions(const Acquired *learned, const Surroundings *at,
                                      const int32_t *number, int64_t stride, int64_t nearest, int64_t beyond,
                                      int64_t turn, uint16_t **found) {
  const int32_t *up = number - stride;
  int64_t west = turn * (number[-1] - nearest), north = turn * (up[0] - nearest), third = at->size / 3;
  int64_t side = third_of(turn * nearest);
  const Ints middle = (Ints){0} + (int32_t)nearest, first = four_at(up - 1);
  /* One by one, for a number that was just stored cannot be loaded with others. */
  int above = bits_of_signs(first > middle) + 16 * (number[-2] > nearest) + 32 * (number[-1] > nearest);
  int below = bits_of_signs(first < middle) + 16 * (number[-2] < nearest) + 32 * (number[-1] < nearest);
  /* Without a branch, which would be as hard to foresee as the number is. */
  int swapped = (above ^ below) & (int)(turn >> 1);
  int64_t sides = TERNARY[above ^ swapped] + 2 * TERNARY[below ^ swapped];
  int64_t places[MIXED] = {(third * 5 + (beyond >> 1)) * 3 + side,
                           SECOND_PLACE + pair_of(west, north) * 10 + least(third >> 2, 9),
                           THIRD_PLACE + sides * 3 + (third > 4) + (third > 8),
                           FOURTH_PLACE + at->around * 3 + side};
  WRITTEN_OUT
  for (int i = 0; i < MIXED; i++) {
    found[i] = learned->distributions + SYMBOLS * places[i];
    if (UNLIKELY(found[i][0] == 0)) {
      memcpy(found[i], learned->first + SYMBOLS * at->size, SYMBOLS * sizeof(uint16_t));
      found[i][0] = NEVER + 1;
    }
  }
}

/* Lets a line's border on the left be like the beginning of the line above. */
ALWAYS_INLINE void begin_line(int32_t *line, int64_t stride) {
  for (int i = 0; i < BORDER; i++) line[i] = line[BORDER - stride];
}

/* Lets a line's border on the right be like its end. */
ALWAYS_INLINE void end_line(int32_t *line, int64_t columns) {
  for (int i = 0; i < BORDER; i++) line[columns + BORDER + i] = line[columns + BORDER - 1];
}

#endif
