/* Pixels of tiles, coded by prediction among pixels. */
#include "pixels.h"

/* The colours around a pixel, by where they lie. */
typedef struct {
  uint32_t w, n, nw, ne, ww, nn, nne, nee, nww, www, nnw;
} Around;

ALWAYS_INLINE Around look(const uint32_t *here, int64_t stride) {
  const uint32_t *up = here - stride, *top = up - stride;
  return (Around){here[-1], up[0], up[-1], up[1], here[-2], top[0], top[1], up[2], up[-2], here[-3], top[-1]};
}

ALWAYS_INLINE int channel_of(uint32_t colour, int channel) { return (colour >> (8 * channel)) & 255; }

/* The middle of left, above, and the plane through left, above, and what is between. */
ALWAYS_INLINE int median(int left, int above, int between) {
  int low = left < above ? left : above, high = left < above ? above : left;
  return (int)within(left + above - between, low, high);
}

/* ln(1 + mass) in 1/256, of a mass from 0 to 2^30. */
ALWAYS_INLINE int32_t log_of(const Experience *known, int32_t mass) {
  int octave = digits(mass + 1) - 1;
  uint32_t aligned = (uint32_t)(mass + 1) << (30 - octave);
  return ((octave * 45426) >> 8) + known->logs[(aligned >> 20) & 1023];
}

/* The mass of a logistic distribution below a place, and above it. */
ALWAYS_INLINE int32_t below(const Experience *known, int64_t place) {
  int32_t mass = known->masses[least(magnitude_of(place), MASSES - 1)];
  return place < 0 ? mass : (1 << 30) - mass;
}

/* An expectation of a channel's value: its center in 1/16, what it learns, and how narrow it is. */
typedef struct {
  int64_t raw, center, inverse;
  int32_t *width, *bias;
} ValueEstimate;

/* The logit of a value being in the upper half of [low, low + 2 half), given that it is in either. */
ALWAYS_INLINE int32_t upper_logit(const Experience *known, const ValueEstimate *expected, int low, int half) {
  int64_t places[3];
  int32_t masses[3];
  for (int i = 0; i < 3; i++) {
    int64_t distance = 16 * (low + i * half) - 8 - expected->center;
    places[i] = distance >= 0 ? (distance * expected->inverse) >> 18 : -((-distance * expected->inverse) >> 18);
  }
  /* What is small is found from its own side, where it has more digits. */
  int turned = places[1] > 0;
  for (int i = 0; i < 3; i++) masses[i] = below(known, turned ? -places[i] : places[i]);
  if (low == 0) masses[0] = turned ? 1 << 30 : 0;
  if (low + 2 * half == 256) masses[2] = turned ? 0 : 1 << 30;
  int32_t upper = turned ? masses[1] - masses[2] : masses[2] - masses[1];
  int32_t lower = turned ? masses[0] - masses[1] : masses[1] - masses[0];
  return (int32_t)bounded_logit(log_of(known, upper) - log_of(known, lower));
}

/* What the neighbours say of a channel's value. */
typedef struct {
  int base, expected, activity, missed;
  ValueEstimate estimates[ESTIMATES];
} ValueContext;

/* Finds what is expected of channel `channel`, coded as number `order`; `sofar` has the channels before, the
 * last of which missed the middle of its neighbours by `missed`. */
ALWAYS_INLINE void find_context(const Experience *known, const Around *at, int order, int channel, int before,
                            uint32_t sofar, int missed, ValueContext *out) {
  int w = channel_of(at->w, channel), n = channel_of(at->n, channel), nw = channel_of(at->nw, channel);
  int ne = channel_of(at->ne, channel), nn = channel_of(at->nn, channel), ww = channel_of(at->ww, channel);
  int activity = (int)(magnitude_of(w - nw) + magnitude_of(n - nw) + magnitude_of(n - ne));
  int centers[ESTIMATES], side;
  out->base = median(w, n, nw);
  out->missed = missed;
  out->expected = (int)within(out->base + missed, 0, 255);
  out->activity = (int)level(activity, ACTIVITIES - 1);
  centers[0] = 16 * out->expected;
  if (order > 0) {
    int value = channel_of(sofar, before);
    int dw = w - channel_of(at->w, before), dn = n - channel_of(at->n, before);
    int dnw = nw - channel_of(at->nw, before), dne = ne - channel_of(at->ne, before);
    centers[1] = 16 * (value + median(dw, dn, dnw));
    centers[2] = 4 * (4 * value + dw + dn + dne + dnw);
    centers[3] = 8 * (2 * value + dw + dn);
    side = (int)within((missed >> 2) + 8, 0, 17);
  } else {
    centers[1] = 8 * (w + n) + 4 * (ne - nw);
    centers[2] = 16 * (w + ne - n);
    centers[3] = 6 * (w + n + ne) + 2 * (nw - nn - ww);
    side = (n > nn) + 2 * (ne > n);
  }
  int place = out->activity * 36 + (w > n) * 18 + side;
  int usual = (int)level(magnitude_of(missed), 7);
  int other = (int)level(magnitude_of(ww - w) + magnitude_of(nn - n), 7);
  for (int i = 0; i < ESTIMATES; i++) {
    ValueEstimate *each = out->estimates + i;
    int64_t set = i * MOST_CHANNELS + order;
    each->bias = known->biases + 2 * (set * ACTIVITIES * 36 + place);
    each->width = known->widths + 2 * ((set * ACTIVITIES + out->activity) * 8 + (i < 3 ? usual : other));
    each->raw = centers[i];
    int64_t bias = ((int64_t)each->bias[0] * known->rates[each->bias[1] + 3]) >> 16;
    each->center = within(each->raw + bias, 0, 255 * 16);
    /* Eight levels for each octave. */
    int64_t size = 8 * (((int64_t)each->width[0] >> 6) + 3);
    int octave = digits(size) - 4;
    each->inverse = known->inverses[least(8 * octave + ((size >> octave) & 7), 167)];
  }
}

ALWAYS_INLINE void learn_value(const Experience *known, const ValueContext *out, int value) {
  for (int i = 0; i < ESTIMATES; i++) {
    const ValueEstimate *each = out->estimates + i;
    int64_t old = each->width[0], error = magnitude_of(16 * value - each->center);
    each->width[0] = (int32_t)(old + (((46 * error - old) * known->rates[each->width[1]]) >> 16));
    each->width[1] = (int32_t)least(each->width[1] + 1, 60);
    each->bias[0] += (int32_t)(16 * value - each->raw);
    each->bias[1]++;
    if (each->bias[1] > 252) {
      each->bias[0] >>= 1;
      each->bias[1] >>= 1;
    }
  }
}

/* The hash of a context at a node of the tree of a channel's bits. */
ALWAYS_INLINE uint32_t of_node(uint32_t context, int node) {
  return hashed(context, (uint32_t)node * 0x2545F491u);
}

/* Fetches the models of some nodes ahead: they lie far apart, so that waiting for them takes long. */
ALWAYS_INLINE void expect_nodes(const Experience *known, const uint32_t *contexts, int node, int count) {
  for (int each = node; each < node + count; each++) {
    for (int i = 0; i < REMEMBERED; i++) {
      __builtin_prefetch(known->models + (of_node(contexts[i], each) & (uint64_t)known->model_mask), 1);
    }
  }
}

/* Codes the channels of a pixel that has none of the candidates' colours; returns its colour. */
static uint32_t code_values(const Experience *known, const Around *at, uint32_t near, uint32_t colour,
                            int channels, RangeCoder *coder, int reading, float *cost) {
  static const int ORDER[MOST_CHANNELS] = {1, 0, 2, 3}, PLAIN[MOST_CHANNELS] = {0, 1, 2, 3};
  const int *order = channels > 2 ? ORDER : PLAIN;
  uint32_t sofar = 0;
  int missed = 0;
  for (int k = 0; k < channels; k++) {
    int channel = order[k], value = channel_of(colour, channel), node = 1, low = 0;
    ValueContext out;
    find_context(known, at, k, channel, order[k > 0 ? k - 1 : 0], sofar, missed, &out);
    uint32_t w = (uint32_t)channel_of(at->w, channel), n = (uint32_t)channel_of(at->n, channel);
    uint32_t corners = (uint32_t)(channel_of(at->nw, channel) * 256 + channel_of(at->ne, channel));
    uint32_t number = (uint32_t)k << 16, expected = number + (uint32_t)out.expected;
    uint32_t busy = (uint32_t)(out.activity * 16 + level(magnitude_of(missed), 7));
    uint32_t self = hashed(sofar, (uint32_t)k + 77), left = hashed(self, at->w);
    uint32_t contexts[REMEMBERED] = {
        self, hashed(left, 11), hashed(hashed(self, at->n), 12), hashed(left, at->n),
        hashed(hashed(13, number + w * 256 + n), (uint32_t)missed), hashed(hashed(14, expected), busy),
        hashed(self, near), hashed(hashed(15, expected), (uint32_t)missed & 255),
        hashed(hashed(16, number + corners), w + 256 * n)};
    expect_nodes(known, contexts, 1, 3);
    for (int half = 128, depth = 0; half > 0; half >>= 1, depth++) {
      Mixture mixture;
      if (half > 2) expect_nodes(known, contexts, 4 * node, 4);
      for (int i = 0; i < REMEMBERED; i++) remember(known, &mixture, i, of_node(contexts[i], node));
      for (int i = 0; i < ESTIMATES; i++) {
        mixture.inputs[REMEMBERED + i] = upper_logit(known, out.estimates + i, low, half);
      }
      int inside = out.expected >= low && out.expected < low + 2 * half;
      int place = k * 8 + depth;
      int bit = mixed_bit(known, &mixture, REMEMBERED, ESTIMATES,
                          FIRST_SETS + place * 2 * ACTIVITIES + 2 * out.activity + inside,
                          SECOND_SETS + k * 256 + node, COMPARED_CURVES + 2 * place + inside, coder,
                          (value & half) > 0, reading, cost);
      node = 2 * node + bit;
      low += bit ? half : 0;
    }
    learn_value(known, &out, low);
    missed = low - out.base;
    sofar |= (uint32_t)low << (8 * channel);
  }
  return sofar;
}

/* The colours that a pixel is compared with, each once, and which of the six sources each is from. */
typedef struct {
  uint32_t colours[CANDIDATES], sources[CANDIDATES];
  int count;
} Candidates;

ALWAYS_INLINE Candidates candidates_of(const uint32_t *sources) {
  Candidates all = {.count = 0};
  for (int i = 0; i < CANDIDATES; i++) {
    int j = 0;
    while (j < all.count && all.colours[j] != sources[i]) j++;
    if (j == all.count) {
      all.colours[j] = sources[i];
      all.sources[j] = 0;
      all.count++;
    }
    all.sources[j] |= 1u << i;
  }
  return all;
}

ALWAYS_INLINE void learn_colour(uint32_t *known, uint8_t *sure, uint32_t colour) {
  if (*sure > 0 && *known == colour) {
    *sure = (uint8_t)(*sure < 255 ? *sure + 1 : 255);
  } else {
    *known = colour;
    *sure = 1;
  }
}

/* What a writer may change: values that are coded as such become multiples of the step, and colours those of
 * candidates where that is worth it, unless it has no price. Colours that go on in so many directions are worth
 * more: others will be taken from them. */
typedef struct {
  int goes_on;
  float step, price;
  /* What values cost in bits, on average. */
  float usual;
} Freedom;

ALWAYS_INLINE int64_t difference(uint32_t one, uint32_t other) {
  int64_t total = 0;
  for (int c = 0; c < MOST_CHANNELS; c++) {
    int64_t each = channel_of(one, c) - channel_of(other, c);
    total += each * each;
  }
  return total;
}

/* The colour to write in place of another. */
ALWAYS_INLINE uint32_t settled(uint32_t colour, const Candidates *all, const Freedom *freedom) {
  static const float WORTH[3] = {1, 3, 12};
  uint32_t best = 0;
  float step = freedom->step;
  for (int c = 0; c < MOST_CHANNELS; c++) {
    int value = channel_of(colour, c);
    best |= (uint32_t)least((int)((float)(int)((float)value / step + 0.5F) * step + 0.5F), 255) << (8 * c);
  }
  if (freedom->goes_on > 1) best = colour;
  if (freedom->price <= 0) {
    for (int i = 0; i < all->count; i++) best = all->colours[i] == colour ? colour : best;
    return best;
  }
  float worth = WORTH[freedom->goes_on];
  float cheapest = worth * (float)difference(colour, best) + freedom->price * freedom->usual;
  for (int i = 0; i < all->count; i++) {
    float error = worth * (float)difference(colour, all->colours[i]);
    float cost = error + freedom->price * (i > 0 ? 2 + (float)i : 0.1F);
    if (cost < cheapest) {
      cheapest = cost;
      best = all->colours[i];
    }
  }
  return best;
}

/* What is known of a pixel before it is coded, and the models of the colour that it is compared with. */
typedef struct {
  Around at;
  uint32_t near, wide, pattern, misses, history, trust, lasting, source;
  uint64_t wide_place, near_place;
  Candidates all;
  Mixture mixture;
  /* The same place of the image before; NULL in the first one. */
  const uint32_t *before;
  /* Whether all around has one colour and was found at once: then the next pixel may have the same scene. */
  int plain;
} Scene;

/* Asks the models of a colour that a pixel is compared with. */
ALWAYS_INLINE void compare(const Experience *known, Scene *scene, int i) {
  const Around *at = &scene->at;
  Mixture *mixture = &scene->mixture;
  uint32_t number = (uint32_t)i, candidate = scene->all.colours[i];
  uint32_t source = number * 64 + scene->all.sources[i];
  scene->source = source;
  remember(known, mixture, 0, hashed(hashed(1, source), scene->trust));
  remember(known, mixture, 1, hashed(hashed(hashed(hashed(2, candidate), at->w), at->n), number));
  remember(known, mixture, 2, hashed(hashed(hashed(3, candidate), scene->near), number));
  remember(known, mixture, 3, hashed(hashed(hashed(4, candidate), scene->wide), number));
  remember(known, mixture, 4, hashed(hashed(hashed(5, source), scene->pattern), scene->misses));
  remember(known, mixture, 5, hashed(hashed(hashed(6, source), scene->lasting), scene->history));
  remember(known, mixture, 6, hashed(hashed(hashed(7, candidate), at->n), at->nn + 3 * at->nne));
  remember(known, mixture, 7, hashed(hashed(hashed(8, candidate), at->w), at->ww + 3 * at->ne));
}

/* Whether the image before has the same colour ahead of a pixel. */
ALWAYS_INLINE int is_plain(const uint32_t *before, int64_t stride) {
  return before[1] == before[0] && before[stride] == before[0] && before[1 - stride] == before[0];
}

/* Looks around a pixel. */
ALWAYS_INLINE void survey(const Experience *known, Scene *scene, const uint32_t *here,
                          const uint8_t *found_here, int64_t stride, uint32_t lasting) {
  Around at = look(here, stride);
  uint32_t near = hashed(hashed(hashed(at.w, at.n), at.nw), at.ne), nearer = hashed(near, at.ww);
  uint32_t wide = hashed(hashed(hashed(hashed(nearer, at.nn), at.nne), at.nee), at.nww);
  uint64_t mask = (uint64_t)known->colour_mask;
  const uint32_t *before = scene->before;
  uint32_t still = 0;
  if (before) {
    nearer = hashed(hashed(hashed(near, before[0]), before[1]), before[stride]);
    still = (uint32_t)((before[-1] == at.w) + 2 * (before[-stride] == at.n) + 4 * (before[1 - stride] == at.ne) +
                       8 * (before[-1 - stride] == at.nw));
  }
  uint64_t wide_place = hashed(hashed(wide, at.www), at.nnw) & mask, near_place = mask + 1 + (nearer & mask);
  int wide_sure = known->sure[wide_place], near_sure = known->sure[near_place];
  uint32_t sources[CANDIDATES] = {wide_sure ? known->colours[wide_place] : at.w,
                                  near_sure ? known->colours[near_place] : at.w, at.w, at.n, at.nw, at.ne};
  if (before) {
    sources[4] = at.w, sources[2] = sources[0], sources[1] = before[0];
    sources[0] = near_sure ? known->colours[near_place] : before[0];
  }
  const uint8_t *up = found_here - stride;
  scene->at = at;
  scene->near = near;
  scene->wide = wide;
  scene->wide_place = wide_place;
  scene->near_place = near_place;
  scene->all = candidates_of(sources);
  scene->pattern = (uint32_t)((at.w == at.n) | (at.w == at.nw) << 1 | (at.n == at.nw) << 2 |
                              (at.n == at.ne) << 3 | (at.w == at.ww) << 4 | (at.n == at.nn) << 5 |
                              (at.ne == at.nne) << 6);
  scene->misses = (uint32_t)((found_here[-1] > 0) + 2 * (up[0] > 0) + 4 * (up[1] > 0) + 8 * (up[-1] > 0));
  scene->history = (uint32_t)(up[0] + 16 * found_here[-1] + 256 * up[1]);
  scene->trust = (uint32_t)(4 * least(wide_sure, 3) + least(near_sure, 3)) + (before ? 16 + 32 * still : 0);
  scene->lasting = lasting;
  scene->plain = scene->pattern == 127 && scene->misses == 0 && scene->trust == 15 &&
                 scene->all.count == 1 && at.nee == at.w && at.nww == at.w && at.www == at.w &&
                 at.nnw == at.w && (!before || (still == 15 && before[0] == at.w && is_plain(before, stride)));
  compare(known, scene, 0);
}

/* Codes a pixel, or reads it; returns its colour. `run` counts pixels in a row that were found at once. */
ALWAYS_INLINE uint32_t code_colour(const Experience *known, Scene *scene, uint32_t colour,
                                   const uint32_t *here, uint8_t *found_here, int64_t stride, int channels,
                                   int64_t *run, Freedom *freedom, RangeCoder *coder, int reading,
                                   float *cost) {
  uint32_t lasting = (uint32_t)level(*run, 15);
  if (scene->plain && scene->lasting == lasting && here[2 - stride] == scene->at.w &&
      here[1 - 2 * stride] == scene->at.w && found_here[1 - stride] == 0 &&
      (!scene->before || is_plain(scene->before, stride))) {
    for (int i = 0; i < COMPARED; i++) recall(known, &scene->mixture, i);
  } else {
    survey(known, scene, here, found_here, stride, lasting);
  }
  if (!reading && freedom->step > 0) colour = settled(colour, &scene->all, freedom);
  int found = UNFOUND;
  for (int i = 0; i < scene->all.count; i++) {
    if (i > 0) compare(known, scene, i);
    uint32_t number = (uint32_t)i, candidate = scene->all.colours[i];
    /* A 0 says that this is the colour: so what follows the end of a stream is read quickly. */
    int other = mixed_bit(known, &scene->mixture, COMPARED, 0,
                          number * 256 + scene->misses * 16 + (scene->trust >> (scene->before ? 5 : 0)),
                          number * 128 + scene->pattern,
                          scene->source, coder, colour != candidate, reading, cost);
    if (!other) {
      colour = candidate;
      found = i;
      break;
    }
  }
  if (found == UNFOUND) {
    float before = *cost;
    const uint32_t near = scene->before ? hashed(scene->at.w, *scene->before) : scene->near;
    colour = code_values(known, &scene->at, near, colour, channels, coder, reading, cost);
    freedom->usual += (*cost - before - freedom->usual) / 32;
  }
  scene->plain = scene->plain && found == 0;
  *run = found == 0 ? *run + 1 : 0;
  *found_here = (uint8_t)found;
  learn_colour(known->colours + scene->wide_place, known->sure + scene->wide_place, colour);
  learn_colour(known->colours + scene->near_place, known->sure + scene->near_place, colour);
  return colour;
}

/* Codes which tiles of a row of tiles are coded. */
ALWAYS_INLINE void code_tiles(const Experience *known, const Sheet *sheet, int64_t row, RangeCoder *coder,
                              int reading) {
  int64_t columns = (sheet->columns + PIXELS_TILE - 1) / PIXELS_TILE;
  uint8_t *tiles = sheet->tiles + row * columns;
  for (int64_t x = 0; x < columns; x++) {
    int above = row > 0 ? tiles[x - columns] : 0, left = x > 0 ? tiles[x - 1] : 0;
    uint32_t *model = known->tile_models + 2 * above + left;
    tiles[x] = (uint8_t)range_code(coder, chance_of(*model, 64), tiles[x], reading);
    *model = taught(*model, tiles[x], known->rates, 255);
  }
}

/* Pixels outside of the tiles that are coded are taken to be as those to their left. */
void code_pixels(const Sheet *sheet, const Experience *known, RangeCoder *state, int64_t start, int64_t stop,
                 float step, float price, int reading) {
  RangeCoder coder = *state;
  Freedom freedom = {.step = step, .goes_on = 0, .price = price, .usual = 12};
  int64_t stride = sheet->columns + 2 * BESIDE, across = (sheet->columns + PIXELS_TILE - 1) / PIXELS_TILE;
  int64_t down = (sheet->height + PIXELS_TILE - 1) / PIXELS_TILE;
  for (int64_t y = start; y < stop; y++) {
    uint32_t *line = sheet->colours + (y + ABOVE) * stride + BESIDE;
    uint8_t *found = sheet->found + (y + ABOVE) * stride + BESIDE;
    int64_t run = 0;
    Scene scene;
    scene.plain = 0;
    int64_t inside = y % sheet->height, row = y / sheet->height * down + inside / PIXELS_TILE;
    int64_t behind = y < sheet->height ? 0 : sheet->height * stride;
    if (inside % PIXELS_TILE == 0) code_tiles(known, sheet, row, &coder, reading);
    for (int i = 1; i <= BESIDE; i++) line[-i] = line[-stride];
    for (int64_t x = 0; x < sheet->columns; x++) {
      int64_t tile = row * across + x / PIXELS_TILE;
      if (sheet->tiles[tile]) {
        float cost = 0;
        const uint32_t colour = line[x];
        scene.before = behind ? line + x - behind : NULL;
        if (!reading) {
          freedom.goes_on = (x + 1 < sheet->columns && line[x + 1] == colour) +
                            (y + 1 < sheet->rows && line[x + stride] == colour);
        }
        line[x] = 0; /* it stands below the image before where images have one line, and is not known yet */
        line[x] = code_colour(known, &scene, colour, line + x, found + x, stride, (int)sheet->channels, &run,
                              &freedom, &coder, reading, &cost);
        if (!reading) sheet->costs[tile] += cost;
      } else {
        line[x] = behind ? line[x - behind] : line[x - 1];
        run = 0;
        scene.plain = 0;
      }
    }
    for (int i = 0; i < BESIDE; i++) line[sheet->columns + i] = line[sheet->columns - 1];
  }
  *state = coder;
}

/* Marks the pixels in a range of bytes that are as others; what lies between the pixels is marked as well. */
ALWAYS_INLINE void mark(const uint8_t *here, const uint8_t *other, int64_t from, int64_t to, int64_t channels,
                        uint8_t *marks) {
  for (int64_t i = from; i <= to - channels; i++) {
    int same = here[i] == other[i];
    for (int64_t c = 1; c < channels; c++) same &= here[i + c] == other[i + c];
    marks[i] |= (uint8_t)same;
  }
}

/* Counts the pixels of each tile that are as the one to the left or above, and those that are as none of the
 * four around them. */
API void pcai_flat_counts(const uint8_t *image, int64_t rows, int64_t columns, int64_t channels,
                          int64_t *repeated, int64_t *new_ones) {
  const int64_t stride = columns * channels, wide = PIXELS_TILE * channels, across = (stride + wide - 1) / wide;
  const int64_t near[4] = {channels, stride, stride + channels, stride - channels};
  for (int64_t place = 0; place < rows * across; place++) {
    const int64_t y = place / across, x = place % across, length = least(wide, stride - x * wide);
    const int64_t tile = y / PIXELS_TILE * across + x;
    const uint8_t *here = image + y * stride + x * wide;
    uint8_t marks[2][4 * PIXELS_TILE] = {{0}};
    for (int i = 0; i < (y > 0 ? 4 : 1); i++) {
      const int64_t from = x == 0 && i % 2 == 0 ? channels : 0, to = length - (x + 1 == across && i == 3 ? channels : 0);
      if (channels == 3) mark(here, here - near[i], from, to, 3, marks[i / 2]);
      else mark(here, here - near[i], from, to, channels, marks[i / 2]);
    }
    for (int64_t i = 0; i < length; i += channels) {
      repeated[tile] += marks[0][i];
      new_ones[tile] += !(marks[0][i] | marks[1][i]);
    }
  }
}
