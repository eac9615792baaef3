/* Coding the constant components: a small picture of the image, number by number.
 *
 * Each number is predicted from its neighbours by several simple rules, weighted by how wrong each has been
 * nearby; what is left over is coded with mixed contexts of what was left over around it.
 *
 * B. Meyer and P. Tischer, "TMW – a new method for lossless image compression", Picture Coding Symposium,
 * Berlin, 1997. G. Deng, "Transform domain LMS-based adaptive prediction for lossless image coding", Signal
 * Processing: Image Communication 17, 2002.
 */
#include "numbers.h"
#include "photo.h"

/* Bits of a number's binarisation that have models, and contexts of each input. */
#define BITS 32
#define N_INPUTS 6

/* Steps by which residuals are drawn towards zero before they are rounded. */
#define ZONE 0.06

/* Numbers up to here are coded in unary, larger ones by their digits. */
#define MEANS_SMALL 6

typedef struct {
  int64_t west, north, north_west, north_east, west_2, north_2;
} MeansAround;

ALWAYS_INLINE int64_t side(int64_t value) { return value == 0 ? 0 : value > 0 ? 1 : 2; }

/* The residual at a place of a plane; 0 outside of it. */
ALWAYS_INLINE int64_t left_at(const int32_t *plane, int64_t columns, int64_t row, int64_t column) {
  return row < 0 || column < 0 || column >= columns ? 0 : plane[row * columns + column];
}

/* The neighbours; at the edges the nearest there is. */
ALWAYS_INLINE MeansAround look(const void *plane, int wide, int64_t columns, int64_t row, int64_t column) {
  int64_t place = row * columns + column, above = place - columns;
  MeansAround around;
  around.west = column > 0 ? score_at(plane, wide, place - 1) : row > 0 ? score_at(plane, wide, above) : 0;
  around.north = row > 0 ? score_at(plane, wide, above) : around.west;
  around.north_west = row > 0 && column > 0 ? score_at(plane, wide, above - 1) : around.north;
  around.north_east = row > 0 && column < columns - 1 ? score_at(plane, wide, above + 1) : around.north;
  around.west_2 = column > 1 ? score_at(plane, wide, place - 2) : around.west;
  around.north_2 = row > 1 ? score_at(plane, wide, above - columns) : around.north;
  return around;
}

/* The expectations of the rules, averaged by how right each was nearby, in eighths. */
ALWAYS_INLINE int64_t blend(const Means *means, const MeansAround *around, int64_t row, int64_t column,
                            int64_t *rules) {
  int64_t width = means->columns + 2, area = (means->rows + 1) * width, total = 0, weight = 0;
  rules[0] = 8 * (around->west + around->north - around->north_west);
  rules[1] = 8 * around->west;
  rules[2] = 8 * around->north;
  rules[3] = 8 * (around->west + around->north_east - around->north);
  rules[4] = 8 * (2 * around->west - around->west_2);
  rules[5] = 8 * (2 * around->north - around->north_2);
  for (int rule = 0; rule < MEANS_RULES; rule++) {
    const int32_t *above = means->errors + rule * area + row * width + column;
    int64_t wrong = above[0] + above[2] + 2 * (int64_t)above[1] + 2 * (int64_t)above[width] + 6;
    int64_t trust = (1 << 24) / (wrong * wrong) + 1;
    total += trust * rules[rule];
    weight += trust;
  }
  return floor_divided(total, weight);
}

/* The context of what is known to be left over: its signs around, and in the planes before. */
ALWAYS_INLINE int64_t case_of(const Means *means, int64_t index, int64_t row, int64_t column) {
  int64_t area = means->rows * means->columns, place = row * means->columns + column;
  int64_t first = index > 0 ? means->left[place] : 0, second = index > 1 ? means->left[area + place] : 0;
  const int32_t *plane = means->left + index * area;
  int64_t around = side(left_at(plane, means->columns, row, column - 1)) * 3;
  around += side(left_at(plane, means->columns, row - 1, column));
  int64_t signs = around * 9 + side(first) * 3 + side(second);
  return (signs * 5 + least(4, digits(magnitude_of(first)))) * 3 + least(index, 2);
}

/* Finds the contexts, and returns the set of weights. */
ALWAYS_INLINE int64_t choose(const Means *means, const MeansAround *around, int64_t index, int64_t row,
                             int64_t column, int64_t fraction, Model **contexts) {
  static const int16_t FIRST[N_INPUTS] = {0, 60, 1260, 1860, 2367, 5367};
  int64_t columns = means->columns, area = means->rows * columns, place = row * columns + column;
  int64_t channel = least(index, 2), places[N_INPUTS];
  const int32_t *plane = means->left + index * area;
  int64_t west = magnitude_of(left_at(plane, columns, row, column - 1));
  int64_t north = magnitude_of(left_at(plane, columns, row - 1, column));
  int64_t activity = 2 * west + 2 * north + magnitude_of(left_at(plane, columns, row - 1, column - 1));
  activity += magnitude_of(left_at(plane, columns, row - 1, column + 1));
  int64_t slope = magnitude_of(around->west - around->north_west);
  slope += magnitude_of(around->north - around->north_east);
  slope += magnitude_of(around->north - around->north_west);
  slope += magnitude_of(around->west - around->west_2) + magnitude_of(around->north - around->north_2);
  int64_t active = level(activity, 19), steep = level(slope, 19);
  int64_t first = index > 0 ? level(magnitude_of(means->left[place]), 9) : 0;
  int64_t second = index > 1 ? level(magnitude_of(means->left[area + place]), 9) : 0;
  places[0] = channel * 20 + active;
  places[1] = (channel * 20 + steep) * 20 + active;
  places[2] = (channel * 10 + first) * 20 + active;
  places[3] = (channel * 13 + level(2 * west, 12)) * 13 + level(2 * north, 12);
  places[4] = ((channel * 10 + first) * 10 + second) * 10 + active / 2;
  places[5] = (channel * 20 + steep) * 8 + fraction;
  for (int i = 0; i < N_INPUTS; i++) contexts[i] = row_of(means->models, FIRST[i] + places[i], BITS);
  return (channel * 20 + active) * BITS;
}

/* The residual to be coded: rounded a little towards zero, which costs fewer bits. */
ALWAYS_INLINE int64_t rounded(float wanted, int64_t whole, int64_t highest) {
  float most_wanted = (float)highest, rest = wanted > -most_wanted ? wanted : -most_wanted;
  rest = (rest < most_wanted ? rest : most_wanted) - (float)whole;
  int64_t size = (int64_t)((rest < 0 ? -rest : rest) + (float)(0.5 - ZONE));
  return rest > 0 ? size : -size;
}

/* Codes a magnitude, or decodes it: in unary first, then the count of its binary digits, then these. */
ALWAYS_INLINE int64_t code_magnitude(RangeCoder *coder, const Mixer *mixer, const Scales *scales, int64_t number,
                                     Model *const *contexts, int32_t *weights, int32_t *more, int reading) {
  int goal = number <= MEANS_SMALL ? (int)number : MEANS_SMALL + digits(number - MEANS_SMALL), found = 0;
  for (; found < BITS - 1; found++) {
    int32_t *first = weights + found * N_INPUTS, *second = more + found * N_INPUTS;
    Seen_narrow seen;
    int32_t logit = look_narrow(contexts, found, N_INPUTS, first, second, &seen);
    int bit = range_code(coder, scales->probabilities[logit + LOGIT_LIMIT], goal > found, reading);
    learn_narrow(mixer, scales, contexts, found, N_INPUTS, first, second, &seen, bit);
    if (!bit) break;
  }
  if (found <= MEANS_SMALL) return found;
  int64_t rest = 1;
  for (int place = found - MEANS_SMALL - 2; place >= 0; place--) {
    int digit = (int)(((number - MEANS_SMALL) >> place) & 1);
    rest = 2 * rest + range_code(coder, ONE / 2, digit, reading);
  }
  return MEANS_SMALL + rest;
}

/* Keeps what was left over, and how wrong each rule was. */
ALWAYS_INLINE void keep(const Means *means, int64_t index, int64_t row, int64_t column, int64_t number,
                        int64_t left, int64_t known_case, const int64_t *rules) {
  int64_t width = means->columns + 2, area = (means->rows + 1) * width;
  int32_t *sum = means->bias + known_case, *count = sum + MEANS_BIASES;
  means->left[(index * means->rows + row) * means->columns + column] = (int32_t)left;
  *sum += (int32_t)within(left, -4096, 4096) * 8;
  *count += 1;
  if (*count > 32) {
    *sum = (int32_t)floor_divided(*sum, 2);
    *count /= 2;
  }
  for (int rule = 0; rule < MEANS_RULES; rule++) {
    int64_t wrong = magnitude_of(8 * number - rules[rule]) >> 1;
    means->errors[rule * area + (row + 1) * width + column + 1] = (int32_t)least(wrong, 1 << 20);
  }
}

/* Codes one constant component of a slice, or decodes it.
 *
 * Indices are in range whatever was coded: levels, sides and fractions are capped, and contexts follow from
 * these alone. Numbers are at most SCORES_LARGEST, so that no sum overflows.
 */
void code_means(const Means *means, const Scales *scales, RangeCoder *state, int64_t index, const float *wanted,
                void *plane, int wide, int reading) {
  RangeCoder coder = *state;
  const Mixer mixer = means->mixer;
  int64_t highest = largest_score(wide), rules[MEANS_RULES], target = 0;
  Model *contexts[N_INPUTS];
  int32_t *more = mixer.more + least(index, 2) * BITS * N_INPUTS;
  memset(means->errors, 0, (size_t)(MEANS_RULES * (means->rows + 1) * (means->columns + 2)) * sizeof(int32_t));
  for (int64_t row = 0; row < means->rows; row++) {
    for (int64_t column = 0; column < means->columns; column++) {
      MeansAround around = look(plane, wide, means->columns, row, column);
      int64_t known_case = case_of(means, index, row, column);
      const int32_t *bias = means->bias + known_case;
      int64_t expected = blend(means, &around, row, column, rules) + floor_divided(bias[0], bias[MEANS_BIASES] + 4);
      int64_t whole = within((expected + 4) >> 3, -highest, highest);
      int64_t fraction = within(expected - whole * 8, -4, 3) + 4;
      int64_t sets = choose(means, &around, index, row, column, fraction, contexts);
      if (!reading) target = rounded(wanted[row * means->columns + column], whole, highest);
      int64_t value = code_magnitude(&coder, &mixer, scales, magnitude_of(target), contexts,
                                     mixer.weights + sets * N_INPUTS, more, reading);
      if (value > 0) {
        uint32_t *sign = means->signs + known_case * 8 + fraction;
        int negative = range_code(&coder, chance_of(*sign, 64), target < 0, reading);
        *sign = taught(*sign, negative, scales->rates, 30);
        if (negative) value = -value;
      }
      int64_t number = within(whole + value, -highest, highest), place = row * means->columns + column;
      put_score(plane, wide, place, number);
      keep(means, index, row, column, number, number - whole, known_case, rules);
    }
  }
  *state = coder;
}
