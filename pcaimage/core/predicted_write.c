/* Choosing how tiles are divided and predicted, by squared errors and bits, and writing them. */
#include "predicted.h"

#include "wide.h"

enum { TILE_SAMPLES = PIXELS_TILE * PIXELS_TILE, TRIED = 3, COMPARED_MODES = 4 };

/* Levels are tried from this share of a step on. */
#define AUDIBLE 0.62f

/* A prediction is not tried that looks so many times as rough as the best. */
#define HOPELESS 1.15f

typedef struct {
  Square square;
  int is_divided;
} Choice;

/* A tile's choices and levels, for squares of each size, and what it should be: planes as those of the drawing; what a
 * bit is worth, and the bits of probabilities and of each model's decisions; transforms, and how they are turned:
 * cosines, then sines. */
typedef struct {
  Drawing *d;
  const int16_t *wanted;
  float price;
  const float *costs;
  float prices[MODELS_OF_SQUARES][2], inverses[MOST_PLANES];
  float waves[2][4][2][LARGEST_SIDE * LARGEST_SIDE];
  Choice choices[LOG_LARGEST + 1][TILE_SAMPLES >> (2 * LOG_LEAST)];
  int32_t levels[LOG_LARGEST + 1][MOST_CHANNELS][TILE_SAMPLES];
} Encoder;

typedef struct {
  float cost;
  int mode;
} Candidate;

typedef struct {
  float values[LARGEST_SIDE * LARGEST_SIDE];
} Scores;

ALWAYS_INLINE float magnitude(float number) { return number < 0 ? -number : number; }

/* ---- Quantising ---- */

/* Multiplies a square by a transform from the left, and by the turned one from the right. */
ALWAYS_INLINE void transform_square(const float (*waves)[LARGEST_SIDE * LARGEST_SIDE], const int side,
                                    const int16_t *rest, float unit, float *restrict found) {
  float sums[LARGEST_SIDE * LARGEST_SIDE];
  for (int u = 0; u < side; u++) {
    float line[LARGEST_SIDE] = {0};
    for (int y = 0; y < side; y++) {
      const float wave = waves[0][u * side + y] * unit;
      for (int x = 0; x < side; x++) line[x] += wave * (float)rest[y * side + x];
    }
    memcpy(sums + u * side, line, sizeof *sums * (size_t)side);
  }
  for (int u = 0; u < side; u++) {
    float line[LARGEST_SIDE] = {0};
    for (int x = 0; x < side; x++) {
      const float sum = sums[u * side + x];
      for (int v = 0; v < side; v++) line[v] += sum * waves[1][x * side + v];
    }
    memcpy(found + u * side, line, sizeof *found * (size_t)side);
  }
}

ALWAYS_INLINE void transform_any(const float (*waves)[LARGEST_SIDE * LARGEST_SIDE], int log, const int16_t *rest,
                                 float unit, float *found) {
  if (log == 2) transform_square(waves, 4, rest, unit, found);
  if (log == 3) transform_square(waves, 8, rest, unit, found);
  if (log == 4) transform_square(waves, 16, rest, unit, found);
  if (log == 5) transform_square(waves, 32, rest, unit, found);
}

EITHER_WIDTH(static, transform, transform_any,
             (const float (*waves)[LARGEST_SIDE * LARGEST_SIDE], int log, const int16_t *rest, float unit,
              float *found),
             (waves, log, rest, unit, found))

static float bits_of_levels(Drawing *d, int32_t *levels, int log, int channel, uint8_t is_sine) {
  d->bits = 0;
  code_rest(d, levels, log, channel, &is_sine, COUNTING);
  return d->bits;
}

/* Finds levels of scores in steps: one after the other, then with fewer of the last ones, as long as that is better.
 * Returns the squared error, in squared steps, and the bits by the worth of one. */
static float quantise(Drawing *d, const Scores *scores, int log, int channel, uint8_t is_sine, float price,
                      int32_t *levels) {
  const int side = 1 << log, count = side * side;
  const uint8_t(*places)[2] = (const uint8_t(*)[2])d->places[log - LOG_LEAST];
  float error = 0;
  int last = -1;
  for (int i = 0; i < count; i++) error += scores->values[i] * scores->values[i];
  for (int i = count - 1; i >= 0 && last < 0; i--) {
    if (magnitude(scores->values[places[i][1] * side + places[i][0]]) > AUDIBLE) last = i;
  }
  memset(levels, 0, (size_t)count * sizeof *levels);
  float least_cost = error + price * bits_of_levels(d, levels, log, channel, is_sine);
  if (last < 0) return least_cost;
  int32_t tried[LARGEST_SIDE * LARGEST_SIDE] = {0};
  Near near;
  memset(&near, 0, (size_t)((side + 2) * (side + 2)));
  for (int i = last; i >= 0; i--) {
    const int x = places[i][0], y = places[i][1], place = y * side + x;
    const float score = scores->values[place], size = magnitude(score);
    const int nearest = (int)(size + 0.5f);
    if (nearest == 0) continue;
    const int around = near_at(&near, side, x, y);
    float best = 0;
    int chosen = -1;
    for (int level = nearest; level >= 0; level = level > 1 && level == nearest ? level - 1 : level > 0 ? 0 : -1) {
      if (i == last && level == 0) break;
      d->bits = 0;
      code_level(d, level, log, channel > 0, x, y, around, i == last, COUNTING);
      const float cost = (size - (float)level) * (size - (float)level) + price * d->bits;
      if (chosen >= 0 && cost >= best) continue;
      best = cost;
      chosen = level;
    }
    if (chosen == 0) continue;
    tried[place] = score < 0 ? -chosen : chosen;
    note_level(&near, side, x, y, chosen);
    error += (size - (float)chosen) * (size - (float)chosen) - size * size;
  }
  for (int i = last; i >= 0; i--) {
    const int place = places[i][1] * side + places[i][0];
    if (tried[place] == 0) continue;
    const float cost = error + price * bits_of_levels(d, tried, log, channel, is_sine);
    if (cost >= least_cost && i < last) break;
    if (cost < least_cost) {
      least_cost = cost;
      memcpy(levels, tried, (size_t)count * sizeof *levels);
    }
    if (magnitude_of(tried[place]) > 1) break;
    const float size = magnitude(scores->values[place]);
    error += size * size - (size - 1) * (size - 1);
    tried[place] = 0;
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
ALWAYS_INLINE void add_roughness(const int16_t *rest, int side, float *found) {
  int64_t sum = 0;
  for (int y = 0; y < side; y += 4, rest += 4 * side) {
    int32_t lines[4][LARGEST_SIDE];
    for (int x = 0; x < side; x++) {
      const int32_t a = rest[x] + rest[2 * side + x], b = rest[side + x] + rest[3 * side + x];
      const int32_t c = rest[x] - rest[2 * side + x], e = rest[side + x] - rest[3 * side + x];
      lines[0][x] = a + b, lines[1][x] = a - b, lines[2][x] = c + e, lines[3][x] = c - e;
    }
    for (int i = 0; i < 4; i++) {
      int32_t sizes = 0;
      for (int x = 0; x < side; x += 4) {
        const int32_t *line = lines[i] + x, a = line[0] + line[2], b = line[1] + line[3];
        const int32_t c = line[0] - line[2], e = line[1] - line[3];
        const int32_t first = a < 0 ? -a : a, second = b < 0 ? -b : b, third = c < 0 ? -c : c, last = e < 0 ? -e : e;
        /* |a + b| + |a - b| is twice the larger one. */
        sizes += 2 * (first > second ? first : second) + 2 * (third > last ? third : last);
      }
      sum += sizes;
    }
  }
  *found = (float)sum * 0.25f;
}

EITHER_WIDTH(static, find_roughness, add_roughness, (const int16_t *rest, int side, float *found), (rest, side, found))

typedef struct {
  const Encoder *e;
  const Square *square;
  Around around;
  uint8_t likely[LIKELY_MODES];
  uint64_t seen[2];
  Candidate best[COMPARED_MODES];
} Trial;

static void consider(Trial *s, int mode) {
  if (mode < 0 || mode > LAST_DIRECTION || (s->seen[mode >> 6] >> (mode & 63) & 1)) return;
  s->seen[mode >> 6] |= UINT64_C(1) << (mode & 63);
  int16_t drawn[LARGEST_SIDE * LARGEST_SIDE], rest[LARGEST_SIDE * LARGEST_SIDE];
  const int side = 1 << s->square->log;
  Drawing *d = s->e->d;
  draw(mode, side, &s->around, drawn);
  take_rest(s->e, 0, s->square->x, s->square->y, side, drawn, rest);
  d->bits = 0;
  code_mode(d, s->likely, mode, COUNTING);
  Candidate found = {0, mode};
  find_roughness(rest, side, &found.cost);
  found.cost += s->e->price * (float)d->steps[0] * d->bits;
  for (int i = 0; i < COMPARED_MODES; i++) {
    if (s->best[i].cost <= found.cost) continue;
    const Candidate other = s->best[i];
    s->best[i] = found;
    found = other;
  }
}

static void search(Trial *s) {
  for (int i = 0; i < COMPARED_MODES; i++) s->best[i] = (Candidate){1e30f, -1};
  look_around(s->e->d, 0, s->square->x, s->square->y, INT64_C(1) << s->square->log, &s->around);
  likely_modes(s->e->d, s->square->x, s->square->y, INT64_C(1) << s->square->log, s->likely);
  for (int i = 0; i < LIKELY_MODES; i++) consider(s, s->likely[i]);
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
  const int log = square->log, side = 1 << log;
  take_rest(e, channel, square->x, square->y, side, drawn, rest);
  transform((const float(*)[LARGEST_SIDE * LARGEST_SIDE])e->waves[is_sine][log - LOG_LEAST], log, rest,
            1.0f / (1 << 28), scores.values);
  for (int u = 0; u < side; u++) {
    for (int v = 0; v < side; v++) scores.values[u * side + v] *= e->inverses[plane_of_wave(channel, log, u, v)];
  }
  return quantise(d, &scores, square->log, (int)channel, (uint8_t)is_sine, e->price, levels);
}

static float code_whole(Encoder *e, Square *square) {
  Drawing *d = e->d;
  const int side = 1 << square->log;
  const size_t size = sizeof(int32_t) << (2 * square->log);
  int16_t drawn[LARGEST_SIDE * LARGEST_SIDE];
  int32_t levels[LARGEST_SIDE * LARGEST_SIDE];
  Trial s = {.e = e, .square = square};
  search(&s);
  float total = 1e30f;
  for (int i = 0; i < TRIED && s.best[i].mode >= 0 && s.best[i].cost < HOPELESS * s.best[0].cost; i++) {
    draw(s.best[i].mode, side, &s.around, drawn);
    d->bits = 0;
    code_mode(d, s.likely, s.best[i].mode, COUNTING);
    const float before = e->price * d->bits;
    for (int is_sine = 0; is_sine <= (square->log < LOG_LARGEST); is_sine++) {
      if (i > 0 && is_sine != square->is_sine) continue;
      const float cost = before + try_rest(e, square, 0, drawn, is_sine, levels);
      if (cost >= total) continue;
      total = cost;
      square->mode = (uint8_t)s.best[i].mode;
      square->is_sine = (uint8_t)is_sine;
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
      const float cost = e->price * e->prices[OF_SOURCES + (int)channel][by_first] + try_rest(e, square, channel, drawn, 0, levels);
      if (cost >= least_cost) continue;
      least_cost = cost;
      square->by_first[channel] = (uint8_t)by_first;
      memcpy(square->levels[channel], levels, size);
    }
    total += least_cost;
  }
  draw_square(d, square);
  return total;
}

/* Chooses how a square is divided; returns its cost, in squared steps. What is best is drawn. */
static float choose(Encoder *e, int64_t x, int64_t y, int log, int64_t index) {
  const int64_t half = INT64_C(1) << (log - 1);
  const float *prices = e->prices[OF_SPLITS + log - LOG_LEAST - 1];
  Choice *choice = &e->choices[log][index];
  choice->square = (Square){.x = x, .y = y, .log = log};
  for (int64_t c = 0; c < e->d->channels; c++) choice->square.levels[c] = e->levels[log][c] + (index << (2 * log));
  mark(e->d, x, y, 2 * half, 0, 0);
  float whole = code_whole(e, &choice->square), divided = e->price * prices[1];
  choice->is_divided = 0;
  if (log == LOG_LEAST) return whole;
  whole += e->price * prices[0];
  if (whole < 4 * e->price) return whole;
  mark(e->d, x, y, 2 * half, 0, 0);
  for (int i = 0; i < 4 && divided < whole; i++) {
    divided += choose(e, x + (i & 1) * half, y + (i >> 1) * half, log - 1, 4 * index + i);
  }
  choice->is_divided = divided < whole;
  if (choice->is_divided) return divided;
  mark(e->d, x, y, 2 * half, 0, 0);
  draw_square(e->d, &choice->square);
  return whole;
}

static void write_square(Encoder *e, int64_t x, int64_t y, int log, int64_t index) {
  const int64_t half = INT64_C(1) << (log - 1);
  Choice *choice = log > LOG_LARGEST ? NULL : &e->choices[log][index];
  if (!choice || (log > LOG_LEAST && ask(e->d, OF_SPLITS + log - LOG_LEAST - 1, choice->is_divided, WRITING))) {
    for (int i = 0; i < 4; i++) write_square(e, x + (i & 1) * half, y + (i >> 1) * half, log - 1, 4 * index + i);
    return;
  }
  code_square(e->d, &choice->square, WRITING);
  mark(e->d, x, y, 2 * half, 1, choice->square.mode);
}

/* ---- Slices ---- */

/* Memory for a slice's encoder. */
API int64_t pcai_drawn_room(int64_t lines, int64_t width, int64_t channels) {
  const int64_t drawing = divide_drawing(NULL, NULL, lines, width, channels, NULL);
  return (drawing + 63) / 64 * 64 + (int64_t)sizeof(Encoder) + 64;
}

/* Begins a slice: its memory, cleared, is handed on to pcai_drawn_write. `costs` are bits of probabilities. */
API void pcai_drawn_begin(uint8_t *room, const PhotoPlan *plan, int64_t lines, int64_t width, double price,
                          const float *costs) {
  Drawing *d;
  const int64_t size = divide_drawing(room, plan, lines, width, plan->channels, &d);
  Encoder *e = (Encoder *)(void *)(room + (size + 63) / 64 * 64);
  e->d = d;
  e->price = (float)price;
  e->costs = costs;
  d->prices = (const float(*)[2])e->prices;
  for (int i = 0; i < 7; i++) {
    const int16_t *waves = i < 4 ? d->waves[i] : d->sines[i - 4];
    const int side = 4 << i % 4;
    for (int j = 0; j < side * side; j++) {
      e->waves[i / 4][i % 4][0][j] = waves[j];
      e->waves[i / 4][i % 4][1][j % side * side + j / side] = waves[j];
    }
  }
}

/* Writes the tiles of a row that are `coded`: one more than their levels. Wanted are samples of all lines of the
 * slice, as planes of whole tiles; found are the costs of tiles, in squared steps. */
API void pcai_drawn_write(uint8_t *room, RangeCoder *coder, const int16_t *wanted, int64_t row,
                          const uint8_t *coded, float *costs) {
  Drawing *d = (Drawing *)(void *)room;
  const int64_t size = divide_drawing(NULL, NULL, d->lines, d->columns, d->channels, NULL);
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
    code_tile_level(d, i > 0 ? tiles[i - 1] : 0, row > 0 ? tiles[i - columns] : 0, tiles[i] - 1, WRITING);
    for (int64_t j = 0; j < 64 * d->channels; j++) e->inverses[j] = 1.0f / (float)d->steps[j];
    for (int model = 0; model < MODELS_OF_SQUARES; model++) {
      const int64_t chance = chance_of_models(d, model);
      e->prices[model][0] = e->costs[ONE - chance];
      e->prices[model][1] = e->costs[chance];
    }
    for (int j = 0; j < 4; j++) {
      const int64_t x = i * PIXELS_TILE + (j & 1) * LARGEST_SIDE, y = row * PIXELS_TILE + (j >> 1) * LARGEST_SIDE;
      costs[row * columns + i] += choose(e, x, y, LOG_LARGEST, j);
    }
    mark(d, i * PIXELS_TILE, row * PIXELS_TILE, PIXELS_TILE, 0, 0);
    write_square(e, i * PIXELS_TILE, row * PIXELS_TILE, LOG_TILE, 0);
  }
}

/* Ends a slice with strengths that suit it, and turns its samples to pixels; the header is that of the slice. */
API void pcai_drawn_end(uint8_t *room, RangeCoder *coder, const Header *header, const uint8_t *mean, int64_t size,
                        const uint8_t *coded, uint8_t *pixels) {
  Drawing *d = (Drawing *)(void *)room;
  Header shown = *header;
  d->coder = coder;
  code_strengths(d, shown.strengths, WRITING);
  show_drawing(d, &shown, (Bytes){mean, size}, coded, pixels);
}
