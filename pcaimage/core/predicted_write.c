/* Choosing how tiles are divided and predicted, by squared errors and bits, and writing them. */
#include "predicted.h"

enum { TILE_SAMPLES = PIXELS_TILE * PIXELS_TILE, TRIED = 3, COMPARED_MODES = 4 };

/* Levels are tried from this share of a step on. */
#define AUDIBLE 0.62f

typedef struct {
  uint8_t is_divided, mode, is_sine, by_first[MOST_CHANNELS];
} Choice;

/* A tile's choices and levels, and what it should be: planes as those of the drawing; what a bit is worth. */
typedef struct {
  Drawing *d;
  const int16_t *wanted;
  float price;
  Choice choices[LOG_LARGEST + 1][TILE_SAMPLES >> (2 * LOG_LEAST)];
  int32_t levels[MOST_CHANNELS][TILE_SAMPLES];
} Encoder;

typedef struct {
  float cost;
  int mode;
} Candidate;

typedef struct {
  float values[LARGEST_SIDE * LARGEST_SIDE];
} Scores;

/* ---- Quantising ---- */

static void transform(const int16_t *waves, int side, const int16_t *rest, float unit, Scores *found) {
  float sums[LARGEST_SIDE * LARGEST_SIDE];
  for (int u = 0; u < side; u++) {
    float *line = sums + u * side;
    for (int x = 0; x < side; x++) line[x] = 0;
    for (int y = 0; y < side; y++) {
      const float wave = waves[u * side + y];
      for (int x = 0; x < side; x++) line[x] += wave * rest[y * side + x];
    }
  }
  for (int u = 0; u < side; u++) {
    for (int v = 0; v < side; v++) {
      float sum = 0;
      for (int x = 0; x < side; x++) sum += sums[u * side + x] * waves[v * side + x];
      found->values[u * side + v] = sum * unit;
    }
  }
}

static float bits_of_levels(Drawing *d, int32_t *levels, int log, int channel, uint8_t is_sine) {
  d->bits = 0;
  code_rest(d, levels, log, channel, &is_sine, COUNTING);
  return d->bits;
}

/* Finds levels of scores in steps: one after the other, then with fewer of the last ones. Returns the squared
 * error, in squared steps, and the bits by the worth of one. */
static float quantise(Drawing *d, const Scores *scores, int log, int channel, uint8_t is_sine, float price,
                      int32_t *levels) {
  const int side = 1 << log, count = side * side;
  const uint8_t(*places)[2] = (const uint8_t(*)[2])d->places[log - LOG_LEAST];
  int32_t tried[LARGEST_SIDE * LARGEST_SIDE] = {0};
  float error = 0, least_cost;
  int last = -1;
  for (int i = 0; i < count; i++) {
    const float score = scores->values[i];
    error += score * score;
    levels[i] = 0;
  }
  for (int i = 0; i < count; i++) {
    const float score = scores->values[places[i][1] * side + places[i][0]];
    if (score > AUDIBLE || score < -AUDIBLE) last = i;
  }
  least_cost = error + price * bits_of_levels(d, levels, log, channel, is_sine);
  for (int i = last; i >= 0; i--) {
    const int x = places[i][0], y = places[i][1], place = y * side + x;
    const float score = scores->values[place], size = score < 0 ? -score : score;
    const int near = sizes_near(tried, side, x, y), nearest = (int)(size + 0.5f);
    float best = 0;
    int chosen = -1;
    for (int level = nearest; level >= 0; level = level > 1 && level == nearest ? level - 1 : level > 0 ? 0 : -1) {
      if (i == last && level == 0) break;
      d->bits = 0;
      code_level(d, level, log, channel > 0, x, y, near, i == last, COUNTING);
      const float cost = (size - (float)level) * (size - (float)level) + price * d->bits;
      if (chosen >= 0 && cost >= best) continue;
      best = cost;
      chosen = level;
    }
    tried[place] = score < 0 ? -chosen : chosen;
    error += (size - (float)chosen) * (size - (float)chosen) - size * size;
  }
  for (int i = last, cut = 0; i >= 0 && cut < 8; i--) {
    const int place = places[i][1] * side + places[i][0];
    if (tried[place] == 0) continue;
    const float cost = error + price * bits_of_levels(d, tried, log, channel, is_sine);
    if (cost < least_cost) {
      least_cost = cost;
      memcpy(levels, tried, (size_t)count * sizeof *levels);
    }
    if (magnitude_of(tried[place]) > 1) break;
    const float size = scores->values[place] < 0 ? -scores->values[place] : scores->values[place];
    error += size * size - (size - 1) * (size - 1);
    tried[place] = 0;
    cut++;
  }
  return least_cost;
}

/* ---- Predicting ---- */

/* The rest that a prediction leaves. */
static void take_rest(const Encoder *e, int64_t channel, int64_t x, int64_t y, int side, const int16_t *drawn,
                      int16_t *rest) {
  const int16_t *wanted = e->wanted + (channel * e->d->lines + y) * e->d->columns + x;
  for (int line = 0; line < side; line++) {
    for (int i = 0; i < side; i++) {
      rest[line * side + i] =
          (int16_t)within(wanted[line * e->d->columns + i] - drawn[line * side + i], -MOST_SAMPLE, MOST_SAMPLE);
    }
  }
}

/* Magnitudes after Hadamard transforms of 4 x 4. */
static float roughness(const int16_t *rest, int side) {
  int64_t sum = 0;
  for (int y = 0; y < side; y += 4) {
    for (int x = 0; x < side; x += 4) {
      int32_t t[16];
      for (int i = 0; i < 4; i++) {
        const int16_t *q = rest + (y + i) * side + x;
        const int32_t a = q[0] + q[2], b = q[1] + q[3], c = q[0] - q[2], d = q[1] - q[3];
        t[4 * i] = a + b, t[4 * i + 1] = a - b, t[4 * i + 2] = c + d, t[4 * i + 3] = c - d;
      }
      for (int i = 0; i < 4; i++) {
        const int32_t a = t[i] + t[8 + i], b = t[4 + i] + t[12 + i], c = t[i] - t[8 + i], d = t[4 + i] - t[12 + i];
        sum += magnitude_of(a + b) + magnitude_of(a - b) + magnitude_of(c + d) + magnitude_of(c - d);
      }
    }
  }
  return (float)sum * 0.25f;
}

typedef struct {
  const Encoder *e;
  const Square *square;
  Around around;
  uint64_t seen[2];
  Candidate best[COMPARED_MODES];
} Search;

static void consider(Search *s, int mode) {
  if (mode < 0 || mode > LAST_DIRECTION || (s->seen[mode >> 6] >> (mode & 63) & 1)) return;
  s->seen[mode >> 6] |= UINT64_C(1) << (mode & 63);
  int16_t drawn[LARGEST_SIDE * LARGEST_SIDE], rest[LARGEST_SIDE * LARGEST_SIDE];
  const int side = 1 << s->square->log;
  Drawing *d = s->e->d;
  draw(mode, side, &s->around, drawn);
  take_rest(s->e, 0, s->square->x, s->square->y, side, drawn, rest);
  d->bits = 0;
  code_mode(d, s->square, mode, COUNTING);
  Candidate found = {roughness(rest, side) + s->e->price * (float)d->step * d->bits, mode};
  for (int i = 0; i < COMPARED_MODES; i++) {
    if (s->best[i].cost <= found.cost) continue;
    const Candidate other = s->best[i];
    s->best[i] = found;
    found = other;
  }
}

static void search(Search *s) {
  uint8_t likely[LIKELY_MODES];
  for (int i = 0; i < COMPARED_MODES; i++) s->best[i] = (Candidate){1e30f, -1};
  look_around(s->e->d, 0, s->square->x, s->square->y, INT64_C(1) << s->square->log, &s->around);
  likely_modes(s->e->d, s->square->x, s->square->y, INT64_C(1) << s->square->log, likely);
  for (int i = 0; i < LIKELY_MODES; i++) consider(s, likely[i]);
  consider(s, MEAN);
  for (int mode = FIRST_DIRECTION; mode <= LAST_DIRECTION; mode += 4) consider(s, mode);
  for (int apart = 2; apart > 0; apart--) {
    int found[COMPARED_MODES], count = 0;
    for (int i = 0; i < COMPARED_MODES && count < apart; i++) {
      if (s->best[i].mode >= FIRST_DIRECTION) found[count++] = s->best[i].mode;
    }
    for (int i = 0; i < count; i++) {
      if (found[i] - apart >= FIRST_DIRECTION) consider(s, found[i] - apart);
      consider(s, found[i] + apart);
    }
  }
}

/* ---- Choosing ---- */

/* Finds how a square is best coded in a channel by some prediction; returns the cost in squared steps. */
static float try_rest(Encoder *e, const Square *square, int64_t channel, const int16_t *drawn, int is_sine,
                      int32_t *levels) {
  int16_t rest[LARGEST_SIDE * LARGEST_SIDE];
  Drawing *d = e->d;
  Scores scores;
  const int side = 1 << square->log;
  const int16_t *waves = is_sine ? d->sines[square->log - LOG_LEAST] : d->waves[square->log - LOG_LEAST];
  take_rest(e, channel, square->x, square->y, side, drawn, rest);
  transform(waves, side, rest, 1.0f / ((float)(1 << 28) * (float)d->step), &scores);
  return quantise(d, &scores, square->log, (int)channel, (uint8_t)is_sine, e->price, levels);
}

static float code_whole(Encoder *e, Square *square, Choice *choice) {
  Drawing *d = e->d;
  const int side = 1 << square->log;
  const size_t size = sizeof(int32_t) << (2 * square->log);
  int16_t drawn[LARGEST_SIDE * LARGEST_SIDE];
  int32_t levels[LARGEST_SIDE * LARGEST_SIDE];
  Search s = {.e = e, .square = square};
  search(&s);
  float total = 1e30f;
  for (int i = 0; i < TRIED && s.best[i].mode >= 0; i++) {
    draw(s.best[i].mode, side, &s.around, drawn);
    d->bits = 0;
    code_mode(d, square, s.best[i].mode, COUNTING);
    const float before = e->price * d->bits;
    for (int is_sine = 0; is_sine <= (square->log < LOG_LARGEST); is_sine++) {
      const float cost = before + try_rest(e, square, 0, drawn, is_sine, levels);
      if (cost >= total) continue;
      total = cost;
      square->mode = choice->mode = (uint8_t)s.best[i].mode;
      square->is_sine = choice->is_sine = (uint8_t)is_sine;
      memcpy(square->levels[0], levels, size);
    }
  }
  /* Other channels are predicted by samples of the first as they are decoded. */
  Square first = *square;
  const int64_t channels = d->channels;
  d->channels = 1;
  draw_square(d, &first);
  d->channels = channels;
  mark(d, square->x, square->y, side, 0, 0);
  for (int64_t channel = 1; channel < channels; channel++) {
    float least_cost = 1e30f;
    for (int by_first = 0; by_first < 2; by_first++) {
      if (by_first) {
        draw_by_first(d, channel, square->x, square->y, side, drawn);
      } else {
        Around around;
        look_around(d, channel, square->x, square->y, side, &around);
        draw(square->mode, side, &around, drawn);
      }
      d->bits = 0;
      ask(d, OF_SOURCES + (int)channel, by_first, COUNTING);
      const float cost = e->price * d->bits + try_rest(e, square, channel, drawn, 0, levels);
      if (cost >= least_cost) continue;
      least_cost = cost;
      square->by_first[channel] = choice->by_first[channel] = (uint8_t)by_first;
      memcpy(square->levels[channel], levels, size);
    }
    total += least_cost;
  }
  draw_square(d, square);
  return total;
}

static Square square_at(Encoder *e, int64_t x, int64_t y, int log, int64_t index) {
  Square square = {.x = x, .y = y, .log = log};
  for (int64_t channel = 0; channel < e->d->channels; channel++) {
    square.levels[channel] = e->levels[channel] + (index << (2 * log));
  }
  return square;
}

/* A square's samples and levels, kept while it is tried in four. */
typedef struct {
  int16_t samples[MOST_CHANNELS][LARGEST_SIDE * LARGEST_SIDE];
  int32_t levels[MOST_CHANNELS][LARGEST_SIDE * LARGEST_SIDE];
} Kept;

static void keep(Encoder *e, const Square *square, Kept *kept, int back) {
  const size_t side = (size_t)1 << square->log;
  for (int64_t channel = 0; channel < e->d->channels; channel++) {
    int16_t *samples = e->d->planes + (channel * e->d->lines + square->y) * e->d->columns + square->x;
    for (size_t y = 0; y < side; y++, samples += e->d->columns) {
      int16_t *there = kept->samples[channel] + y * side;
      memcpy(back ? samples : there, back ? there : samples, side * sizeof *samples);
    }
    int32_t *levels = kept->levels[channel];
    memcpy(back ? square->levels[channel] : levels, back ? levels : square->levels[channel],
           side * side * sizeof *levels);
  }
}

/* Chooses how a square is divided; returns its cost, in squared steps. What is best is drawn. */
static float choose(Encoder *e, int64_t x, int64_t y, int log, int64_t index) {
  const int64_t half = INT64_C(1) << (log - 1);
  Kept kept;
  Choice *choice = log > LOG_LARGEST ? NULL : &e->choices[log][index];
  float whole = 1e30f, divided = 0;
  Square square = square_at(e, x, y, log, index);
  mark(e->d, x, y, 2 * half, 0, 0);
  if (choice) {
    whole = code_whole(e, &square, choice);
    choice->is_divided = 0;
    if (log == LOG_LEAST) return whole;
    e->d->bits = 0;
    ask(e->d, OF_SPLITS + log, 0, COUNTING);
    whole += e->price * e->d->bits;
    if (whole < 4 * e->price) return whole;
    keep(e, &square, &kept, 0);
    e->d->bits = 0;
    ask(e->d, OF_SPLITS + log, 1, COUNTING);
    divided = e->price * e->d->bits;
    mark(e->d, x, y, 2 * half, 0, 0);
  }
  for (int i = 0; i < 4 && divided < whole; i++) {
    divided += choose(e, x + (i & 1) * half, y + (i >> 1) * half, log - 1, 4 * index + i);
  }
  if (!choice) return divided;
  choice->is_divided = divided < whole;
  if (choice->is_divided) return divided;
  keep(e, &square, &kept, 1);
  mark(e->d, x, y, 2 * half, 1, choice->mode);
  return whole;
}

static void write_square(Encoder *e, int64_t x, int64_t y, int log, int64_t index) {
  const int64_t half = INT64_C(1) << (log - 1);
  const Choice *choice = log > LOG_LARGEST ? NULL : &e->choices[log][index];
  if (!choice || (log > LOG_LEAST && ask(e->d, OF_SPLITS + log, choice->is_divided, WRITING))) {
    for (int i = 0; i < 4; i++) write_square(e, x + (i & 1) * half, y + (i >> 1) * half, log - 1, 4 * index + i);
    return;
  }
  Square square = square_at(e, x, y, log, index);
  square.mode = choice->mode;
  square.is_sine = choice->is_sine;
  memcpy(square.by_first, choice->by_first, sizeof square.by_first);
  code_square(e->d, &square, WRITING);
  mark(e->d, x, y, 2 * half, 1, choice->mode);
}

/* ---- Slices ---- */

/* Memory for a slice's encoder. */
API int64_t pcai_drawn_room(int64_t lines, int64_t width, int64_t channels) {
  const int64_t drawing = divide_drawing(NULL, lines, width, channels, NULL);
  return (drawing + 63) / 64 * 64 + (int64_t)sizeof(Encoder) + 64;
}

/* Begins a slice: its memory, cleared, is handed on to pcai_drawn_write. `costs` are bits of probabilities. */
API void pcai_drawn_begin(uint8_t *room, int64_t lines, int64_t width, int64_t channels, double step,
                          double price, const float *costs) {
  Drawing *d;
  const int64_t size = divide_drawing(room, lines, width, channels, &d);
  Encoder *e = (Encoder *)(void *)(room + (size + 63) / 64 * 64);
  e->d = d;
  e->price = (float)price;
  d->step = drawing_step(step);
  d->costs = costs;
}

/* Writes the tiles of a row that are `coded`. Wanted are samples of all lines of the slice, as planes of whole
 * tiles; found are the costs of tiles, in squared steps. */
API void pcai_drawn_write(uint8_t *room, RangeCoder *coder, const int16_t *wanted, int64_t row,
                          const uint8_t *coded, float *costs) {
  Drawing *d = (Drawing *)(void *)room;
  const int64_t size = divide_drawing(NULL, d->lines, d->columns, d->channels, NULL);
  const int64_t columns = d->columns / PIXELS_TILE;
  Encoder *e = (Encoder *)(void *)(room + (size + 63) / 64 * 64);
  const uint8_t *tiles = coded + row * columns;
  d->coder = coder;
  e->wanted = wanted;
  for (int64_t i = 0; i < columns; i++) {
    ask(d, OF_TILES + 2 * (row > 0 && tiles[i - columns]) + (i > 0 && tiles[i - 1]), tiles[i] != 0, WRITING);
  }
  for (int64_t i = 0; i < columns; i++) {
    if (!tiles[i]) continue;
    costs[row * columns + i] = choose(e, i * PIXELS_TILE, row * PIXELS_TILE, LOG_TILE, 0);
    mark(d, i * PIXELS_TILE, row * PIXELS_TILE, PIXELS_TILE, 0, 0);
    write_square(e, i * PIXELS_TILE, row * PIXELS_TILE, LOG_TILE, 0);
  }
}

/* Turns the samples of a slice to pixels. */
API void pcai_drawn_pixels(const uint8_t *room, const int32_t *colours, int64_t lines, int64_t width,
                           uint8_t *pixels) {
  Colours given;
  memcpy(&given, colours, sizeof given);
  draw_pixels((const Drawing *)(const void *)room, &given, lines, width, pixels);
}
