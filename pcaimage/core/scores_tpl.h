/* Coding the scores of a component with dependent quantisation, for processors of one kind: scores.c
 * includes this for each. TARGET is for whom functions are compiled, and NAME(x) is a name for it. */

/* Finds what is expected of a chunk before its scores are known. */
TARGET APART void NAME(find_chunk_context)(const Work *work, const Expectation *expected, int64_t row, int64_t chunk,
                                            ChunkContext *ahead) {
  const int64_t columns = work->known->columns, first = chunk * CHUNK;
  const uint8_t *above = work->own + (row - 1) * work->pitch + first;
  const int straight = work->causals[0], before = work->causals[2], behind = work->causals[3];
  for (int i = 0; i < CHUNK; i++) {
    ahead->causal[i] = (above[i] & MAGNITUDE) * straight + (above[i - 1] & MAGNITUDE) * before +
                         (above[i + 1] & MAGNITUDE) * behind;
  }
  const int16_t *network = work->by_network + row * columns + first;
  if (columns - first < CHUNK) memset(ahead->network, 0, sizeof ahead->network);
  memcpy(ahead->network, network, (size_t)least(columns - first, CHUNK) * sizeof *network);
  /* Numbers of one size at a time, so that compilers make vectors of them. */
  int32_t levels[CHUNK];
  for (int i = 0; i < CHUNK; i++) {
    int32_t level = ((expected->size[i] >> 1) + (ahead->causal[i] >> 1)) >> 3;
    level = level < QUIET ? level : QUIET;
    levels[i] = level > 0 ? level : 0;
  }
  for (int i = 0; i < CHUNK; i++) {
    int32_t telling = (ahead->network[i] >= TELLING) | (ahead->network[i] <= -TELLING) | (expected->busy[i] != 0);
    ahead->quiet[i] = (uint8_t)(levels[i] | telling * QUIET);
  }
}

/* What the magnitudes that are looked at cost, in squared steps, beside their errors. */
TARGET ALWAYS_INLINE Prices NAME(prices_of)(const Coder *coder, const Work *work, const ChunkContext *ahead,
                                            const Neighbours *neighbours, int column, const ScoreContext *around,
                                            int nearest, int quiet_zero, int negative, int left, int quantizer) {
  const float price = (float)coder->price;
  Prices prices = {IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE};
  int start = 0;
  float spent = 0, ended = 0, before = 0;
  const uint32_t *quiet = quiet_model(work, ahead, column, left, quantizer);
  if (quiet && *quiet < QUIET_BELOW) {
    int64_t chance = chance_of(*quiet, 2);
    if (nearest < FARTHER) prices.zero = price * coder->bits[ONE - chance];
    spent = coder->bits[chance];
    start = 1;
    if (quiet_zero) return prices;
  }
  if (nearest >= EQUAL_BITS) return (Prices){IMPOSSIBLE, 0, 0};
  Model *contexts[SCORES_INPUTS];
  ScoreContext context = with_left(work, around, left);
  size_contexts(work->related, neighbours, column, &context, quantizer, work->learned->models, contexts);
  Sets sets = sets_of(work, &context, quantizer);
  for (int bit = start; bit <= nearest; bit++) {
    NAME(Seen) seen;
    int32_t logit = NAME(look)(contexts, bit, SCORES_INPUTS, sets.weights + bit * SCORES_PLACES,
                               sets.more + bit * SCORES_PLACES, &seen);
    int64_t chance = chance_in(coder, logit);
    before = ended;
    ended = spent + coder->bits[ONE - chance];
    if (bit == 0 && nearest < FARTHER) prices.zero = price * ended;
    spent += coder->bits[chance];
  }
  if (nearest > 1) prices.below = price * (before + sign_bits(coder, work, around, nearest - 1, negative));
  if (nearest > 0) prices.nearest = price * (ended + sign_bits(coder, work, around, nearest, negative));
  return prices;
}

/* Finds the cheapest indices of a row, which are left in each block's first path. */
TARGET APART void NAME(search)(const Coder *coder, const Work *work, const Trellis *trellis, int64_t row,
                               const Wanted *wanted, int64_t largest, int state) {
  const int64_t columns = work->known->columns;
  Ways ways = {{0}, {0}};
  Neighbours neighbours;
  /* By twice the score to the left, plus the quantiser; and the column, from 1 on, of which they are. */
  Prices prices[2 * LOUDEST + 2];
  int64_t priced[2 * LOUDEST + 2] = {0};
  /* 1 if the score to the left may be other than zero. */
  int loud = 0;
  for (int s = 0; s < STATES; s++) ways.costs[s] = s == state ? 0.0f : IMPOSSIBLE;
  for (int64_t chunk = 0; chunk * CHUNK < columns; chunk++) {
    int count = (int)least(columns - chunk * CHUNK, CHUNK);
    const Expectation *expected = trellis->expected + chunk;
    ChunkContext ahead;
    find_neighbours(work->related, row * work->pitch + chunk * CHUNK, work->pitch, &neighbours);
    NAME(find_chunk_context)(work, expected, row, chunk, &ahead);
    for (int column = 0; column < count; column++) {
      int64_t x = chunk * CHUNK + column, number = row * columns + x;
      float rest = rest_of(wanted, number);
      float size = rest < 0 ? -rest : rest;
      size = size < (float)largest ? size : (float)largest;
      int32_t *path = trellis->paths + x * STATES;
      if (size < WORTHLESS && !loud && pass_quietly(coder, work, ahead.quiet[column], size, &ways, path)) {
        continue;
      }
      const ScoreContext around = context_of(work, expected, &ahead, column);
      const int nearest[2] = {(int)(size + 0.5f), (int)least((int64_t)(size + 0.5f + 0.5f), largest)};
      float limit = IMPOSSIBLE;
      for (int s = 0; s < STATES; s++) limit = ways.costs[s] < limit ? ways.costs[s] : limit;
      limit += GIVEN_UP;
      /* What leads to each state: from the first four states, and from the others. */
      float costs[2 * STATES];
      int32_t steps[2 * STATES] = {0};
      for (int i = 0; i < 2 * STATES; i++) costs[i] = IMPOSSIBLE;
      for (int s = 0; s < STATES; s++) {
        const float cost = ways.costs[s], middle = 0.5f * (float)(s & 1);
        if (cost >= limit) continue;
        const int quantizer = s & 1, index = nearest[quantizer], key = 2 * ways.left[s] + quantizer;
        if (priced[key] != x + 1) {
          prices[key] = NAME(prices_of)(coder, work, &ahead, &neighbours, column, &around, index,
                                        size < WORTHLESS, rest < 0, ways.left[s], quantizer);
          priced[key] = x + 1;
        }
        const int first = 2 * (s & 4);
        costs[first + NEXT[1][s][0]] = cost + size * size + prices[key].zero;
        steps[first + NEXT[1][s][0]] = s;
        for (int i = index > 1 ? index - 1 : 1; i <= index; i++) {
          const float off = size - ((float)i - middle);
          const float found = cost + off * off + (i == index ? prices[key].nearest : prices[key].below);
          const int to = first + NEXT[1][s][i & 1];
          if (found >= costs[to]) continue;
          costs[to] = found;
          steps[to] = 8 * i + s;
        }
      }
      loud = 0;
      for (int s = 0; s < STATES; s++) {
        const int later = costs[STATES + s] < costs[s], step = steps[later ? STATES + s : s];
        ways.costs[s] = costs[later ? STATES + s : s];
        ways.left[s] = capped((int)most(2 * (step >> 3) - (step & 1), 0), LOUDEST);
        path[s] = step;
        loud |= ways.left[s];
      }
    }
  }
  int best = 0;
  for (int s = 1; s < STATES; s++) best = ways.costs[s] < ways.costs[best] ? s : best;
  for (int64_t x = columns - 1; x >= 0; x--) {
    int32_t *path = trellis->paths + x * STATES, step = path[best];
    path[0] = step >> 3;
    best = step & 7;
  }
}

/* Codes a magnitude that is known to be at least `start`. */
TARGET ALWAYS_INLINE int64_t NAME(magnitude)(Coder *coder, const Work *work, int start, int64_t wanted,
                                             const Sets *sets, Model *const *contexts, int reading) {
  for (int found = start; found < UNARY; found++) {
    NAME(Seen) seen;
    int32_t *weights = sets->weights + found * SCORES_PLACES, *more = sets->more + found * SCORES_PLACES;
    int32_t logit = NAME(look)(contexts, found, SCORES_INPUTS, weights, more, &seen);
    /* What is learned does not wait for the bit where the processor foresees it. */
    if (!code(coder, chance_in(coder, logit), wanted > found, reading)) {
      NAME(learn)(&coder->mixer, &coder->scales, contexts, found, SCORES_INPUTS, weights, more, &seen, 0);
      return found;
    }
    NAME(learn)(&coder->mixer, &coder->scales, contexts, found, SCORES_INPUTS, weights, more, &seen, 1);
  }
  return large_magnitude(coder, wanted, work->related->channel, reading);
}

/* Codes whether a score that is not zero is negative. */
TARGET ALWAYS_INLINE int NAME(code_sign)(Coder *coder, const Work *work, const int16_t *values, int64_t place,
                                         int column, ScoreContext *context, int magnitude,
                                         int negative, int reading) {
  const Mixer *signs = &work->learned->signs;
  const uint8_t *here = work->own + place;
  int value = (int16_t)(values[column] + signed_of(here[-1]) * work->own_sign[0] +
                        signed_of(here[-work->pitch]) * work->own_sign[1]);
  context->value = (int)within((value >> 1) + context->network, -INT16_MAX, INT16_MAX);
  context->value_bin = bin_of(work->plan->bins, context->value < 0 ? -context->value : context->value);
  int turned = context->value < 0;
  Model *contexts[SIGN_INPUTS];
  int set = sign_contexts(work->related, work->own, place, work->pitch, context, magnitude,
                          work->learned->sign_models, contexts);
  int32_t *weights = signs->weights + set * SCORES_PLACES, *more = signs->more;
  NAME(Seen) seen;
  int32_t logit = NAME(look)(contexts, 0, SIGN_INPUTS, weights, more, &seen);
  int bit = code(coder, chance_in(coder, logit), negative ^ turned, reading);
  if (bit) {
    NAME(learn)(signs, &coder->scales, contexts, 0, SIGN_INPUTS, weights, more, &seen, 1);
  } else {
    NAME(learn)(signs, &coder->scales, contexts, 0, SIGN_INPUTS, weights, more, &seen, 0);
  }
  return bit ^ turned;
}

/* The magnitude that costs the least: squared error plus the price of its bits. Looked at are the nearest
 * whole number, the next one below, and zero instead of two. */
TARGET ALWAYS_INLINE int64_t NAME(best)(const Coder *coder, float size, int start, const Sets *sets,
                                        Model *const *contexts) {
  int64_t nearest = (int64_t)(size + 0.5);
  if (nearest <= start || nearest >= UNARY) return nearest;
  double lowest = 1e30, spent = 0;
  int64_t found = nearest;
  for (int bit = start; bit <= nearest; bit++) {
    NAME(Seen) seen;
    int32_t logit = NAME(look)(contexts, bit, SCORES_INPUTS, sets->weights + bit * SCORES_PLACES,
                               sets->more + bit * SCORES_PLACES, &seen);
    int64_t chance = chance_in(coder, logit);
    /* This bit ends the number where it is 0. */
    if (bit >= nearest - 1 || (bit == 0 && nearest == 2)) {
      double cost = spent + coder->bits[ONE - chance] + (bit > 0 ? SIGN_BITS : 0.0);
      double loss = (size - (float)bit) * (size - (float)bit) + coder->price * cost;
      if (loss < lowest) {
        lowest = loss;
        found = bit;
      }
    }
    spent += coder->bits[chance];
  }
  return found;
}

/* Codes the index of a score that may be other than zero, or is known to be. `size` is for choosing it. */
TARGET ALWAYS_INLINE int64_t NAME(code_index)(Coder *coder, const Work *work, const Neighbours *neighbours,
                                              const ScoreContext *context, int column, int quantizer, int start,
                                              int64_t target, float size, const Wanted *wanted, int reading) {
  Model *contexts[SCORES_INPUTS];
  size_contexts(work->related, neighbours, column, context, quantizer, work->learned->models, contexts);
  Sets sets = sets_of(work, context, quantizer);
  if (!reading && !wanted->paths && target > start) {
    target = most(NAME(best)(coder, size, start, &sets, contexts), start);
  }
  return NAME(magnitude)(coder, work, start, target, &sets, contexts, reading);
}

/* Codes a chunk of a row's blocks, from a state on; returns the next. */
TARGET ALWAYS_INLINE int NAME(code_chunk)(Coder *coder, const Work *work, const Expectation *expected,
                                          const ChunkContext *ahead, const Wanted *wanted, int64_t row,
                                          int64_t chunk, int machine, void *plane, int wide, int reading) {
  const CodedScores *known = work->known;
  const uint8_t (*next)[2] = NEXT[wanted->dependent];
  const int64_t first = chunk * CHUNK, place = row * work->pitch + first, number = row * known->columns + first;
  const int64_t largest = largest_index(wide);
  const int count = (int)least(known->columns - first, CHUNK);
  Neighbours neighbours;
  /* From the blocks above and to the left, and maybe from those below and to the right, with signs. */
  int16_t values[CHUNK];
  uint64_t others = 0;
  int found_neighbours = 0, left = work->own[place - 1] & MAGNITUDE;
  for (int column = 0; column < count; column++) {
    if (left == 0) {
      column = skip_quiet(coder, work, ahead, wanted, number, first, column, count, next, &machine, reading);
      if (column == count) break;
    }
    int quantizer = machine & 1, negative = 0, start = 0;
    float size = 0;
    int64_t target = reading ? 0 : target_of(wanted, number + column, first + column, largest, &size, &negative);
    uint32_t *quiet = quiet_model(work, ahead, column, left, quantizer);
    if (quiet && *quiet < QUIET_BELOW) {
      if (!code_quiet(coder, quiet, target, size, wanted, reading)) {
        machine = next[machine][0];
        continue;
      }
      target = most(target, 1);
      start = 1;
      quiet = NULL;
    }
    if (!found_neighbours) find_neighbours(work->related, place, work->pitch, &neighbours);
    found_neighbours = 1;
    ScoreContext around = context_of(work, expected, ahead, column), context = with_left(work, &around, left);
    int64_t found = NAME(code_index)(coder, work, &neighbours, &context, column, quantizer, start, target, size,
                                     wanted, reading);
    if (quiet) *quiet = taught(*quiet, found > 0, coder->scales.rates, QUIET_LIMIT);
    found = least(found, largest);
    machine = next[machine][found & 1];
    left = 0;
    if (found == 0) continue;
    if (!others) NAME(expect_signs)(coder->slice, work->index, row, chunk, values);
    negative = NAME(code_sign)(coder, work, values, place + column, column, &context, (int)found, negative,
                               reading);
    int64_t half = 2 * found - quantizer, score = negative ? -half : half;
    put_score(plane, wide, number + column, score);
    left = (int)least(half, LOUDEST);
    work->own[place + column] = known_score(score, LOUDEST);
    others |= UINT64_C(1) << column;
  }
  remember(known, work->index, row, chunk, others);
  return machine;
}

/* Codes one component of a slice, or decodes it. */
TARGET ALWAYS_INLINE void NAME(code_component)(const Slice *slice, RangeCoder *state, int64_t index,
                                               const Wanted *wanted, void *plane, int wide,
                                               const Trellis *trellis, const int16_t *by_network,
                                               double price, int reading) {
  const LearnedScores *learned = &slice->learned;
  const CodedScores known = slice->known;
  Coder coder = {slice, slice->scales, learned->mixer, *state, slice->plan.bins, slice->bits, price};
  const Related related = related_of(slice, index);
  const Work work = work_of(slice, &known, &related, index, by_network);
  const int searched = !reading && wanted->paths;
  int machine = 0;
  for (int64_t row = 0; row < known.rows; row++) {
    if (searched) {
      for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
        NAME(expect_chunk)(slice, index, row, chunk, trellis->expected + chunk);
      }
      NAME(search)(&coder, &work, trellis, row, wanted, largest_index(wide), machine);
    }
    for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
      Expectation here;
      const Expectation *expected = searched ? trellis->expected + chunk : &here;
      ChunkContext ahead;
      if (!searched) NAME(expect_chunk)(slice, index, row, chunk, &here);
      NAME(find_chunk_context)(&work, expected, row, chunk, &ahead);
      machine = NAME(code_chunk)(&coder, &work, expected, &ahead, wanted, row, chunk, machine, plane, wide,
                                 reading);
    }
  }
  *state = coder.range;
}

/* Compiled once for writing and once for reading: for either width it would take twice as long, and not be
 * faster, as all that depends on it is how a score is put. */
TARGET APART void NAME(write)(const Slice *slice, RangeCoder *state, int64_t index, const Wanted *wanted,
                              void *plane, int wide, const Trellis *trellis, const int16_t *by_network,
                              double price) {
  NAME(code_component)(slice, state, index, wanted, plane, wide, trellis, by_network, price, 0);
}

TARGET APART void NAME(read)(const Slice *slice, RangeCoder *state, int64_t index, const Wanted *wanted,
                             void *plane, int wide, const int16_t *by_network) {
  NAME(code_component)(slice, state, index, wanted, plane, wide, 0, by_network, 0, 1);
}

TARGET APART int NAME(code_mixed)(RangeCoder *coder, const Mixer *mixer, const Scales *scales, const Mixed *mixed,
                                  int number, int bit, int reading) {
  int32_t *weights = mixed->weights + number * SCORES_PLACES, *more = mixed->more + number * SCORES_PLACES;
  NAME(Seen) seen;
  int32_t logit = NAME(look)(mixed->contexts, number, MEANS_INPUTS, weights, more, &seen);
  bit = range_code(coder, scales->probabilities[logit + LOGIT_LIMIT], bit, reading);
  NAME(learn)(mixer, scales, mixed->contexts, number, MEANS_INPUTS, weights, more, &seen, bit);
  return bit;
}

#undef NAME
#undef TARGET
