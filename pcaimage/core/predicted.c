/* Drawing squares, and reading the tiles that consist of them. */
#include "predicted.h"

#include "wide.h"

/* ---- Transforms ---- */

/* Rows of cosines and of sines (DCT-II and DST-VII), in 2^-14. Sines are those that begin with zero where a
 * square's neighbours are known. */
static void make_waves(Drawing *d) {
  /* cos(j π / 64) and √(2 / side), in 2^-30; sin(j π / (2 side + 1)) · 2 / √(2 side + 1), in 2^-14. */
  static const int32_t COSINES[33] = {
      1073741824, 1072448455, 1068571464, 1062120190, 1053110176, 1041563127, 1027506862, 1010975242, 992008094,
      970651112,  946955747,  920979082,  892783698,  862437520,  830013654,  795590213,  759250125,  721080937,
      681174602,  639627258,  596538995,  552013618,  506158392,  459083786,  410903207,  361732726,  311690799,
      260897982,  209476638,  157550647,  105245103,  52686014,   0};
  static const int32_t UNITS[4] = {759250125, 536870912, 379625062, 268435456};
  static const int16_t SINES[3][17] = {
      {0, 3736, 7021, 9459, 10757},
      {0, 1460, 2871, 4184, 5354, 6342, 7114, 7644, 7914},
      {0, 542, 1080, 1607, 2120, 2614, 3084, 3526, 3936, 4311, 4646, 4940, 5189, 5390, 5543, 5646, 5698}};
  for (int log = LOG_LEAST; log <= LOG_LARGEST; log++) {
    const int side = 1 << log, turn = 2 * side + 1;
    int16_t *waves = d->waves[log - LOG_LEAST];
    for (int u = 0; u < side; u++) {
      for (int x = 0; x < side; x++) {
        int angle = u == 0 ? 16 : (2 * x + 1) * u * (LARGEST_SIDE >> log) % 128, sign = 1;
        if (angle > 64) angle = 128 - angle;
        if (angle > 32) angle = 64 - angle, sign = -1;
        const int64_t size = ((int64_t)COSINES[angle] * UNITS[log - LOG_LEAST] + (INT64_C(1) << 45)) >> 46;
        waves[u * side + x] = (int16_t)(sign * size);
        if (log == LOG_LARGEST) continue;
        int place = (2 * u + 1) * (x + 1) % (2 * turn);
        sign = place < turn ? 1 : -1;
        place %= turn;
        d->sines[log - LOG_LEAST][u * side + x] =
            (int16_t)(sign * SINES[log - LOG_LEAST][place > side ? turn - place : place]);
      }
    }
  }
}

static void begin_drawing(Drawing *d) {
  make_waves(d);
  for (int i = 0; i < 256; i++) d->rates[i] = 2 * ONE / (2 * i + 3);
  /* What is usual, in the order of models: probabilities of (2 v - 1) / 116, with v the letter's number behind '@'. */
  static const char USUAL[] =
      "^^^^JWcf^cccX^EWA\\WA^]bZeA^^^Z]a^_ZgZA^^^^^^^d]a[[a_`W^`XUf_aY^^^^^^^^^^^^^^^zSX[ZZ`XX[V\\^W^YYgYZ]ZZWUbVZ]ZWY"
      "\\A^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^TN^]bjmOU_gIMT^^^^^aa^_^W^^^^^^gbY^^^^^^JMN^^^^^^QOM^^^^^^_bcbT^^^^ffcdW^^^^LS"
      "UXS^^^^QTUXN^^^^dgihdbQ^^kkjjbaT^^QY^_VSL^^WY]]VUL^^dklmge_^WqmmmeeadXU^de[\\Q_N]\\be^cY^MXfgikopqrssuP_behklopq"
      "rsJY[adhimlpqqLX]ahkmnnnupZijmoprstuuwP]bgknoprrtuKW]cfhkmpqprHRX\\aehklooqZmnnrsttvwwxO_bhipoptrrtIW[`eimmoqnoH"
      "ST\\\\e_^e^^^[jlnqssutvvxO\\_eiknpqrrvIUZ`ehkippoqGPU\\bgkljmpqOT[aehklnoqsHMRX\\achjllpEGLPU[`aegglDEIMRV[^bbeh"
      "LV_cgkoprssvEJPV^bdhikmoCFJPVZ_aciimBCHJNVW]`afpMSW]`dijlmosILPVY\\_cfginIILORVY\\_bejIIJKNSVX\\^aeLPX^dekmopruF"
      "JPUZ^bdfhjoHGIMQUX__`hjKKFKMTX[^e_h[\\^_adfghionrrfffegfghijjmolllklllkmlmnooprqpqpqqrqsrsssY[]`cdhioloruuihedeg"
      "hghlonnlonmmllkklmlnnpttssqrqqrrrrss[UHHZC^^^^^^^^^^";
  for (int i = 0; i < 2 * MODELS_OF_SQUARES; i++) {
    const uint32_t letter = (uint32_t)(USUAL[i / 2] - '@');
    d->models[i] = (2 * letter - 1) * 565 << 16 | LEARNT;
  }
  for (int log = LOG_LEAST; log <= LOG_LARGEST; log++) {
    const int side = 1 << log;
    uint8_t(*places)[2] = d->places[log - LOG_LEAST];
    for (int apart = 0, i = 0; apart < 2 * side - 1; apart++) {
      for (int y = 0; y < side; y++) {
        const int x = apart - y;
        if (x < 0 || x >= side) continue;
        places[i][0] = (uint8_t)x;
        places[i++][1] = (uint8_t)y;
      }
    }
  }
}

/* Adds up a transform of levels: first down the columns, then along the lines. */
static void add_waves(const Drawing *d, const Square *square, int64_t channel, int16_t *samples) {
  const int log = square->log, side = 1 << log, is_sine = channel == 0 && square->is_sine;
  const int16_t *waves = is_sine ? d->sines[log - LOG_LEAST] : d->waves[log - LOG_LEAST];
  const int32_t *levels = square->levels[channel];
  int64_t sums[LARGEST_SIDE * LARGEST_SIDE] = {0};
  uint8_t used[LARGEST_SIDE] = {0};
  for (int u = 0; u < side; u++) {
    for (int v = 0; v < side; v++) {
      const int64_t level = levels[u * side + v];
      if (level == 0) continue;
      const int64_t value =
          within(level * d->steps[plane_of_wave(channel, log, u, v)], -MOST_COEFFICIENT, MOST_COEFFICIENT);
      used[v] = 1;
      /* Columns lie one after the other. */
      for (int y = 0; y < side; y++) sums[v * side + y] += waves[u * side + y] * value;
    }
  }
  int64_t lines[LARGEST_SIDE * LARGEST_SIDE] = {0};
  for (int v = 0; v < side; v++) {
    if (!used[v]) continue;
    for (int y = 0; y < side; y++) {
      const int64_t value = (sums[v * side + y] + (1 << 9)) >> 10;
      for (int x = 0; x < side; x++) lines[y * side + x] += waves[v * side + x] * value;
    }
  }
  for (int i = 0; i < side * side; i++) {
    samples[i] = (int16_t)within(samples[i] + ((lines[i] + (1 << 17)) >> 18), -MOST_SAMPLE, MOST_SAMPLE);
  }
}

/* ---- Steps ---- */

int code_tile_level(Drawing *d, int left, int above, int level, int what) {
  const int last = (int)d->plan->levels - 1;
  const int guess = left ? left - 1 : above ? above - 1 : (int)d->plan->header.middle;
  const int apart = unary(d, OF_LEVELS + 1, (int)magnitude_of(level - guess), last, what);
  const int sign = apart && ask(d, OF_LEVELS, level < guess, what) ? -1 : 1;
  level = (int)within(guess + sign * apart, 0, last);
  for (int64_t i = 0; i < 64 * d->channels; i++) {
    const int64_t step = ((int64_t)d->step * d->plan->factors[i * MOST_LEVELS + level] + (1 << 19)) >> 20;
    d->steps[i] = (int32_t)most(step, 1);
  }
  return level;
}

/* ---- Prediction ---- */

void mark(Drawing *d, int64_t x, int64_t y, int64_t side, int known, int mode) {
  const int64_t across = d->columns >> LOG_LEAST;
  for (int64_t line = y >> LOG_LEAST; line < (y + side) >> LOG_LEAST; line++) {
    memset(d->known + line * across + (x >> LOG_LEAST), known, (size_t)(side >> LOG_LEAST));
    memset(d->modes + line * across + (x >> LOG_LEAST), mode, (size_t)(side >> LOG_LEAST));
  }
}

ALWAYS_INLINE int is_known(const Drawing *d, int64_t x, int64_t y) {
  if (x < 0 || y < 0 || x >= d->columns || y >= d->lines) return 0;
  return d->known[(y >> LOG_LEAST) * (d->columns >> LOG_LEAST) + (x >> LOG_LEAST)];
}

/* From below left over the corner to above right; what is not known is like what was before it, at the beginning
 * like the first that is, and zero if nothing is. */
void look_around(const Drawing *d, int64_t channel, int64_t x, int64_t y, int64_t side, Around *around) {
  const int16_t *plane = d->planes + channel * d->lines * d->columns;
  const int64_t corner = 2 * side, count = 4 * side + 1;
  int32_t line[4 * LARGEST_SIDE + 1];
  int64_t first = count;
  for (int64_t i = 0; i < count; i++) {
    const int64_t across = i <= corner ? x - 1 : x + i - corner - 1;
    const int64_t down = i < corner ? y + corner - 1 - i : y - 1;
    if (is_known(d, across, down)) {
      line[i] = plane[down * d->columns + across];
      if (first == count) first = i;
    } else {
      line[i] = first < i ? line[i - 1] : 0;
    }
  }
  for (int64_t i = 0; i < first && first < count; i++) line[i] = line[first];
  for (int64_t i = 0; i <= corner; i++) {
    around->above[i] = line[corner + i];
    around->left[i] = line[corner - i];
  }
}

/* Lines of samples, each of which lies by a slope farther along a line than the one before. Four weights are at most
 * 1.25 * 2^16 together, and samples are below 2^13. */
ALWAYS_INLINE void interpolate_lines(const int32_t *line, int64_t side, int64_t slope, int16_t *restrict found) {
  for (int64_t y = 0; y < side; y++, found += side) {
    const int64_t place = (y + 1) * slope;
    const int32_t part = place & 31, before = -part * (32 - part) * (32 - part), behind = -part * part * (32 - part);
    const int32_t second = (1 << 16) - 160 * part * part + 3 * part * part * part;
    const int32_t third = (1 << 16) - before - behind - second, *near = line + (place >> 5) + 1;
    for (int64_t x = 0; x < side; x++) {
      int32_t sum = before * near[x - 1] + second * near[x] + third * near[x + 1] + behind * near[x + 2];
      sum = (sum + (1 << 15)) >> 16;
      sum = sum < MOST_SAMPLE ? sum : MOST_SAMPLE;
      found[x] = (int16_t)(sum > -MOST_SAMPLE ? sum : -MOST_SAMPLE);
    }
  }
}

EITHER_WIDTH(static, interpolate, interpolate_lines,
             (const int32_t *line, int64_t side, int64_t slope, int16_t *found), (line, side, slope, found))

/* Along a direction: from a line of samples, which goes on with those of the other side, in 1/32 of a sample by
 * cubic interpolation (Catmull-Rom). */
static void draw_along(int mode, int64_t side, const Around *around, int16_t *found) {
  static const int8_t SLOPES[17] = {0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32};
  const int level = mode < DIAGONAL, turn = level ? LEFTWARDS - mode : mode - UPWARDS;
  const int64_t slope = turn < 0 ? -SLOPES[-turn] : SLOPES[turn];
  const int32_t *main = level ? around->left : around->above, *other = level ? around->above : around->left;
  int32_t room[3 * LARGEST_SIDE + 5], *line = room + LARGEST_SIDE + 2;
  for (int64_t i = 0; i <= 2 * side; i++) line[i] = main[i];
  line[2 * side + 1] = line[2 * side + 2] = line[2 * side];
  for (int64_t i = 1; i <= side + 2; i++) {
    if (slope >= 0) {
      line[-i] = line[0];
      continue;
    }
    /* Where the direction through this place meets the other side, in 1/32. */
    const int64_t place = least(32 * 32 * i / -slope, 32 * (2 * side - 1)), whole = place >> 5, part = place & 31;
    line[-i] = (int32_t)((other[whole] * (32 - part) + other[whole + 1] * part + 16) >> 5);
  }
  int16_t turned[LARGEST_SIDE * LARGEST_SIDE];
  interpolate(line, side, slope, level ? turned : found);
  for (int64_t y = 0; level && y < side; y++) {
    for (int64_t x = 0; x < side; x++) found[y * side + x] = turned[x * side + y];
  }
}

void draw(int mode, int64_t side, const Around *around, int16_t *found) {
  const int log = digits(side) - 1;
  if (mode >= FIRST_DIRECTION) {
    draw_along(mode, side, around, found);
    return;
  }
  int64_t sum = side;
  for (int64_t i = 1; i <= side; i++) sum += around->above[i] + around->left[i];
  for (int64_t y = 0; y < side; y++) {
    for (int64_t x = 0; x < side; x++) {
      int64_t across = (side - 1 - x) * around->left[y + 1] + (x + 1) * around->above[side + 1];
      int64_t down = (side - 1 - y) * around->above[x + 1] + (y + 1) * around->left[side + 1];
      found[y * side + x] = (int16_t)((mode == MEAN ? sum : across + down + side) >> (log + 1));
    }
  }
}

void draw_by_first(const Drawing *d, int64_t channel, int64_t x, int64_t y, int64_t side, int16_t *found) {
  const int log = digits(side), shift = 12 + log;
  const int64_t count = 2 * side;
  Around first, own;
  look_around(d, 0, x, y, side, &first);
  look_around(d, channel, x, y, side, &own);
  int64_t sum = 0, sum_own = 0, squares = 0, products = 0;
  for (int64_t i = 1; i <= side; i++) {
    const int64_t a = first.above[i], b = first.left[i], c = own.above[i], e = own.left[i];
    sum += a + b;
    sum_own += c + e;
    squares += a * a + b * b;
    products += a * c + b * e;
  }
  const int64_t firm = count * ((int64_t)d->step * d->step / 8) + 1;
  const int64_t spread = count * squares - sum * sum + firm, common = count * products - sum * sum_own;
  const int64_t slope = within(floor_divided(common * (1 << 12), spread), -(8 << 12), 8 << 12);
  for (int64_t line = 0; line < side; line++) {
    const int16_t *samples = d->planes + (y + line) * d->columns + x;
    for (int64_t i = 0; i < side; i++) {
      const int64_t value = slope * (count * samples[i] - sum) + sum_own * (1 << 12) + (INT64_C(1) << (shift - 1));
      found[line * side + i] = (int16_t)within(value >> shift, -MOST_SAMPLE, MOST_SAMPLE);
    }
  }
}

void likely_modes(const Drawing *d, int64_t x, int64_t y, int64_t side, uint8_t likely[LIKELY_MODES]) {
  const int64_t across = d->columns >> LOG_LEAST;
  const int left = is_known(d, x - 1, y + side - 1)
                       ? d->modes[((y + side - 1) >> LOG_LEAST) * across + ((x - 1) >> LOG_LEAST)]
                       : PLANAR;
  const int above = is_known(d, x + side - 1, y - 1)
                        ? d->modes[((y - 1) >> LOG_LEAST) * across + ((x + side - 1) >> LOG_LEAST)]
                        : PLANAR;
  const int turned = MODES - FIRST_DIRECTION;
  int wanted[11] = {PLANAR, left, above}, count = 3, found = 0;
  for (int i = 1; i < 3; i++) {
    if (wanted[i] < FIRST_DIRECTION) continue;
    wanted[count++] = FIRST_DIRECTION + (wanted[i] - FIRST_DIRECTION + turned - 1) % turned;
    wanted[count++] = FIRST_DIRECTION + (wanted[i] - FIRST_DIRECTION + 1) % turned;
  }
  wanted[count++] = MEAN;
  wanted[count++] = UPWARDS;
  wanted[count++] = LEFTWARDS;
  wanted[count++] = DIAGONAL;
  for (int i = 0; i < count && found < LIKELY_MODES; i++) {
    int is_new = 1;
    for (int j = 0; j < found; j++) is_new &= likely[j] != wanted[i];
    if (is_new) likely[found++] = (uint8_t)wanted[i];
  }
  /* The five without a block beside them are among those: one place is left at most. */
  if (found < LIKELY_MODES) likely[found] = LAST_DIRECTION - (LIKELY_MODES - 1);
}

void draw_square(Drawing *d, const Square *square) {
  const int64_t side = INT64_C(1) << square->log;
  for (int64_t channel = 0; channel < d->channels; channel++) {
    int16_t drawn[LARGEST_SIDE * LARGEST_SIDE];
    if (channel > 0 && square->by_first[channel]) {
      draw_by_first(d, channel, square->x, square->y, side, drawn);
    } else {
      Around around;
      look_around(d, channel, square->x, square->y, side, &around);
      draw(square->mode, side, &around, drawn);
    }
    add_waves(d, square, channel, drawn);
    int16_t *to = d->planes + (channel * d->lines + square->y) * d->columns + square->x;
    for (int64_t y = 0; y < side; y++) memcpy(to + y * d->columns, drawn + y * side, (size_t)side * sizeof *drawn);
  }
  mark(d, square->x, square->y, side, 1, square->mode);
}

/* ---- Reading ---- */

static void read_square(Drawing *d, int64_t x, int64_t y, int log) {
  if (log > LOG_LARGEST || (log > LOG_LEAST && ask(d, OF_SPLITS + log - LOG_LEAST - 1, 0, READING))) {
    const int64_t half = INT64_C(1) << (log - 1);
    for (int i = 0; i < 4; i++) read_square(d, x + (i & 1) * half, y + (i >> 1) * half, log - 1);
    return;
  }
  Square square = {.x = x, .y = y, .log = log};
  for (int64_t channel = 0; channel < d->channels; channel++) {
    square.levels[channel] = d->levels[channel];
    memset(d->levels[channel], 0, sizeof(int32_t) << (2 * log));
  }
  code_square(d, &square, READING);
  draw_square(d, &square);
}

void code_strengths(Drawing *d, int8_t *strengths, int what) {
  for (int64_t i = 0; i < 2 * d->channels; i++) {
    strengths[i] = (int8_t)(plain_bits(d, strengths[i] + LEAST_STRENGTH, 5, what) - LEAST_STRENGTH);
  }
}

/* Takes samples of some lines, in 2^-17. */
static void take_samples(const Drawing *d, int64_t from, int64_t to, int64_t width, double *samples) {
  for (int64_t c = 0; c < d->channels; c++) {
    for (int64_t y = from; y < to; y++) {
      const int16_t *line = d->planes + (c * d->lines + y) * d->columns;
      for (int64_t x = 0; x < width; x++) *samples++ = (double)line[x] * (1 << (17 - SAMPLE_BITS));
    }
  }
}

API void pcai_drawn_samples(const uint8_t *room, int64_t from, int64_t to, int64_t width, double *samples) {
  take_samples((const Drawing *)(const void *)room, from, to, width, samples);
}

void show_drawing(const Drawing *d, const Header *header, Bytes mean, const uint8_t *coded, uint8_t *pixels) {
  const int64_t height = header->height, width = header->width, across = (width + 7) / 8;
  const int64_t tiles = d->columns / PIXELS_TILE;
  for (int64_t i = 0; i < (height + 7) / 8 * across; i++) {
    const int level = coded[i / across / 8 * tiles + i % across / 8];
    d->levels_of_blocks[i] = (int8_t)(level ? level - 1 : 0);
  }
  make_picture(d->picture, d->plan, header, mean, NULL, d->levels_of_blocks);
  for (int64_t start = 0; start < height; start += PIXELS_TILE) {
    const int64_t stop = least(start + PIXELS_TILE, height), top = most(start - SHRINK_REACH, 0);
    const int64_t end = least(stop + SHRINK_REACH, height);
    const Samples shrunk = {d->shrunk, (stop - start) * width, width, start, stop, 0};
    Samples samples = {d->samples, (end - top) * width, width, top, end, 0};
    take_samples(d, top, end, width, d->samples);
    if (d->picture->is_shrunk) {
      shrink_planes(d->picture, &samples, start, stop, 0, width, &shrunk);
      samples = shrunk;
    }
    finish_planes(&d->picture->synthesis, sample_at(&samples, 0, start, 0), samples.plane, (stop - start) * width,
                  UINT8_MAX, pixels + start * width * d->channels, 0);
  }
}

int64_t divide_drawing(uint8_t *memory, const PhotoPlan *plan, int64_t lines, int64_t width, int64_t channels,
                       Drawing **drawing) {
  const int64_t down = (lines + PIXELS_TILE - 1) / PIXELS_TILE * PIXELS_TILE;
  const int64_t across = (width + PIXELS_TILE - 1) / PIXELS_TILE * PIXELS_TILE;
  const int64_t squares = (down * across) >> (2 * LOG_LEAST), start = ((int64_t)sizeof(Drawing) + 63) / 64 * 64;
  const int64_t drawn = start + 2 * squares + 2 * channels * down * across;
  const int64_t blocks = down * across / 64, picture = ((int64_t)sizeof(Picture) + 63) / 64 * 64;
  const int64_t row = channels * across * PIXELS_TILE, reach = 2 * channels * across * SHRINK_REACH;
  if (memory) {
    Drawing *d = *drawing = (Drawing *)(void *)memory;
    const double step = step_of(&plan->header) * (1 << SAMPLE_BITS);
    d->plan = plan;
    d->step = step < 1 << 14 ? (int32_t)most((int64_t)step, 1) : 1 << 14;
    d->lines = down;
    d->columns = across;
    d->channels = channels;
    d->known = memory + start;
    d->modes = d->known + squares;
    d->planes = (int16_t *)(void *)(d->modes + squares);
    d->picture = (Picture *)(void *)(memory + drawn);
    d->levels_of_blocks = (int8_t *)memory + drawn + picture;
    d->samples = (double *)(void *)(memory + drawn + picture + blocks);
    d->shrunk = d->samples + row + reach;
    memset(d->known, 0, (size_t)squares);
    begin_drawing(d);
  }
  return drawn + picture + blocks + (2 * row + reach) * (int64_t)sizeof(double);
}

API int64_t pcai_drawing_size(int64_t lines, int64_t width, int64_t channels) {
  return divide_drawing(NULL, NULL, lines, width, channels, NULL);
}

static void read_drawing(Drawing *d, uint8_t *coded) {
  const int64_t columns = d->columns / PIXELS_TILE;
  for (int64_t y = 0; y < d->lines; y += PIXELS_TILE, coded += columns) {
    for (int64_t i = 0; i < columns; i++) {
      const int model = OF_TILES + 2 * (y > 0 && coded[i - columns]) + (i > 0 && coded[i - 1]);
      coded[i] = (uint8_t)ask(d, model, 0, READING);
    }
    for (int64_t i = 0; i < columns; i++) {
      if (!coded[i]) continue;
      const int left = i > 0 ? coded[i - 1] : 0, above = y > 0 ? coded[i - columns] : 0;
      coded[i] = (uint8_t)(1 + code_tile_level(d, left, above, 0, READING));
      read_square(d, i * PIXELS_TILE, y, LOG_TILE);
    }
  }
}

int decode_drawn(const pcai *file, const PhotoPlan *plan, Bytes stream, int64_t lines, uint8_t *coded,
                 uint8_t *pixels) {
  Header header = file->header;
  uint8_t *memory = take_cleared(file, pcai_drawing_size(lines, header.width, header.channels));
  if (!memory) return no_memory(file);
  RangeCoder coder = range_reader(stream.data, stream.size);
  Drawing *d;
  divide_drawing(memory, plan, lines, header.width, header.channels, &d);
  d->coder = &coder;
  range_start_reading(&coder);
  read_drawing(d, coded);
  header.height = lines;
  code_strengths(d, header.strengths, READING);
  show_drawing(d, &header, file->mean, coded, pixels);
  for (int64_t i = 0; i < d->lines / PIXELS_TILE * (d->columns / PIXELS_TILE); i++) coded[i] = coded[i] != 0;
  give_back(file, memory);
  return PCAI_OK;
}
