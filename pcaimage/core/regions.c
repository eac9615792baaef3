/* Steps that differ by region: their levels, coded from the levels of the regions around.
 *
 * A level is predicted from its neighbours. Whether it differs, in which direction, and by how much is coded
 * bit by bit with adaptive models. The encoder weighs how far a level is from the wanted one against what it
 * costs.
 */
#include "numbers.h"
#include "photo.h"
#include "rangecoder.h"

/* Classes of how much the regions around differ; thirds of a level to which a prediction is rounded. */
#define UNRESTS 6
#define THIRDS 3

#define REGIONS_LIMIT 60
#define MARGIN 64

/* Models of whether a level differs, of the direction, and of each further level, one after the other. */
enum { SIDES = UNRESTS * THIRDS, FARTHER = 2 * SIDES, MODELS = FARTHER + 2 * MOST_LEVELS };

/* The expectation of a level. */
typedef struct {
  int level;
  int situation;
} Guess;

static int magnitude_below(int value, int limit) {
  int size = value < 0 ? -value : value;
  return size < limit ? size : limit;
}

static Guess guess(const int8_t *levels, int64_t columns, int64_t row, int64_t column, int first) {
  const int8_t *here = levels + row * columns + column;
  int above = row > 0 ? here[-columns] : column > 0 ? here[-1] : first;
  int left = column > 0 ? here[-1] : above;
  int before = row > 0 && column > 0 ? here[-columns - 1] : above;
  int behind = row > 0 && column + 1 < columns ? here[-columns + 1] : above;
  int sum = 2 * left + 2 * above + before + behind + 2;
  int unrest = magnitude_below(left - above, 2) + magnitude_below(above - behind, 2) +
               magnitude_below(left - before, 1);
  return (Guess){sum / 6, THIRDS * unrest + sum % 6 / 2};
}

/* The models of a level's bits: of bit 0, 1 and so on, for a level that is below the guess or above it. */
static uint32_t *model_of(uint32_t *models, const Guess *guess, int bit, int below) {
  if (bit == 0) return models + guess->situation;
  if (bit == 1) return models + SIDES + guess->situation;
  return models + FARTHER + below * MOST_LEVELS + bit - 2;
}

/* The cost of a level in bits. */
static float cost_of(uint32_t *models, const Guess *guess, int level, int levels, const float *bits) {
  int difference = level - guess->level, below = difference < 0, size = below ? -difference : difference;
  int room = below ? guess->level : levels - 1 - guess->level;
  int64_t chance = chance_of(*model_of(models, guess, 0, 0), MARGIN);
  if (size == 0) return bits[ONE - chance];
  float found = bits[chance];
  chance = chance_of(*model_of(models, guess, 1, 0), MARGIN);
  if (guess->level > 0 && guess->level < levels - 1) found += bits[below ? chance : ONE - chance];
  for (int bit = 1; bit < room && bit <= size; bit++) {
    chance = chance_of(*model_of(models, guess, bit + 1, below), MARGIN);
    found += bits[bit < size ? chance : ONE - chance];
  }
  return found;
}

/* The level that is worth its bits: `worth` is what a squared level off costs. */
static int chosen(uint32_t *models, const Guess *guess, float wanted, float worth, int levels,
                  const float *bits) {
  int found = guess->level;
  float least_cost = 1e30f;
  for (int level = 0; level < levels; level++) {
    float off = (float)level - wanted;
    float cost = off * off * worth + cost_of(models, guess, level, levels, bits);
    if (cost < least_cost) {
      least_cost = cost;
      found = level;
    }
  }
  return found;
}

static int coded(RangeCoder *coder, uint32_t *model, const int32_t *rates, int bit, int reading) {
  bit = range_code(coder, chance_of(*model, MARGIN), bit, reading);
  *model = taught(*model, bit, rates, REGIONS_LIMIT);
  return bit;
}

void code_levels(RangeCoder *coder, const int32_t *rates, const float *wanted, const float *worth,
                 const float *bits, int64_t rows, int64_t columns, int64_t count, int64_t first, int8_t *levels,
                 int reading) {
  uint32_t models[MODELS];
  int most = (int)count - 1;
  for (int i = 0; i < MODELS; i++) models[i] = UINT32_C(1) << 31;
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t column = 0; column < columns; column++) {
      int64_t place = row * columns + column;
      Guess around = guess(levels, columns, row, column, (int)first);
      int target = 0;
      if (!reading) target = chosen(models, &around, wanted[place], worth[place], (int)count, bits);
      int size = 0, below = target < around.level;
      int wanted_size = below ? around.level - target : target - around.level;
      if (coded(coder, model_of(models, &around, 0, 0), rates, wanted_size > 0, reading)) {
        if (around.level == 0 || around.level == most) {
          below = around.level > 0;
        } else {
          below = coded(coder, model_of(models, &around, 1, 0), rates, below, reading);
        }
        int room = below ? around.level : most - around.level;
        size = 1;
        while (size < room && coded(coder, model_of(models, &around, size + 1, below), rates,
                                    wanted_size > size, reading)) {
          size++;
        }
      }
      levels[place] = (int8_t)within(below ? around.level - size : around.level + size, 0, most);
    }
  }
}

ALWAYS_INLINE void add_activity(const uint8_t *plane, int wide, int64_t first, int64_t count, float threshold,
                                float *squares, int32_t *loud) {
  for (int64_t i = 0; i < count; i++) {
    float score = (float)score_at(plane, wide, first + i);
    squares[i] += score * score;
    loud[i] += score > threshold || score < -threshold;
  }
}

/* Adds up, for each block of some rows, the squares of its scores but the constant ones, and counts those
 * whose magnitude is above a threshold. Planes have so many rows and columns; every 64th is constant. */
API void pcai_activity(const uint8_t *planes, int64_t wide, int64_t count, int64_t plane_rows, int64_t columns,
                       int64_t start, int64_t rows, double threshold, float *squares, int32_t *loud) {
  for (int64_t p = 0; p < count; p++) {
    int64_t first = (p * plane_rows + start) * columns;
    if (p % 64 == 0) continue;
    if (wide) add_activity(planes, 1, first, rows * columns, (float)threshold, squares, loud);
    else add_activity(planes, 0, first, rows * columns, (float)threshold, squares, loud);
  }
}
