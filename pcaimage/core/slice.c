#include "picture.h"
#include "room.h"
#include "slice.h"

/* Networks know 27 components of a channel, and the differences of the eight neighbours' means. */
enum { KNOWN = 27, NEIGHBOURS = 8, KNOWN_PLANES = KNOWN + NEIGHBOURS };

/* Known numbers are in units of the step / 8. */
#define KNOWN_BITS 3

/* Models start with counts of at most so many; those of quiet scores with a chance of 1/100 that is as sure as ten. */
#define PRIOR 30
#define QUIET_START (41943u << 10 | 10)

#define MIXER_LIMIT 255
#define MIXER_SPEED 6
#define SIGN_SPEED 3

/* The known components, 8 u + v: by u + v, then the greater of both, then u. */
static const uint8_t KNOWN_PLACES[KNOWN] = {1,  8,  9,  2,  16, 10, 17, 3,  24, 18, 11, 25, 4, 32,
                                            19, 26, 12, 33, 5,  40, 27, 20, 34, 13, 41, 6,  48};

static int number_known(int place) {
  for (int i = 0; i < KNOWN; i++) {
    if (KNOWN_PLACES[i] == place) return i;
  }
  return -1;
}

/* ---- What is learned ---- */

/* Starts models, or their words alone. */
static void take_words(const PhotoPlan *plan, const Tables *tables, int logits, int64_t count, uint32_t *words,
                       Model *models) {
  const uint8_t *of = tables->data[logits], *counts = tables->data[logits + 1];
  for (int64_t i = 0; i < count; i++) {
    Model start = started(&plan->scales, i16_at(of, i), least(counts[i], PRIOR));
    if (models) models[i] = start;
    else words[i] = start.word;
  }
}

/* Takes sets of weights, one for each input, to SCORES_PLACES each. */
static void take_weights(const Tables *tables, int table, int inputs, int64_t count, int32_t *weights) {
  for (int64_t i = 0; i < count; i++) {
    const int64_t set = i / SCORES_PLACES, place = i % SCORES_PLACES;
    weights[i] = place < inputs ? i32_at(tables->data[table], set * inputs + place) : 0;
  }
}

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

static void take_rows(const PhotoPlan *plan, const Tables *tables, int table, int64_t count, int64_t width,
                      int32_t *before, uint16_t *numbers, Model *models, Rows *rows) {
  const uint8_t *const *data = tables->data + table;
  *rows = (Rows){data[0], data[1], data[2], &plan->scales, before, width, numbers, models, 0};
  memset(numbers, 0, (size_t)count * sizeof *numbers);
  int32_t total = 0;
  for (int64_t i = 0; i < count; i++) {
    if (i % ROWS_COUNTED == 0) before[i / ROWS_COUNTED] = total;
    total += data[0][i];
  }
}

int make_row(Rows *rows, int64_t context) {
  int64_t first = context / ROWS_COUNTED * ROWS_COUNTED, place = rows->before[context / ROWS_COUNTED];
  for (int64_t i = first; i < context; i++) place += rows->trained[i];
  Model *row = rows->models + ++rows->made * rows->width;
  for (int64_t i = 0; i < rows->width; i++, place++) {
    int known = i < rows->trained[context];
    row[i] = started(rows->scales, known ? ROW_LOGIT * (int8_t)rows->logits[place] : 0,
                     known ? least(rows->counts[place], PRIOR) : 0);
  }
  rows->numbers[context] = (uint16_t)rows->made;
  return (int)rows->made;
}

void take_models(const PhotoPlan *plan, const Tables *tables, Models *models) {
  take_rows(plan, tables, TABLE_SCORES_TRAINED, SCORES_ROWS, UNARY, models->scores_before, models->scores_numbers,
            models->scores, &models->scores_rows);
  take_weights(tables, TABLE_SCORES_WEIGHTS, SCORES_INPUTS, COUNT(models->scores_weights), models->scores_weights);
  take_weights(tables, TABLE_SCORES_MORE, SCORES_INPUTS, COUNT(models->scores_more), models->scores_more);
  take_words(plan, tables, TABLE_SIGNS_LOGITS, COUNT(models->signs), NULL, models->signs);
  take_weights(tables, TABLE_SIGNS_WEIGHTS, SIGN_INPUTS, COUNT(models->signs_weights), models->signs_weights);
  take_weights(tables, TABLE_SIGNS_MORE, SIGN_INPUTS, COUNT(models->signs_more), models->signs_more);
  take_rows(plan, tables, TABLE_MEANS_TRAINED, MEANS_ROWS, MEANS_MODELS, models->means_before,
            models->means_numbers, models->means, &models->means_rows);
  take_weights(tables, TABLE_MEANS_WEIGHTS, MEANS_INPUTS, COUNT(models->means_weights), models->means_weights);
  take_weights(tables, TABLE_MEANS_MORE, MEANS_INPUTS, COUNT(models->means_more), models->means_more);
  take_words(plan, tables, TABLE_MEAN_SIGNS_LOGITS, COUNT(models->mean_signs), models->mean_signs,
             NULL);
  for (int64_t i = 0; i < COUNT(models->quiet); i++) models->quiet[i] = QUIET_START;
  take_words(plan, tables, TABLE_ESCAPES_LOGITS, COUNT(models->escapes), models->escapes, NULL);
  models->limit = models->means_limit = MIXER_LIMIT;
}

/* ---- Memory ---- */

static int64_t known_area(const SliceCoder *at) { return (at->rows + 2) * (at->columns + 2); }

/* What the channels need, as far as components are coded. */
static void divide_by_channel(SliceCoder *at, Room *room) {
  const int64_t area = at->rows * at->columns, channels = least(at->plan->channels, at->k);
  for (int64_t channel = 0; channel < channels; channel++) {
    at->around[channel] = part_of(room, NEIGHBOURS * area * (int64_t)sizeof(int32_t));
    if (at->k <= at->plan->channels) continue;
    at->known[channel] = part_of(room, KNOWN_PLANES * known_area(at) * (int64_t)sizeof(int16_t));
    for (int group = 0; group < NETWORK_GROUPS; group++) {
      const Network *network = &at->plan->networks[channel > 0][group];
      at->expected[channel][group] = at->silence;
      if (network->units == 0) continue;
      at->expected[channel][group] = part_of(room, network->results * area * (int64_t)sizeof(int16_t));
    }
  }
}

static SliceCoder *place_slice(SliceCoder given, Models *models, const float *bits, int writing, Room *room);

/* What constant components need that are a picture of their own: a slice whose blocks are eight by eight of these, of
 * all components and with one step, which shares what is learned. */
static void divide_nested(SliceCoder *at, Models *models, const float *bits, int writing, Room *room) {
  const PhotoPlan *plan = at->plan;
  const int64_t rows = (at->rows + 7) / 8, columns = (at->columns + 7) / 8, k = 64 * plan->channels;
  SliceCoder nested = {.plan = plan, .k = k, .rows = rows, .columns = columns, .wide = at->wide, .is_nested = 1};
  nested.scores = part_of(room, k * rows * columns * (int64_t)sizeof(int32_t));
  at->coefficients = part_of(room, k * rows * columns * (int64_t)sizeof(int32_t));
  at->samples = part_of(room, plan->channels * at->rows * at->columns * (int64_t)sizeof(double));
  at->nested = place_slice(nested, models, bits, writing, room);
}

static int64_t size_of_scores(const CodedScores *known) {
  return (known->components + 1) * (known->rows + 2) * pitch_of(known);
}

static int64_t size_of_near(const CodedScores *known) {
  return (known->rows + 2) * (chunks_of(known) + 2) * SET_WORDS * (int64_t)sizeof *known->near;
}

/* Divides memory up for a slice. */
static void divide(SliceCoder *at, Models *models, const float *bits, int writing, Room *room) {
  const PhotoPlan *plan = at->plan;
  const int64_t rows = at->rows, columns = at->columns, area = rows * columns;
  const int64_t others = most(at->k - plan->channels, 0), chunks = (columns + CHUNK - 1) / CHUNK;
  CodedScores known = {.components = others, .rows = rows, .columns = columns};
  known.scores = part_of(room, size_of_scores(&known));
  known.near = part_of(room, size_of_near(&known));
  at->means.errors = part_of(room, MEANS_RULES * (rows + 1) * (columns + 2) * (int64_t)sizeof(int32_t));
  at->means.left = part_of(room, plan->channels * area * (int64_t)sizeof(int32_t));
  at->means.bias = cleared_part(room, 2 * MEANS_BIASES * (int64_t)sizeof(int32_t));
  at->silence = part_of(room, area * (int64_t)sizeof(int16_t));
  at->scaled = part_of(room, area * (int64_t)sizeof(int16_t));
  divide_by_channel(at, room);
  if (writing) {
    at->search.expected = part_of(room, chunks * EXPECTATION_BYTES);
    at->search.paths = part_of(room, columns * 8 * (int64_t)sizeof(int32_t));
    at->wanted = part_of(room, area * (int64_t)sizeof(float));
    at->predicted = part_of(room, area * (int64_t)sizeof(int32_t));
  }
  if (plan->fraction == NESTED_BITS && at->k > 0 && !at->is_nested) divide_nested(at, models, bits, writing, room);
  if (!room->memory) return;
  at->slice = (Slice){plan->plan,
                      known,
                      {{models->scores_weights, models->scores_more, models->limit, MIXER_SPEED},
                       &models->scores_rows,
                       {models->signs_weights, models->signs_more, models->limit, SIGN_SPEED},
                       models->signs,
                       models->quiet,
                       models->escapes},
                      plan->scales,
                      bits};
  at->means.mixer = (Mixer){models->means_weights, models->means_more, models->means_limit, MIXER_SPEED};
  at->means.models = &models->means_rows;
  at->means.signs = models->mean_signs;
  at->means.rows = rows;
  at->means.columns = columns;
}

static SliceCoder *place_slice(SliceCoder given, Models *models, const float *bits, int writing, Room *room) {
  const PhotoPlan *plan = given.plan;
  SliceCoder *at = part_of(room, (int64_t)sizeof(SliceCoder));
  given.settling = (Settling){.planes = plan->planes, .weights = plan->prediction, .factors = plan->factors,
                              .levels = given.blocks, .by_level = given.is_nested ? 0 : plan->by_level,
                              .fraction = given.is_nested ? HALF_BITS : plan->fraction,
                              .channels = plan->channels, .rows = given.rows,
                              .columns = given.columns};
  divide(&given, models, bits, writing, room);
  if (at) *at = given;
  return at;
}

API int64_t pcai_slice_size(const PhotoPlan *plan, int64_t k, int64_t rows, int64_t columns, int64_t writing) {
  Room room = {NULL, 0};
  place_slice((SliceCoder){.plan = plan, .k = k, .rows = rows, .columns = columns}, NULL, NULL, (int)writing,
              &room);
  return size_of_room(&room);
}

API SliceCoder *pcai_slice_begin(void *memory, const PhotoPlan *plan, Models *models, int64_t k, int64_t rows,
                        int64_t columns, void *scores, int64_t wide, int8_t *regional, int8_t *blocks,
                        const float *bits, int64_t writing) {
  Room room = room_in(memory);
  SliceCoder given = {.plan = plan, .k = k, .rows = rows, .columns = columns, .wide = (int)wide,
                      .scores = scores, .regional = regional,
                      .blocks = blocks};
  return place_slice(given, models, bits, (int)writing, &room);
}

/* ---- Levels ---- */

void code_slice_levels(SliceCoder *at, RangeCoder *coder, const float *wanted, const float *worth, int reading) {
  const PhotoPlan *plan = at->plan;
  const int64_t across = (at->columns + 1) / 2;
  if (plan->levels < 2 || at->k == 0) return;
  code_levels(coder, plan->rates, wanted, worth, at->slice.bits, (at->rows + 1) / 2, across, plan->levels,
              plan->header.middle, at->regional, reading);
  for (int64_t row = 0; row < at->rows; row++) {
    for (int64_t column = 0; column < at->columns; column++) {
      at->blocks[row * at->columns + column] = at->regional[row / 2 * across + column / 2];
    }
  }
}

/* ---- What networks expect ---- */

/* Finds where the inputs of a group's network are, relative to the place of a block in the first plane's first
 * line. */
static void find_offsets(const SliceCoder *at, int group, int64_t *offsets) {
  const int64_t pitch = at->columns + 2, area = known_area(at), here = pitch + 1;
  int64_t around[NEIGHBOURS];
  for (int i = 0; i < NEIGHBOURS; i++) {
    int place = i < 4 ? i : i + 1;
    around[i] = here + (place / 3 - 1) * pitch + place % 3 - 1;
  }
  for (int i = 0; i < KNOWN; i++) {
    if (network_group_of(KNOWN_PLACES[i]) < group) *offsets++ = i * area + here;
  }
  for (int i = 0; i < NEIGHBOURS; i++) *offsets++ = (KNOWN + i) * area + here;
  /* The first three are (0, 1), (1, 0) and (1, 1); the next two (0, 2) and (2, 0). */
  for (int i = 0; i < 3; i++) {
    if (network_group_of(KNOWN_PLACES[i]) >= group) break;
    for (int j = 0; j < NEIGHBOURS; j++) *offsets++ = i * area + around[j];
  }
  static const uint8_t BESIDE[4] = {1, 3, 4, 6};
  for (int i = 3; i < 5 && group > 1; i++) {
    for (int j = 0; j < 4; j++) *offsets++ = i * area + around[BESIDE[j]];
  }
}

/* Returns what is expected of a component's scores by its channel's networks, in 1/256 of the image's step. */
static const int16_t *by_network(SliceCoder *at, int64_t plane) {
  const int64_t channel = plane / 64, area = at->rows * at->columns;
  const int place = (int)(plane % 64), group = network_group_of(place);
  const Network *network = &at->plan->networks[channel > 0][group];
  int16_t *found = at->expected[channel][group];
  if (network->units == 0) return at->silence;
  if (!at->is_expected[channel][group]) {
    int64_t offsets[MOST_INPUTS_KNOWN];
    find_offsets(at, group, offsets);
    memset(found, 0, (size_t)(network->results * area) * sizeof *found);
    expect_by_network(network, at->known[channel], offsets, at->rows, at->columns, at->columns + 2, found);
    at->is_expected[channel][group] = 1;
  }
  for (int earlier = 1; earlier < place; earlier++) {
    if (network_group_of(earlier) == group) found += area;
  }
  return found;
}

/* ---- Components ---- */

/* Finds the samples of constant components that are a picture of their own. */
static void find_samples(SliceCoder *at) {
  const SliceCoder *nested = at->nested;
  int32_t basis[64];
  Axis axis;
  for (int i = 0; i < 64; i++) basis[i] = i16_at(at->plan->tables.data[TABLE_BASIS], i);
  make_axis(basis, &axis);
  const Synthesis synthesis = synthesis_of(&axis, &axis, at->rows, at->columns, at->plan->channels);
  for (int64_t row = 0; row < nested->rows; row++) {
    fill_coefficients(&nested->settling, nested->scores, at->wide, nested->k, row, 0, nested->columns,
                      nested->rows * nested->columns, at->coefficients + row * nested->columns);
  }
  synthesise_planes(&synthesis, at->coefficients, nested->rows, 0, 0, nested->rows + 1, at->samples);
}

/* Codes a constant component, or takes it from the picture that all are. */
static void code_mean(SliceCoder *at, RangeCoder *coder, int64_t index, const float *wanted, double price,
                      void *plane, int reading) {
  const int64_t rows = at->rows, columns = at->columns, largest = largest_score(at->wide);
  const int64_t shift = COEFFICIENT_BITS - NESTED_BITS;
  if (at->nested) {
    if (index == 0) find_samples(at);
    const double *samples = at->samples + index * rows * columns;
    for (int64_t i = 0; i < rows * columns; i++) {
      int64_t score = ((int64_t)samples[i] + (1 << (shift - 1))) >> shift;
      put_score(plane, at->wide, i, within(score, -largest, largest));
    }
  } else {
    code_means(&at->means, &at->plan->scales, coder, index, wanted, plane, at->wide, &at->search, at->slice.bits,
               at->plan->dependent, price, reading);
  }
}

/* Before the components that are not constant: clears what is known of them, and tells networks of those that are. */
static void begin_others(SliceCoder *at) {
  const int64_t rows = at->rows, columns = at->columns, area = rows * columns;
  const CodedScores *known = &at->slice.known;
  clear_part(known->scores, size_of_scores(known));
  clear_part(known->near, size_of_near(known));
  clear_part(at->silence, area * (int64_t)sizeof *at->silence);
  for (int64_t channel = 0; channel < at->plan->channels; channel++) {
    int32_t *around = at->around[channel];
    clear_part(at->known[channel], KNOWN_PLANES * known_area(at) * (int64_t)sizeof(int16_t));
    find_differences(at->scores + channel * area * (at->wide ? 4 : 2), at->wide, rows, columns, around);
    for (int64_t i = 0; i < NEIGHBOURS; i++) {
      /* Differences are given in halves of what networks know. */
      keep_known(around + i * area, rows, columns, 1 - KNOWN_BITS + at->settling.fraction,
                 at->known[channel] + (KNOWN + i) * known_area(at));
    }
  }
}

/* Finds what is left of wanted scores besides their prediction; where steps differ, in units of their own. */
static void prepare_wanted(SliceCoder *at, int64_t index, const float **wanted) {
  const PhotoPlan *plan = at->plan;
  const int64_t plane = plan->planes[index], area = at->rows * at->columns;
  predict(at->around[plane / 64], plan->prediction + 8 * (index - plan->channels), at->settling.fraction, area,
          at->predicted);
  if (!at->settling.by_level) return;
  float inverses[MOST_LEVELS] = {0};
  for (int64_t level = 0; level < plan->levels; level++) {
    inverses[level] = (float)((double)(1 << 20) / plan->factors[plane * MOST_LEVELS + level]);
  }
  for (int64_t i = 0; i < area; i++) {
    float rest = (*wanted)[i] - (float)at->predicted[i] * (1.0F / (1 << COEFFICIENT_BITS));
    at->wanted[i] = rest * inverses[at->blocks[i]];
  }
  memset(at->predicted, 0, (size_t)area * sizeof *at->predicted);
  *wanted = at->wanted;
}

/* Codes a component that is not constant, and tells networks of it. */
static void code_other(SliceCoder *at, RangeCoder *coder, int64_t index, const float *wanted, double price,
                       void *plane, int reading) {
  const PhotoPlan *plan = at->plan;
  const int64_t component = plan->planes[index], channel = component / 64;
  const int16_t *expected = by_network(at, component);
  if (!reading) prepare_wanted(at, index, &wanted);
  if (at->settling.by_level && expected != at->silence) {
    scale_expected(expected, at->blocks, plan->inverses + component * MOST_LEVELS, at->rows * at->columns,
                   at->scaled);
    expected = at->scaled;
  }
  code_scores(&at->slice, coder, index - plan->channels, wanted, at->predicted, plane, at->wide, &at->search,
              expected, plan->dependent, price, reading);
  int number = number_known((int)(component % 64));
  if (number < 0) return;
  learn_component(&at->settling, plane, at->wide, at->around[channel], index, COEFFICIENT_BITS - KNOWN_BITS,
                  at->known[channel] + number * known_area(at));
}

/* Codes the next component. */
static void code_next(SliceCoder *at, RangeCoder *coder, const float *wanted, double price, int reading) {
  const int64_t index = at->next++, bytes = at->rows * at->columns * (at->wide ? 4 : 2);
  void *plane = at->scores + index * bytes;
  memset(plane, 0, (size_t)bytes);
  if (index == at->plan->channels) begin_others(at);
  if (index < at->plan->channels) {
    code_mean(at, coder, index, wanted, price, plane, reading);
  } else {
    code_other(at, coder, index, wanted, price, plane, reading);
  }
}

/* Whether there is more of the picture that constant components are. */
static int is_missing(const SliceCoder *nested) { return nested && nested->next < nested->k; }

void read_slice(SliceCoder *at, RangeCoder *coder, int64_t stop) {
  if (at->next == 0 && stop > 0) code_slice_levels(at, coder, NULL, NULL, 1);
  while (stop > 0 && is_missing(at->nested)) code_next(at->nested, coder, NULL, 0, 1);
  while (at->next < least(stop, at->k)) code_next(at, coder, NULL, 0, 1);
}

API void pcai_slice_write(SliceCoder *at, RangeCoder *coder, const float *wanted, double price) {
  if (is_missing(at->nested)) at = at->nested;
  if (at->next < at->k) code_next(at, coder, wanted, price, 0);
}
