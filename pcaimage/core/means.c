/* Coding the constant components: a small picture of the image, number by number.
 *
 * Each number is predicted from its neighbours by several simple rules, weighted by how wrong each has been
 * nearby; what is left over is coded with mixed contexts of what was left over around it. All numbers are in half
 * steps: one of two quantisers has the even ones, the other the odd ones, and which of them a number has
 * follows from those before (dependent quantisation, see scores.c). The cheapest numbers of a row are searched for.
 *
 * B. Meyer and P. Tischer, "TMW – a new method for lossless image compression", Picture Coding Symposium,
 * Berlin, 1997. G. Deng, "Transform domain LMS-based adaptive prediction for lossless image coding", Signal
 * Processing: Image Communication 17, 2002.
 */
#include "numbers.h"
#include "photo.h"

/* Bits of a number's binarisation that have models. */
#define BITS 32

/* Steps by which residuals are drawn towards zero before they are rounded. */
#define ZONE 0.06

/* The share of the price of a bit that counts here: an error goes on in what is predicted from it. */
#define SHARE 0.5

/* Numbers up to here are coded in unary, larger ones by their digits. */
#define MEANS_SMALL 6

typedef struct {
  int64_t west, north, north_west, north_east, west_2, north_2;
} MeansAround;

/* What precedes a number in its row: the two numbers to the left, what was left over of the first, and how wrong each
 * rule was there. */
typedef struct {
  int64_t west, west_2, left;
  int32_t wrong[MEANS_RULES];
} Before;

/* What is expected of a number, in eighths of a step; the case of what is left over, and the rules by themselves. */
typedef struct {
  MeansAround around;
  int64_t expected, known_case, rules[MEANS_RULES];
} Guess;

/* A number among those of a quantiser, and the models of its residual. */
typedef struct {
  int64_t whole, fraction;
  Mixed mixed;
} Chances;

ALWAYS_INLINE int64_t side(int64_t value) { return value == 0 ? 0 : value > 0 ? 1 : 2; }

/* The residual at a place of a plane; 0 outside of it. */
ALWAYS_INLINE int64_t left_at(const int32_t *plane, int64_t columns, int64_t row, int64_t column) {
  return row < 0 || column < 0 || column >= columns ? 0 : plane[row * columns + column];
}

/* The neighbours; at the edges the nearest there is. */
ALWAYS_INLINE MeansAround look(const void *plane, int wide, int64_t columns, int64_t row, int64_t column,
                               const Before *before) {
  int64_t above = (row - 1) * columns + column;
  MeansAround around;
  around.west = column > 0 ? before->west : row > 0 ? score_at(plane, wide, above) : 0;
  around.north = row > 0 ? score_at(plane, wide, above) : around.west;
  around.north_west = row > 0 && column > 0 ? score_at(plane, wide, above - 1) : around.north;
  around.north_east = row > 0 && column < columns - 1 ? score_at(plane, wide, above + 1) : around.north;
  around.west_2 = column > 1 ? before->west_2 : around.west;
  around.north_2 = row > 1 ? score_at(plane, wide, above - columns) : around.north;
  return around;
}

/* The expectations of the rules, averaged by how right each was nearby, in eighths of a step. */
ALWAYS_INLINE int64_t blend(const Means *means, const MeansAround *around, int64_t row, int64_t column,
                            const Before *before, int64_t *rules) {
  int64_t width = means->columns + 2, total = 0, weight = 0;
  rules[0] = 4 * (around->west + around->north - around->north_west);
  rules[1] = 4 * around->west;
  rules[2] = 4 * around->north;
  rules[3] = 4 * (around->west + around->north_east - around->north);
  rules[4] = 4 * (2 * around->west - around->west_2);
  rules[5] = 4 * (2 * around->north - around->north_2);
  const int32_t (*above)[MEANS_RULES] = (const int32_t (*)[MEANS_RULES])means->errors + row * width + column;
  for (int rule = 0; rule < MEANS_RULES; rule++) {
    /* At most 6 · 2^20. Division takes long, and long numbers longer. */
    int32_t wrong = above[0][rule] + above[2][rule] + 2 * above[1][rule] + 2 * before->wrong[rule] + 6;
    int64_t trust = wrong > 4096 ? 1 : (1 << 24) / (uint32_t)(wrong * wrong) + 1;
    total += trust * rules[rule];
    weight += trust;
  }
  return floor_divided(total, weight);
}

/* The context of what is known to be left over: its signs around, and in the planes before. */
ALWAYS_INLINE int64_t case_of(const Means *means, int64_t index, int64_t row, int64_t column, int64_t left) {
  int64_t area = means->rows * means->columns, place = row * means->columns + column;
  int64_t first = index > 0 ? means->left[place] : 0, second = index > 1 ? means->left[area + place] : 0;
  int64_t around = side(left) * 3 + side(left_at(means->left + index * area, means->columns, row - 1, column));
  int64_t signs = around * 9 + side(first) * 3 + side(second);
  return (signs * 5 + least(4, digits(magnitude_of(first)))) * 3 + least(index, 2);
}

/* Guesses a number from what is around it. */
ALWAYS_INLINE Guess guess(const Means *means, const void *plane, int wide, int64_t index, int64_t row,
                          int64_t column, const Before *before) {
  Guess found = {look(plane, wide, means->columns, row, column, before), 0,
                 case_of(means, index, row, column, before->left), {0}};
  const int32_t *bias = means->bias + found.known_case;
  found.expected = blend(means, &found.around, row, column, before, found.rules) +
                   floor_divided(bias[0], bias[MEANS_BIASES] + 4);
  return found;
}

/* Finds the number of a quantiser that is expected, and the contexts of what is left over. */
ALWAYS_INLINE Chances chances_of(const Means *means, const Guess *guess, int64_t index, int64_t row, int64_t column,
                                 const Before *before, int quantizer, int64_t highest) {
  static const int16_t FIRST[MEANS_INPUTS] = {0, 60, 1260, 1860, 2367, 5367};
  const MeansAround *around = &guess->around;
  int64_t columns = means->columns, area = means->rows * columns, place = row * columns + column;
  int64_t channel = least(index, 2), places[MEANS_INPUTS], expected = guess->expected - 4 * quantizer;
  Chances found;
  found.whole = within((expected + 4) >> 3, -highest, highest);
  found.fraction = within(expected - found.whole * 8, -4, 3) + 4;
  const int32_t *plane = means->left + index * area;
  int64_t west = magnitude_of(before->left);
  int64_t north = magnitude_of(left_at(plane, columns, row - 1, column));
  int64_t activity = 2 * west + 2 * north + magnitude_of(left_at(plane, columns, row - 1, column - 1));
  activity += magnitude_of(left_at(plane, columns, row - 1, column + 1));
  int64_t slope = magnitude_of(around->west - around->north_west);
  slope += magnitude_of(around->north - around->north_east);
  slope += magnitude_of(around->north - around->north_west);
  slope += magnitude_of(around->west - around->west_2) + magnitude_of(around->north - around->north_2);
  int64_t active = level(activity, 19), steep = level(slope >> 1, 19);
  int64_t first = index > 0 ? level(magnitude_of(means->left[place]), 9) : 0;
  int64_t second = index > 1 ? level(magnitude_of(means->left[area + place]), 9) : 0;
  places[0] = channel * 20 + active;
  places[1] = (channel * 20 + steep) * 20 + active;
  places[2] = (channel * 10 + first) * 20 + active;
  places[3] = (channel * 13 + level(2 * west, 12)) * 13 + level(2 * north, 12);
  places[4] = ((channel * 10 + first) * 10 + second) * 10 + active / 2;
  places[5] = (channel * 20 + steep) * 8 + found.fraction;
  for (int i = 0; i < MEANS_INPUTS; i++) found.mixed.contexts[i] = row_of(means->models, FIRST[i] + places[i], BITS);
  found.mixed.weights = means->mixer.weights + (channel * 20 + active) * BITS * SCORES_PLACES;
  found.mixed.more = means->mixer.more + channel * BITS * SCORES_PLACES;
  return found;
}

/* How many decisions a magnitude takes before its digits, all of which but the last are 1. */
ALWAYS_INLINE int decisions(int64_t number) {
  return number <= MEANS_SMALL ? (int)number : MEANS_SMALL + digits(number - MEANS_SMALL);
}

/* Codes a magnitude, or decodes it: in unary first, then the count of its binary digits, then these. */
ALWAYS_INLINE int64_t code_magnitude(RangeCoder *coder, const Mixer *mixer, const Scales *scales, int64_t number,
                                     const Chances *at, int reading) {
  int goal = decisions(number), found = 0;
  for (; found < BITS - 1; found++) {
    if (!code_mixed(coder, mixer, scales, &at->mixed, found, goal > found, reading)) break;
  }
  if (found <= MEANS_SMALL) return found;
  int64_t rest = 1;
  for (int place = found - MEANS_SMALL - 2; place >= 0; place--) {
    int digit = (int)(((number - MEANS_SMALL) >> place) & 1);
    rest = 2 * rest + range_code(coder, ONE / 2, digit, reading);
  }
  return MEANS_SMALL + rest;
}

/* What follows a number in its row. */
ALWAYS_INLINE Before behind(const Guess *guess, int64_t number, int64_t left, const Before *before) {
  Before found = {number, before->west, left, {0}};
  for (int rule = 0; rule < MEANS_RULES; rule++) {
    int64_t wrong = magnitude_of(4 * number - guess->rules[rule]) >> 1;
    found.wrong[rule] = (int32_t)least(wrong, 1 << 20);
  }
  return found;
}

/* Keeps what was left over, and how wrong each rule was. */
ALWAYS_INLINE void keep(const Means *means, int64_t index, int64_t row, int64_t column, int64_t known_case,
                        const Before *found) {
  int32_t (*errors)[MEANS_RULES] = (int32_t (*)[MEANS_RULES])means->errors;
  int32_t *sum = means->bias + known_case, *count = sum + MEANS_BIASES;
  means->left[(index * means->rows + row) * means->columns + column] = (int32_t)found->left;
  *sum += (int32_t)within(found->left, -4096, 4096) * 8;
  *count += 1;
  if (*count > 32) {
    *sum = (int32_t)floor_divided(*sum, 2);
    *count /= 2;
  }
  memcpy(errors + (row + 1) * (means->columns + 2) + column + 1, found->wrong, sizeof *errors);
}

/* ---- The search among quantisers ---- */

/* The best known way to a state. */
typedef struct {
  float cost;
  Before before;
} MeansWay;

/* The bits of two residuals next to each other. */
ALWAYS_INLINE void price_both(const Scales *scales, const float *bits, const Chances *at, int64_t lower,
                              float prices[2]) {
  const int goals[2] = {decisions(magnitude_of(lower)), decisions(magnitude_of(lower + 1))};
  const int last = (int)most(goals[0], goals[1]);
  float spent = 0;
  for (int i = 0; i < 2; i++) prices[i] = (float)(goals[i] > MEANS_SMALL ? goals[i] - MEANS_SMALL : goals[i] > 0);
  for (int found = 0; found <= last && found < BITS - 1; found++) {
    Seen_narrow seen;
    int32_t logit = look_narrow(at->mixed.contexts, found, MEANS_INPUTS, at->mixed.weights + found * SCORES_PLACES,
                                at->mixed.more + found * SCORES_PLACES, &seen);
    int32_t chance = scales->probabilities[logit + LOGIT_LIMIT];
    for (int i = 0; i < 2; i++) prices[i] += goals[i] == found ? spent + bits[ONE - chance] : 0;
    spent += bits[chance];
  }
}

/* Finds the cheapest numbers of a row, each among those of its quantiser; they are left in each block's first
 * path. */
static void search_row(const Means *means, const Scales *scales, const float *bits, int64_t index, int64_t row,
                       const float *wanted, const void *plane, int wide, int32_t *paths, float price, int state) {
  const float highest = (float)(largest_score(wide) / 2);
  MeansWay ways[STATES], after[STATES];
  for (int s = 0; s < STATES; s++) ways[s] = (MeansWay){s == state ? 0 : IMPOSSIBLE, {0, 0, 0, {0}}};
  for (int64_t column = 0; column < means->columns; column++) {
    int32_t *path = paths + column * STATES;
    float target = wanted[column], limit = IMPOSSIBLE;
    target = target > -highest ? target : -highest;
    target = target < highest ? target : highest;
    for (int s = 0; s < STATES; s++) {
      limit = ways[s].cost < limit ? ways[s].cost : limit;
      after[s].cost = IMPOSSIBLE;
    }
    limit += GIVEN_UP;
    for (int s = 0; s < STATES; s++) {
      if (ways[s].cost >= limit) continue;
      const Before *before = &ways[s].before;
      Guess found = guess(means, plane, wide, index, row, column, before);
      Chances at = chances_of(means, &found, index, row, column, before, s & 1, largest_score(wide));
      float middle = 0.5F * (float)(s & 1), prices[2];
      int64_t lower = (int64_t)(target - middle);
      lower -= (float)lower > target - middle;
      price_both(scales, bits, &at, lower - at.whole, prices);
      for (int i = 0; i < 2; i++) {
        int64_t number = lower + i;
        int to = NEXT[1][s][number & 1];
        float off = target - middle - (float)number, cost = ways[s].cost + off * off + price * prices[i];
        if (cost >= after[to].cost) continue;
        after[to] = (MeansWay){cost, behind(&found, 2 * number + (s & 1), number - at.whole, before)};
        path[to] = (int32_t)number * STATES + s;
      }
    }
    memcpy(ways, after, sizeof ways);
  }
  int best = 0;
  for (int s = 1; s < STATES; s++) best = ways[s].cost < ways[best].cost ? s : best;
  for (int64_t column = means->columns - 1; column >= 0; column--) {
    int32_t *path = paths + column * STATES, step = path[best];
    path[0] = step >> 3;
    best = step & 7;
  }
}

/* ---- Coding ---- */

/* The residual to be coded: rounded a little towards zero, which costs fewer bits. */
ALWAYS_INLINE int64_t rounded(float wanted, int64_t whole, int64_t highest) {
  float most_wanted = (float)highest, rest = wanted > -most_wanted ? wanted : -most_wanted;
  rest = (rest < most_wanted ? rest : most_wanted) - (float)whole;
  int64_t size = (int64_t)((rest < 0 ? -rest : rest) + (float)(0.5 - ZONE));
  return rest > 0 ? size : -size;
}

/* Codes one constant component of a slice, or decodes it: in half steps.
 *
 * Indices are in range whatever was coded: levels, sides and fractions are capped, and contexts follow from
 * these alone. Numbers are at most SCORES_LARGEST, so that no sum overflows.
 */
void code_means(const Means *means, const Scales *scales, RangeCoder *state, int64_t index, const float *wanted,
                void *plane, int wide, const Search *search, const float *bits, int dependent, double price,
                int reading) {
  RangeCoder coder = *state;
  const Mixer mixer = means->mixer;
  const int64_t highest = largest_score(wide), columns = means->columns;
  int64_t target = 0;
  int trellis = 0;
  memset(means->errors, 0, (size_t)(MEANS_RULES * (means->rows + 1) * (columns + 2)) * sizeof(int32_t));
  for (int64_t row = 0; row < means->rows; row++) {
    Before before = {0, 0, 0, {0}};
    if (!reading && dependent) {
      search_row(means, scales, bits, index, row, wanted + row * columns, plane, wide, search->paths,
                 (float)(SHARE * price), trellis);
    }
    for (int64_t column = 0; column < columns; column++) {
      int quantizer = trellis & 1;
      Guess found = guess(means, plane, wide, index, row, column, &before);
      Chances at = chances_of(means, &found, index, row, column, &before, quantizer, highest);
      if (!reading && dependent) target = search->paths[column * STATES] - at.whole;
      if (!reading && !dependent) target = rounded(wanted[row * columns + column], at.whole, highest / 2);
      int64_t value = code_magnitude(&coder, &mixer, scales, magnitude_of(target), &at, reading);
      if (value > 0) {
        uint32_t *sign = means->signs + found.known_case * 8 + at.fraction;
        int negative = range_code(&coder, chance_of(*sign, 64), target < 0, reading);
        *sign = taught(*sign, negative, scales->rates, 30);
        if (negative) value = -value;
      }
      int64_t number = within(2 * (at.whole + value) + quantizer, -highest, highest);
      put_score(plane, wide, row * columns + column, number);
      before = behind(&found, number, value, &before);
      keep(means, index, row, column, found.known_case, &before);
      trellis = NEXT[dependent][trellis][(at.whole + value) & 1];
    }
  }
  *state = coder;
}
