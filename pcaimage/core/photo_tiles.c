/* Decoding tiles: what is known and learned at the beginning of a slice, and its pixels. */
#include "curves.h"
#include "exact.h"
#include "pixels.h"

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

/* All that decoding needs, but for what depends on the number of pixels. */
typedef struct {
  Experience known;
  Sheet sheet;
  RangeCoder coder;
  CurveTables curves;
  uint32_t tile_models[4];
  int32_t first_weights[FIRST_ROWS * MOST_INPUTS], second_weights[SECOND_ROWS * MOST_INPUTS];
  int32_t corrected[CURVES_OF_TILES * KNOTS], widths[2 * WIDTHS_OF_TILES], biases[2 * BIASES_OF_TILES];
  int32_t masses[MASSES], logs[LOGS];
} TileRoom;

/* The other parts of the memory. */
enum { TILE_MODELS, COLOURS, SURE, PIXELS, FOUND, TILE_PARTS };

void pcai_pixels_read(const Sheet *sheet, const Experience *known, RangeCoder *coder, int64_t start,
                      int64_t stop);

static int bits_of_models(int64_t pixels) { return (int)within(digits(pixels) + 2, MODELS_LEAST, MODELS_MOST); }

static int64_t sizes_of(const Header *header, int64_t lines, int64_t sizes[TILE_PARTS]) {
  const int64_t count = INT64_C(1) << bits_of_models(lines * header->width);
  const int64_t area = (lines + ABOVE) * (header->width + 2 * BESIDE);
  int64_t size = ((int64_t)sizeof(TileRoom) + 63) / 64 * 64;
  sizes[TILE_MODELS] = 4 * count;
  sizes[COLOURS] = 4 * (count / 8);
  sizes[SURE] = count / 8;
  sizes[PIXELS] = 4 * area;
  sizes[FOUND] = area;
  for (int i = 0; i < TILE_PARTS; i++) size += sizes[i] = (sizes[i] + 63) / 64 * 64;
  return size;
}

int64_t size_of_tiles(const Header *header, int64_t lines) {
  int64_t sizes[TILE_PARTS];
  return sizes_of(header, lines, sizes);
}

/* Logistic masses and logarithms, by multiplying; none lies close to half a whole number. */
static void make_masses(TileRoom *room) {
  double power = 1;
  for (int place = 0; place < MASSES; place++, power *= LOGIT_DOWN) {
    room->masses[place] = (int32_t)((double)(1 << 30) * power / (1 + power) + 0.5);
  }
  int32_t found = 0;
  power = LOGIT_HALF_UP;
  for (int i = 0; i < LOGS; i++) {
    for (; 1 + i / (double)LOGS > power; power *= LOGIT_UP) found++;
    room->logs[i] = found;
  }
}

static void fill(int32_t *numbers, int64_t count, int32_t number) {
  for (int64_t i = 0; i < count; i++) numbers[i] = number;
}

/* What is known before the first pixel of a slice. Memory is cleared. */
static void begin(TileRoom *room, int64_t pixels, uint8_t *const parts[TILE_PARTS]) {
  const int64_t count = INT64_C(1) << bits_of_models(pixels);
  pcai_make_curves(&room->curves);
  make_masses(room);
  room->known = (Experience){.models = (uint32_t *)(void *)parts[TILE_MODELS],
                             .model_mask = count - 1,
                             .tile_models = room->tile_models,
                             .colours = (uint32_t *)(void *)parts[COLOURS],
                             .sure = parts[SURE],
                             .colour_mask = count / 16 - 1,
                             .first_weights = room->first_weights,
                             .second_weights = room->second_weights,
                             .curves = room->corrected,
                             .widths = room->widths,
                             .biases = room->biases,
                             .logits = room->curves.logits,
                             .probabilities = room->curves.probabilities,
                             .rates = room->curves.rates,
                             .inverses = room->curves.inverses,
                             .masses = room->masses,
                             .logs = room->logs};
  for (int64_t i = 0; i < count; i++) room->known.models[i] = UINT32_C(1) << 31;
  for (int i = 0; i < 4; i++) room->tile_models[i] = UINT32_C(1) << 31;
  fill(room->first_weights, FIRST_ROWS * MOST_INPUTS, FIRST_WEIGHT);
  fill(room->second_weights, SECOND_ROWS * MOST_INPUTS, FIRST_WEIGHT);
  for (int i = 0; i < CURVES_OF_TILES * KNOTS; i++) {
    room->corrected[i] = room->curves.probabilities[within(256 * (i % KNOTS) - 1, 0, 2 * LOGIT_LIMIT)];
  }
  for (int i = 0; i < WIDTHS_OF_TILES; i++) room->widths[2 * i] = FIRST_WIDTH;
}

/* Puts the channels of packed colours beside each other. */
static void unpack(const Sheet *sheet, uint8_t *pixels) {
  for (int64_t y = 0; y < sheet->rows; y++) {
    const uint32_t *line = sheet->colours + (y + ABOVE) * (sheet->columns + 2 * BESIDE) + BESIDE;
    for (int64_t x = 0; x < sheet->columns; x++) {
      for (int64_t c = 0; c < sheet->channels; c++) *pixels++ = (uint8_t)(line[x] >> (8 * c));
    }
  }
}

int decode_tiles(const pcai *file, Bytes stream, int64_t lines, uint8_t *coded, uint8_t *pixels) {
  const Header *header = &file->header;
  int64_t sizes[TILE_PARTS];
  uint8_t *parts[TILE_PARTS], *memory = take_cleared(file, sizes_of(header, lines, sizes));
  if (!memory) return fault_of(file, PCAI_MEMORY, "There is no memory for tiles.", -1);
  TileRoom *room = (TileRoom *)(void *)memory;
  parts[0] = memory + (sizeof(TileRoom) + 63) / 64 * 64;
  for (int i = 1; i < TILE_PARTS; i++) parts[i] = parts[i - 1] + sizes[i - 1];
  begin(room, lines * header->width, parts);
  room->sheet = (Sheet){
      (uint32_t *)(void *)parts[PIXELS], parts[FOUND], coded, NULL, lines, header->width, header->channels};
  room->coder =
      (RangeCoder){.range = RANGE_FULL, .size = stream.size, .data = (uint8_t *)(uintptr_t)stream.data};
  pcai_range_start_reading(&room->coder);
  pcai_pixels_read(&room->sheet, &room->known, &room->coder, 0, lines);
  unpack(&room->sheet, pixels);
  give_back(file, memory);
  return PCAI_OK;
}
