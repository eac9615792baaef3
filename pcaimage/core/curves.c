#include "curves.h"

#include "bands_around.h"
#include "file.h"

SHARED(CurveTables);

/* round(256 · ln(exp(r) - 1)) for r = 16 / width[s], s from 0 to 167; for negative s it is bounded to 4096. */
static const int16_t GAPS[SIZES] = {
    4096, 3641, 3277, 2979, 2731, 2521, 2341, 2184, 2048, 1820, 1638, 1489, 1364, 1258, 1168, 1089, 1019,
    903, 809, 730, 664, 607, 558, 514, 475, 408, 352, 304, 263, 227, 194, 165, 139, 92, 52, 17, -14, -41,
    -67, -90, -111, -149, -182, -211, -237, -261, -283, -303, -322, -356, -386, -413, -437, -459, -480,
    -499, -516, -548, -577, -602, -625, -647, -666, -685, -702, -733, -760, -785, -808, -829, -848, -866,
    -883, -914, -941, -966, -988, -1009, -1028, -1046, -1063, -1093, -1120, -1145, -1167, -1188, -1207,
    -1225, -1241, -1271, -1298, -1323, -1345, -1366, -1385, -1403, -1419, -1449, -1476, -1501, -1523, -1544,
    -1563, -1580, -1597, -1627, -1654, -1678, -1701, -1721, -1740, -1758, -1774, -1804, -1831, -1856, -1878,
    -1899, -1918, -1935, -1952, -1982, -2009, -2033, -2056, -2076, -2095, -2113, -2129, -2159, -2186, -2211,
    -2233, -2254, -2273, -2290, -2307, -2337, -2364, -2388, -2411, -2431, -2450, -2468, -2484, -2514, -2541,
    -2566, -2588, -2609, -2627, -2645, -2662, -2692, -2719, -2743, -2765, -2786, -2805, -2823, -2839, -2869,
    -2896, -2921, -2943, -2963, -2982, -3000,
};

/* Powers of LOGIT_UP are found by multiplying. After 3072 steps they are wrong by less than 10^-12 of themselves; what is
 * rounded here is nowhere so close to half a unit (tests compare all of it). */
static void make_logits(CurveTables *tables) {
  double power = 1;
  for (int logit = 0; logit <= LOGIT_LIMIT; logit++, power *= LOGIT_DOWN) {
    int32_t chance = (int32_t)(ONE / (1 + power) + 0.5);
    tables->probabilities[LOGIT_LIMIT + logit] = (int32_t)least(chance, ONE - 1);
    tables->probabilities[LOGIT_LIMIT - logit] = (int32_t)most(ONE - chance, 1);
  }
  int logit = 0;
  power = LOGIT_HALF_UP;
  for (int chance = ONE / 2; chance < ONE; chance++) {
    for (; chance > power * (ONE - chance); power *= LOGIT_UP) logit++;
    tables->logits[chance] = (int16_t)logit;
    tables->logits[ONE - chance] = (int16_t)-logit;
  }
  tables->logits[0] = tables->logits[1];
}

static void make_tails(CurveTables *tables) {
  enum { FIRST = 177 /* 256 · ln(2) */ };
  double power = 1, edge = 1 / LOGIT_HALF_UP;
  int tail = FIRST;
  for (int i = 0; i < FIRST; i++) edge *= LOGIT_UP;
  for (int place = 0; place < 3072; place++, power *= LOGIT_DOWN) {
    for (; 1 + power < edge; edge *= LOGIT_DOWN) tail--;
    tables->tails[place] = tail;
  }
}

/* The exponential function, to about 12 digits: of a small part by its series, and then squared. */
static double exponential(double value) {
  enum { TERMS = 12, SQUARES = 12 };
  double part = value / (1 << SQUARES), term = 1, sum = 1;
  for (int i = 1; i < TERMS; i++) sum += term *= part / i;
  for (int i = 0; i < SQUARES; i++) sum *= sum;
  return sum;
}

/* How distributions of a width begin: a number's distance is taken to be logistic. What is rounded is nowhere so
 * close to half a unit that these digits do not suffice. */
static void make_first(int64_t size, uint16_t *first) {
  int64_t octave = (size >> 3) - 7 - most(size - SMALLEST, 0) / 8;
  double width = (double)(8 + (size & 7)) * power_of_two(octave), start = 0;
  if (width < 1.0 / 64) width = 1.0 / 64;
  for (int i = 0; i < SYMBOLS; i++) {
    double share = 1 / (1 + exponential((7.5 - i) / width));
    if (i == 0) start = share;
    first[i] = (uint16_t)(65504 * (share - start) + 2 * i + 0.5);
  }
  first[0] = 1;
}

API void pcai_make_curves(CurveTables *tables) {
  make_logits(tables);
  make_tails(tables);
  for (int i = 0; i < 8 * OCTAVES + SIZES; i++) {
    int64_t width = (int64_t)(8 + i % 8) << (i / 8);
    tables->ratios[i] = (int32_t)least((INT64_C(1) << (15 + OCTAVES)) / width, 4096);
    tables->gaps[i] = i < 8 * OCTAVES ? 4096 : GAPS[i - 8 * OCTAVES];
  }
  for (int i = 0; i < SIZES; i++) {
    tables->inverses[i] = (1 << 29) / ((8 + i % 8) << (i / 8));
    make_first(i, tables->first + i * SYMBOLS);
  }
  for (int i = 0; i < 256; i++) tables->rates[i] = 2 * ONE / (2 * i + 3);
}
