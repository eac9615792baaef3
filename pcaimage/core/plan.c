#include "plan.h"

/* Names of relatives' places: two lines above and to the left are empty, and so is the channel behind the last.
 */
typedef struct {
  int16_t number[MOST_CHANNELS + 1][10][10];
} Numbered;

double step_of(const Header *header) { return (double)header->mantissa * power_of_two(header->exponent); }

int grade_of_step(const Header *header) {
  double relative = step_of(header) * 255 / header->peak;
  return (relative >= 5.5) + (relative >= 23.0);
}

int32_t step_root(int64_t exponent) {
  static const int16_t ROOTS[16] = {16384, 17109, 17867, 18658, 19484, 20347, 21247, 22188,
                                    23170, 24196, 25268, 26386, 27554, 28774, 30048, 31379};
  return ROOTS[exponent & 15];
}

int64_t step_exponent(const Header *header, int64_t plane, int64_t level) {
  /* 128 log2(1 + (u^2 + v^2) / 16), by u^2 + v^2. */
  static const int16_t LOUD[99] = {
      0,   11,  22, 0, 41, 50,  0,   0, 75, 82,  90,  0, 0,   110, 0,   0, 128, 134, 139, 0,
      150, 0,   0,  0, 0,  174, 178, 0, 0,  191, 0,   0, 203, 0,   210, 0, 218, 221, 0,   0,
      231, 235, 0,  0, 0,  247, 0,   0, 0,  259, 262, 0, 267, 270, 0,   0, 0,   0,   283, 0,
      0,   290, 0,  0, 0,  300, 0,   0, 0,  0,   0,   0, 315, 0,   319, 0, 0,   0,   0,   0,
      0,   0,   0,  0, 0,  340, 0,   0, 0,  0,   0,   0, 0,   0,   0,   0, 0,   0,   363};
  int64_t u = plane >> 3 & 7, v = plane & 7;
  int64_t weight = header->weights[1 + plane / 64] + ((header->weights[0] * LOUD[u * u + v * v] + 128) >> 8);
  return within(weight + 8 * (level - header->middle), -96, 96);
}

/* Finds factors of the step; returns the smallest, in 2^-20. */
static int32_t find_steps(PhotoPlan *plan) {
  int32_t finest = 1 << 20;
  memset(plan->factors, 0, sizeof plan->factors);
  memset(plan->inverses, 0, sizeof plan->inverses);
  for (int64_t plane = 0; plane < 64 * plan->channels; plane++) {
    for (int64_t level = 0; level < plan->levels; level++) {
      int64_t exponent = step_exponent(&plan->header, plane, level), place = plane * MOST_LEVELS + level;
      plan->factors[place] = step_root(exponent) * (1 << ((exponent >> 4) + 6));
      plan->inverses[place] = (int32_t)((INT64_C(1) << 32) / plan->factors[place]);
      finest = plan->factors[place] < finest ? plan->factors[place] : finest;
    }
  }
  return finest;
}

/* Whether scores need 32 bits; -1 if these are too few. A lapped block's score is at most the block's norm. */
static int width_of_scores(const Header *header, int32_t finest) {
  static const double ROOTS[MOST_CHANNELS] = {1.0, 1.4142135623730951, 1.7320508075688772, 2.0};
  double largest = 16 * header->peak * ROOTS[header->channels - 1] / step_of(header);
  if (largest > SCORES_LARGEST) return -1;
  return !(largest / ((double)finest / (1 << 20)) < 0.9 * INT16_MAX);
}

/* Lists the components that are not constant in the order of the tables: channel, place, and plane. Returns how
 * many there are, or 0 if the tables are damaged. */
static int list_components(const PhotoPlan *plan, int16_t *channels, int16_t *places, int16_t *planes) {
  const uint8_t *order = plan->tables.data[TABLE_ORDER];
  uint8_t seen[MOST_PLANES] = {0};
  int count = 0;
  for (int place = 0; place < PLACES; place++, order += 3) {
    if (order[0] > 2 || order[1] > 7 || order[2] > 7 || order[1] + order[2] == 0) return 0;
    for (int channel = order[0]; channel < plan->channels; channel += channel == 2 ? 1 : MOST_CHANNELS) {
      int plane = 64 * channel + 8 * order[1] + order[2];
      if (seen[plane]++) return 0;
      channels[count] = (int16_t)channel;
      places[count] = (int16_t)place;
      planes[count++] = (int16_t)plane;
    }
  }
  return count == 63 * plan->channels ? count : 0;
}

/* The level by which a component is sorted: that of its variance, by the image's slopes. */
static int32_t spectral_level(const Header *header, int plane) {
  static const int8_t OCTAVES[8] = {0, 16, 25, 32, 37, 41, 45, 48};
  int channel = plane / 64, u = plane >> 3 & 7, v = plane & 7;
  const int8_t *slopes = header->slopes + 5 * channel;
  int32_t scale = channel > 0 ? 32 * slopes[-1] : 0;
  return scale + slopes[0] * OCTAVES[u] + slopes[1] * OCTAVES[v] + slopes[2] * OCTAVES[u > v ? u : v] +
         8 * slopes[3] * (u + v);
}

/* Puts the components in the order of the file: by descending level, which leaves what is alike as it is. */
static int order_components(PhotoPlan *plan) {
  int16_t channels[MOST_COMPONENTS], places[MOST_COMPONENTS], planes[MOST_COMPONENTS], ranks[MOST_COMPONENTS];
  int32_t levels[MOST_COMPONENTS];
  int count = list_components(plan, channels, places, planes);
  for (int i = 0; i < count; i++) {
    int rank = i;
    levels[i] = plan->header.tools & TOOL_ORDERED ? spectral_level(&plan->header, planes[i]) : 0;
    for (; rank > 0 && levels[ranks[rank - 1]] < levels[i]; rank--) ranks[rank] = ranks[rank - 1];
    ranks[rank] = (int16_t)i;
  }
  for (int64_t i = 0; i < plan->channels; i++) plan->planes[i] = 64 * i;
  for (int i = 0; i < count; i++) {
    plan->channel[i] = channels[ranks[i]];
    plan->place[i] = places[ranks[i]];
    plan->planes[plan->channels + i] = planes[ranks[i]];
  }
  plan->components = count;
  return count > 0;
}

/* What each component tells of the sizes of others, which a fourth channel has for itself. */
static void relate_sizes(PhotoPlan *plan) {
  const uint8_t *const *data = plan->tables.data + TABLE_OWN;
  int16_t *told = plan->told;
  for (int64_t i = 0; i < plan->components; i++) {
    for (int64_t j = 0; j < plan->components; j++, told += 3) {
      int64_t place = (int64_t)plan->place[j] * PLACES + plan->place[i];
      int apart = (plan->channel[i] == 3) != (plan->channel[j] == 3);
      for (int kind = 0; kind < 3; kind++) told[kind] = (int16_t)(apart ? 0 : i16_at(data[kind], place));
    }
  }
}

/* What each component tells of the signs of others, in the blocks on four sides. */
static int relate_signs(PhotoPlan *plan, const Numbered *numbered) {
  const uint8_t *targets = plan->tables.data[TABLE_SIGN_TARGET],
                *weights = plan->tables.data[TABLE_SIGN_WEIGHT];
  const uint8_t *order = plan->tables.data[TABLE_ORDER];
  memset(plan->signs, 0, (size_t)(4 * plan->components * plan->components) * sizeof *plan->signs);
  for (int64_t i = 0; i < plan->components; i++) {
    for (int64_t j = 0; j < 4 * 8; j++) {
      int64_t place = (int64_t)plan->place[i] * 4 * 8 + j, target = i16_at(targets, place);
      if (target < 0) continue;
      if (target >= PLACES) return 0;
      int64_t to = numbered->number[plan->channel[i]][order[3 * target + 1] + 2][order[3 * target + 2] + 2];
      int16_t *sum = plan->signs + (to * plan->components + i) * 4 + j / 8;
      *sum = (int16_t)(uint16_t)((uint32_t)*sum + (uint32_t)i16_at(weights, place));
    }
    memcpy(plan->own_sign + 2 * i, plan->signs + (i * plan->components + i) * 4, 2 * sizeof *plan->signs);
  }
  return 1;
}

/* Finds the sets of earlier components that tell of each anything. */
static void find_predictors(const int16_t *weights, int kinds, int64_t components, uint64_t *sets) {
  memset(sets, 0, (size_t)(components * SET_WORDS) * sizeof *sets);
  for (int64_t i = 0; i < components; i++, sets += SET_WORDS) {
    for (int64_t j = 0; j < i; j++) {
      const int16_t *of = weights + (i * components + j) * kinds;
      int any = 0;
      for (int kind = 0; kind < kinds; kind++) any |= of[kind];
      if (any) sets[j / 64] |= UINT64_C(1) << j % 64;
    }
  }
}

/* The earlier components that serve as a component's context. */
static void find_related(PhotoPlan *plan, const Numbered *numbered, int64_t i) {
  int64_t plane = plan->planes[plan->channels + i], channel = plane / 64, u = plane >> 3 & 7, v = plane & 7;
  const int16_t (*own)[10] = numbered->number[channel];
  int64_t other = channel == 1 || channel == 2 ? 3 - channel : MOST_CHANNELS;
  int64_t less = channel == 0, down = less ? most(u - 1, 0) : u, along = less ? most(v - 1, 0) : v;
  int16_t found[N_RELATED] = {own[u + 1][v + 2],
                              own[u + 2][v + 1],
                              numbered->number[0][down + 2][along + 2],
                              numbered->number[other][u + 2][v + 2],
                              own[u][v + 2],
                              own[u + 2][v]};
  for (int j = 0; j < N_RELATED; j++) plan->related[N_RELATED * i + j] = found[j] < i ? found[j] : -1;
}

/* Takes what the tables say of each component by itself. */
static void take_parameters(PhotoPlan *plan) {
  const Tables *tables = &plan->tables;
  for (int64_t i = 0; i < plan->components; i++) {
    int64_t plane = plan->planes[plan->channels + i], kind = least(plan->channel[i], 2), place = plan->place[i];
    int64_t band = least(((plane >> 3 & 7) + (plane & 7)) / 2, 3);
    plan->group[i] = (int16_t)(4 * kind + band);
    plan->level[i] = (int16_t)(uint16_t)(2 * i16_at(tables->data[TABLE_LEVEL], place));
    for (int j = 0; j < 4; j++) {
      plan->causal[4 * i + j] = (int16_t)i16_at(tables->data[TABLE_CAUSAL], 4 * place + j);
    }
    for (int j = 0; j < 8; j++) {
      plan->prediction[8 * i + j] = i16_at(tables->data[TABLE_PREDICTION], (64 * kind + plane % 64) * 8 + j);
    }
  }
}

/* Takes the tables of mixing; returns whether they are in range. */
static int take_scales(PhotoPlan *plan) {
  const Tables *tables = &plan->tables;
  int fine = 1;
  for (int i = 0; i < ONE; i++) {
    int32_t logit = i16_at(tables->data[TABLE_LOGITS], i);
    fine &= logit >= -LOGIT_LIMIT && logit <= LOGIT_LIMIT;
    plan->logits[i] = (int16_t)logit;
  }
  for (int i = 0; i < 1024; i++) plan->rates[i] = u16_at(tables->data[TABLE_RATES], i);
  for (int i = 0; i < N_LOGITS; i++) {
    int32_t chance = u16_at(tables->data[TABLE_PROBABILITIES], i);
    fine &= chance > 0;
    plan->probabilities[i] = chance;
  }
  for (int i = 0; i < LEVELS; i++) {
    fine &= tables->data[TABLE_BINS][i] < BINS;
    plan->bins[i] = (int8_t)tables->data[TABLE_BINS][i];
  }
  plan->scales = (Scales){plan->logits, plan->probabilities, plan->rates};
  return fine;
}

/* Takes a network; one that expects nothing has no units. */
static void take_network(PhotoPlan *plan, int kind, int group) {
  Layers layers = layers_of(group);
  int64_t inputs = layers.known + layers.known % 2, results = (layers.results + 3) / 4 * 4, any = 0;
  const uint8_t *hidden = plan->tables.data[TABLE_HIDDEN + group];
  const uint8_t *thresholds = plan->tables.data[TABLE_THRESHOLDS + group];
  const uint8_t *outputs = plan->tables.data[TABLE_OUTPUTS + group];
  int16_t *first = plan->hidden[kind][group], *last = plan->outputs[kind][group];
  memset(first, 0, sizeof plan->hidden[kind][group]);
  memset(last, 0, sizeof plan->outputs[kind][group]);
  for (int64_t unit = 0; unit < layers.units; unit++) {
    int64_t row = kind * layers.units + unit;
    plan->thresholds[kind][group][unit] = (int16_t)i16_at(thresholds, row);
    for (int64_t i = 0; i < layers.known; i++) {
      first[unit * inputs + i] = (int16_t)i16_at(hidden, row * layers.known + i);
    }
  }
  for (int64_t i = 0; i < layers.results * layers.units; i++) {
    last[i] = (int16_t)i16_at(outputs, kind * layers.results * layers.units + i);
    any |= last[i];
  }
  plan->networks[kind][group] = (Network){first,  plan->thresholds[kind][group], last,   layers.known,
                                          inputs, any ? layers.units : 0,        results};
}

static void point(PhotoPlan *plan) {
  plan->plan = (Plan){plan->predictors, plan->told,  plan->sign_predictors, plan->signs,   plan->own_sign,
                      plan->causal,     plan->level, plan->related,         plan->channel, plan->group,
                      plan->place,      plan->bins,  plan->components};
}

int make_plan(PhotoPlan *plan, const Header *header, Bytes shared, Bytes grade) {
  plan->header = *header;
  plan->channels = header->channels;
  plan->levels = most(header->levels, 1);
  plan->by_level = header->levels > 0 || header->n_weights > 0;
  plan->fraction = header->tools & TOOL_NESTED ? NESTED_BITS : HALF_BITS;
  plan->dependent = (header->tools & TOOL_DEPENDENT) != 0;
  plan->grade = grade_of_step(header);
  for (int i = N_SHARED_TABLES; i < N_TABLES; i++) plan->tables.data[i] = NULL;
  if (!find_tables(&plan->tables, 0, N_SHARED_TABLES, shared.data, shared.size)) return PCAI_TABLES;
  if (grade.data && !find_tables(&plan->tables, N_SHARED_TABLES, N_TABLES, grade.data, grade.size)) {
    return PCAI_TABLES;
  }
  plan->wide = width_of_scores(header, find_steps(plan));
  if (plan->wide < 0) return PCAI_DAMAGED;
  Numbered numbered;
  memset(&numbered, -1, sizeof numbered);
  if (!order_components(plan) || !take_scales(plan)) return PCAI_TABLES;
  for (int64_t i = 0; i < plan->components; i++) {
    int64_t plane = plan->planes[plan->channels + i];
    numbered.number[plane / 64][(plane >> 3 & 7) + 2][(plane & 7) + 2] = (int16_t)i;
  }
  relate_sizes(plan);
  if (!relate_signs(plan, &numbered)) return PCAI_TABLES;
  find_predictors(plan->told, 3, plan->components, plan->predictors);
  find_predictors(plan->signs, 4, plan->components, plan->sign_predictors);
  for (int64_t i = 0; i < plan->components; i++) find_related(plan, &numbered, i);
  take_parameters(plan);
  for (int kind = 0; kind < NETWORK_KINDS; kind++) {
    for (int group = 0; group < NETWORK_GROUPS; group++) take_network(plan, kind, group);
  }
  point(plan);
  return PCAI_OK;
}
