/* Tiles: what is known and learned at the beginning of a slice, and its pixels. */
#include "exact.h"
#include "pixels.h"
#include "room.h"

enum {
  MODELS_LEAST = 16,
  MODELS_MOST = 22,
  FIRST_ROWS = FIRST_SETS + MOST_CHANNELS * 8 * 2 * ACTIVITIES,
  SECOND_ROWS = SECOND_SETS + MOST_CHANNELS * 256,
  CURVES_OF_TILES = COMPARED_CURVES + MOST_CHANNELS * 8 * 2,
  WIDTHS_OF_TILES = ESTIMATES * MOST_CHANNELS * ACTIVITIES * 8,
  BIASES_OF_TILES = ESTIMATES * MOST_CHANNELS * ACTIVITIES * 36,
  FIRST_WEIGHT = ONE * 3 / 10,
  FIRST_WIDTH = 46 * 64,
  LOGS = 1024
};

/* All that coding needs, but for what depends on the number of pixels. */
typedef struct {
  Experience known;
  Sheet sheet;
  uint32_t tile_models[4];
  int32_t first_weights[FIRST_ROWS * MOST_INPUTS], second_weights[SECOND_ROWS * MOST_INPUTS];
  int32_t corrected[CURVES_OF_TILES * KNOTS], widths[2 * WIDTHS_OF_TILES], biases[2 * BIASES_OF_TILES];
  int32_t masses[MASSES], logs[LOGS];
} Tiles;

static Tiles *divide(Room *room, int64_t lines, int64_t width) {
  const int64_t count = INT64_C(1) << within(digits(lines * width) + 2, MODELS_LEAST, MODELS_MOST);
  const int64_t area = (lines + ABOVE) * (width + 2 * BESIDE);
  Tiles *tiles = cleared_part(room, (int64_t)sizeof(Tiles));
  void *models = part_of(room, 4 * count), *colours = cleared_part(room, 4 * (count / 8));
  void *sure = cleared_part(room, count / 8), *pixels = cleared_part(room, 4 * area);
  void *found = cleared_part(room, area);
  if (!tiles) return NULL;
  tiles->known = (Experience){.models = models,
                              .model_mask = count - 1,
                              .tile_models = tiles->tile_models,
                              .colours = colours,
                              .sure = sure,
                              .colour_mask = count / 16 - 1,
                              .first_weights = tiles->first_weights,
                              .second_weights = tiles->second_weights,
                              .curves = tiles->corrected,
                              .widths = tiles->widths,
                              .biases = tiles->biases,
                              .masses = tiles->masses,
                              .logs = tiles->logs};
  tiles->sheet = (Sheet){.colours = pixels, .found = found, .rows = lines, .columns = width};
  return tiles;
}

API int64_t pcai_tiles_size(int64_t lines, int64_t width) {
  Room room = {NULL, 0};
  divide(&room, lines, width);
  return size_of_room(&room);
}

/* Logistic masses and logarithms, by multiplying; none lies close to half a whole number. */
static void make_masses(Tiles *tiles) {
  double power = 1;
  for (int place = 0; place < MASSES; place++, power *= LOGIT_DOWN) {
    tiles->masses[place] = (int32_t)((double)(1 << 30) * power / (1 + power) + 0.5);
  }
  int32_t found = 0;
  power = LOGIT_HALF_UP;
  for (int i = 0; i < LOGS; i++) {
    for (; 1 + i / (double)LOGS > power; power *= LOGIT_UP) found++;
    tiles->logs[i] = found;
  }
}

static void fill(int32_t *numbers, int64_t count, int32_t number) {
  for (int64_t i = 0; i < count; i++) numbers[i] = i % MOST_INPUTS < MOST_INPUTS - 1 ? number : 0;
}

/* What is known before the first pixel of a slice. */
static Tiles *begin(void *memory, const CurveTables *curves, int64_t lines, int64_t width, int64_t channels,
                    int64_t height, uint8_t *coded) {
  Room room = room_in(memory);
  Tiles *tiles = divide(&room, lines, width);
  Experience *known = &tiles->known;
  tiles->sheet.channels = channels;
  tiles->sheet.height = height;
  tiles->sheet.tiles = coded;
  known->logits = curves->logits;
  known->probabilities = curves->probabilities;
  known->rates = curves->rates;
  known->inverses = curves->inverses;
  make_masses(tiles);
  for (int64_t i = 0; i <= known->model_mask; i++) known->models[i] = UINT32_C(1) << 31;
  for (int i = 0; i < 4; i++) tiles->tile_models[i] = UINT32_C(1) << 31;
  fill(tiles->first_weights, FIRST_ROWS * MOST_INPUTS, FIRST_WEIGHT);
  fill(tiles->second_weights, SECOND_ROWS * MOST_INPUTS, FIRST_WEIGHT);
  for (int i = 0; i < CURVES_OF_TILES * KNOTS; i++) {
    tiles->corrected[i] = curves->probabilities[within(256 * (i % KNOTS) - 1, 0, 2 * LOGIT_LIMIT)];
  }
  for (int i = 0; i < WIDTHS_OF_TILES; i++) tiles->widths[2 * i] = FIRST_WIDTH;
  return tiles;
}

/* Packs the channels of pixels, which are beside each other, into colours, or unpacks them. */
static void exchange(const Sheet *sheet, uint8_t *pixels, int packing) {
  for (int64_t y = 0; y < sheet->rows; y++) {
    uint32_t *line = sheet->colours + (y + ABOVE) * (sheet->columns + 2 * BESIDE) + BESIDE;
    for (int64_t x = 0; x < sheet->columns; x++) {
      for (int64_t c = 0; c < sheet->channels; c++, pixels++) {
        if (packing) line[x] |= (uint32_t)*pixels << (8 * c);
        else *pixels = (uint8_t)(line[x] >> (8 * c));
      }
    }
  }
}

int decode_tiles(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, int64_t height,
                 int64_t channels, uint8_t *coded, uint8_t *pixels) {
  const int64_t width = file->header.width;
  void *memory = take(file, pcai_tiles_size(lines, width));
  if (!memory) return no_memory(file);
  Tiles *tiles = begin(memory, curves, lines, width, channels, height, coded);
  RangeCoder coder = range_reader(stream.data, stream.size);
  range_start_reading(&coder);
  code_pixels(&tiles->sheet, &tiles->known, &coder, 0, lines, 0, 0, 1);
  exchange(&tiles->sheet, pixels, 0);
  give_back(file, memory);
  return PCAI_OK;
}

/* Begins to encode the tiles of some lines of pixels, all channels beside each other: which of them are coded is
 * given, and their costs in bits are added up. `bits` is the cost of a decision of each probability. */
API void pcai_tiles_begin(void *memory, const CurveTables *curves, const float *bits, int64_t lines, int64_t width,
                          int64_t channels, int64_t height, uint8_t *pixels, uint8_t *coded, float *costs) {
  Tiles *tiles = begin(memory, curves, lines, width, channels, height, coded);
  tiles->known.bits = bits;
  tiles->sheet.costs = costs;
  exchange(&tiles->sheet, pixels, 1);
}

/* Encodes lines of whole rows of tiles. */
API void pcai_tiles_write(void *memory, RangeCoder *coder, int64_t start, int64_t stop, double step, double price) {
  Tiles *tiles = (Tiles *)(void *)room_in(memory).memory;
  code_pixels(&tiles->sheet, &tiles->known, coder, start, stop, (float)step, (float)price, 0);
}

/* What the pixels have become. */
API void pcai_tiles_pixels(void *memory, uint8_t *pixels) {
  exchange(&((Tiles *)(void *)room_in(memory).memory)->sheet, pixels, 0);
}
