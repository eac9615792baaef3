/* Coefficients from means and scores, for processors of one kind: prediction.c includes this for each. TARGET
 * is for whom functions are compiled, and NAME(x) is a name for it. */

/* Predicts a component in some blocks: the differences to each neighbour's mean are `apart` numbers from each
 * other. Weights are at most 1 each, in 2^-11, so that no sum passes 8 · 2^26 and a half. */
TARGET static void NAME(expect)(const int32_t *around, int64_t apart, const int32_t *weights, int64_t fraction,
                                int64_t count, int32_t *restrict result) {
  const int shift = PREDICTION_WEIGHT_BITS - COEFFICIENT_BITS + (int)fraction, half = 1 << (shift - 1);
  if (!tells(weights)) {
    memset(result, 0, (size_t)count * sizeof *result);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    int32_t sum = half;
    for (int place = 0; place < 8; place++) sum += weights[place] * around[place * apart + i];
    result[i] = sum >> shift;
  }
}

/* Adds where scores of a component come to lie. */
TARGET static void NAME(settle)(const Settling *s, const void *scores, int wide, int64_t place, int64_t plane,
                                int64_t first, int64_t count, int32_t *restrict result) {
  const int32_t *factors = s->by_level ? s->factors + plane * MOST_LEVELS : NULL;
  const int8_t *levels = s->by_level ? s->levels + first : NULL;
  int64_t i = 0;
  /* Most scores are zeros, and so are those beside them. */
  for (; !wide && i + LANES <= count; i += LANES) {
    const int16_t *here = (const int16_t *)scores + place + i;
    if (is_silent(here)) continue;
    /* Factors are at most 2^26, so that nothing passes 2^28. */
    for (int j = 0; j < LANES && s->by_level; j++) {
      result[i + j] += (int32_t)(((int64_t)here[j] * factors[levels[i + j]] + (1 << 12)) >> 13);
    }
    for (int j = 0; j < LANES && !s->by_level; j++) result[i + j] += 128 * here[j];
  }
  for (; i < count; i++) {
    int64_t score = score_at(scores, wide, place + i);
    if (score == 0) continue;
    result[i] = wrapped_sum(result[i], moved_by(score, s->by_level ? factors[levels[i]] : 1 << 20));
  }
}

/* Turns what is expected of scores into units of their own steps. */
TARGET static void NAME(scale)(const int16_t *expected, const int8_t *levels, const int32_t *inverses,
                               int64_t count, int16_t *restrict result) {
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    if (is_silent(expected + i)) {
      memset(result + i, 0, LANES * sizeof *result);
    } else {
      for (int j = 0; j < LANES; j++) result[i + j] = turned_by(expected[i + j], inverses[levels[i + j]]);
    }
  }
  for (; i < count; i++) result[i] = turned_by(expected[i], inverses[levels[i]]);
}

/* Finds all components of some blocks of a row of a slice, whose means and scores are known of the first `known`
 * components: result has `area` numbers for each component, and begins with the first of these blocks. */
TARGET static void NAME(fill)(const Settling *s, const void *scores, int wide, int64_t known, int64_t row,
                              int64_t start, int64_t count, int64_t area, int32_t *result) {
  int32_t around[MOST_CHANNELS][8 * PREDICTION_TILE];
  const int64_t plane_size = s->rows * s->columns, first = row * s->columns + start;
  const int64_t present = least(s->channels, known);
  for (int64_t channel = 0; channel < s->channels; channel++) {
    int32_t *constant = result + s->planes[channel] * area;
    for (int64_t i = 0; i < count; i++) {
      /* Numbers of a damaged file may be too large; they wrap around. */
      uint32_t own = channel < present ? (uint32_t)score_at(scores, wide, channel * plane_size + first + i) : 0;
      constant[i] = (int32_t)(own << (COEFFICIENT_BITS - s->fraction));
    }
    if (channel >= present) continue;
    look_around(scores, wide, channel * plane_size, s->rows, s->columns, row, start, count,
                PREDICTION_TILE, around[channel]);
  }
  for (int64_t index = s->channels; index < 64 * s->channels; index++) {
    int64_t plane = s->planes[index], channel = plane / 64;
    if (s->skipped && s->skipped[plane]) continue;
    int32_t *found = result + plane * area;
    const int32_t *weights = s->weights + 8 * (index - s->channels);
    if (channel < present) {
      NAME(expect)(around[channel], PREDICTION_TILE, weights, s->fraction, count, found);
    } else {
      memset(found, 0, (size_t)count * sizeof *found);
    }
    if (index >= known) continue;
    NAME(settle)(s, scores, wide, index * plane_size + first, plane, first, count, found);
  }
}

/* Finds a component in a row of blocks, and keeps it as networks take it. */
TARGET static void NAME(learn_row)(const Settling *s, const void *scores, int wide, const int32_t *around,
                                   int64_t index, int64_t row, int64_t shift, int16_t *kept) {
  int32_t found[PREDICTION_TILE];
  for (int64_t start = 0; start < s->columns; start += PREDICTION_TILE) {
    int64_t count = least(s->columns - start, PREDICTION_TILE), first = row * s->columns + start;
    const int32_t *weights = s->weights + 8 * (index - s->channels);
    NAME(expect)(around + first, s->rows * s->columns, weights, s->fraction, count, found);
    NAME(settle)(s, scores, wide, first, s->planes[index], first, count, found);
    keep(found, count, shift, kept + start);
  }
}

#undef NAME
#undef TARGET
