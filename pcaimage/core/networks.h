/* Layers of networks, for processors of one kind: networks.c includes this for each. TARGET is for whom
 * functions are compiled, NAME(x) is a name for it, and LANES are the blocks in a vector. */

/* Multiplies inputs by weights, for LANES blocks at once: inputs are (count, LANES) with an even count, weights
 * (units, count) with units in fours, sums (units, LANES). */
TARGET static void NAME(multiply)(const int16_t *inputs, int64_t count, const int16_t *weights, int64_t units,
                                  int32_t *sums) {
  NAME(Vector) pairs[MOST_UNITS];
  for (int64_t i = 0; i < count; i += 2) {
    NAME(pair)(inputs + i * LANES, inputs + (i + 1) * LANES, pairs + i, pairs + i + 1);
  }
  for (int64_t unit = 0; unit < units; unit += 4) {
    NAME(Vector) low[4] = {0}, high[4] = {0};
    for (int64_t i = 0; i < count; i += 2) {
      for (int j = 0; j < 4; j++) {
        NAME(Vector) both = NAME(spread)(weights + (unit + j) * count + i);
        low[j] += NAME(products)(pairs[i], both);
        high[j] += NAME(products)(pairs[i + 1], both);
      }
    }
    for (int j = 0; j < 4; j++) NAME(put_apart)(low[j], high[j], sums + (unit + j) * LANES);
  }
}

/* What becomes of the sums of the hidden units: what is above their thresholds, which rise with the inputs. */
TARGET static void NAME(activate)(const int32_t *sums, const int16_t *thresholds, const int32_t *sizes,
                                  int64_t units, int16_t *found) {
  for (int64_t unit = 0; unit < units; unit++, sums += LANES, found += LANES) {
    for (int i = 0; i < LANES; i++) {
      int32_t threshold = thresholds[unit] * (sizes[i] >> 3);
      int32_t above = sums[i] + threshold, below = threshold - sums[i];
      int32_t value = ((above > 0 ? above : 0) - (below > 0 ? below : 0)) >> HIDDEN_SHIFT;
      value = value > -INT16_MAX ? value : -INT16_MAX;
      found[i] = (int16_t)(value < INT16_MAX ? value : INT16_MAX);
    }
  }
}

/* Applies a network to LANES blocks: `inputs` are theirs, and `found` (results, LANES). */
TARGET static void NAME(apply)(const Network *network, const int16_t *inputs, const int32_t *sizes,
                               int32_t *found) {
  int16_t hidden[MOST_UNITS * LANES];
  int32_t sums[MOST_UNITS * LANES];
  NAME(multiply)(inputs, network->inputs, network->hidden, network->units, sums);
  NAME(activate)(sums, network->thresholds, sizes, network->units, hidden);
  NAME(multiply)(hidden, network->units, network->outputs, network->results, found);
}

/* Finds what a network expects of a row of blocks: `found` has `area` numbers for each component. */
TARGET static void NAME(expect_row)(const Network *network, const int16_t *values, const int64_t *offsets,
                                    int64_t columns, int64_t area, int16_t *found) {
  int16_t inputs[MOST_UNITS * LANES];
  int32_t results[MOST_UNITS * LANES], sizes[LANES];
  for (int64_t column = 0; column < columns; column += LANES) {
    int64_t count = least(columns - column, LANES);
    int busy = 0;
    memset(sizes, 0, sizeof sizes);
    memset(inputs + (network->inputs - 2) * LANES, 0, 2 * LANES * sizeof *inputs);
    for (int64_t i = 0; i < network->known; i++) {
      int16_t *input = inputs + i * LANES;
      memcpy(input, values + offsets[i] + column, LANES * sizeof *input);
      for (int j = 0; j < LANES; j++) sizes[j] += input[j] < 0 ? -input[j] : input[j];
    }
    for (int64_t j = 0; j < count; j++) busy |= sizes[j] >= network->known;
    if (!busy) continue;
    NAME(apply)(network, inputs, sizes, results);
    for (int64_t result = 0; result < network->results; result++) {
      for (int64_t j = 0; j < count; j++) {
        int64_t value = (results[result * LANES + j] + (1 << (OUTPUT_SHIFT - 1))) >> OUTPUT_SHIFT;
        if (sizes[j] < network->known) value = 0;
        found[result * area + column + j] = (int16_t)within(value, -INT16_MAX, INT16_MAX);
      }
    }
  }
}
