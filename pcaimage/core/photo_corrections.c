/* Decoding corrections: what is known and learned at the beginning of a slice, and its channels in their order.
 */
#include "curves.h"
#include "equations.h"
#include "exact.h"
#include "residual_context.h"

enum {
  NARROW = 16,
  MOST_PLACES = 28,
  WIDTHS_OF_CHANNEL = RESIDUAL_FIRST_WIDTHS + SECOND_WIDTHS + SIZES,
  BIASES_OF_CHANNEL = FIRST_BIASES + SECOND_BIASES,
  MODELS_OF_CHANNEL = FIRST_MODELS + RESIDUAL_SECOND_MODELS + THIRD_MODELS,
  MAIN_WEIGHTS = CHANNELS * DENSITIES * NODES * INPUTS,
  ALL_WEIGHTS = MAIN_WEIGHTS + CHANNELS * PAIRS * NODES * INPUTS,
  FIRST_WIDTH = 46 * 64
};

/* All that decoding needs, but for what depends on the number of pixels. */
typedef struct {
  KnownPixels known;
  Equations fit;
  Learned learned;
  RangeCoder coder;
  CurveTables curves;
  int64_t places[MOST_PLACES];
  int32_t weights[ALL_WEIGHTS], tilts[TILTS * CHANNELS * KINDS * VALUES];
  int32_t widths[2 * CHANNELS * WIDTHS_OF_CHANNEL], biases[2 * CHANNELS * BIASES_OF_CHANNEL];
  uint32_t models[CHANNELS * MODELS_OF_CHANNEL * NODES];
} CorrectionRoom;

/* The other parts of the memory. */
enum { PLANES, ERRORS, SUMS, SOLUTIONS, FOUND_VALUES, CORRECTION_PARTS };

void pcai_residual_read(int64_t channel, int64_t start, int64_t stop, int32_t *values, int64_t columns,
                        const KnownPixels *known, const Equations *fit, const Learned *learned,
                        RangeCoder *coder);

static int64_t strips_of(int64_t width) { return least((width + NARROW - 1) / NARROW, STRIPS); }

/* Sums of products of inputs and target: in blocks of 4 × 4 on and below the diagonal. */
static int64_t sums_of(int64_t inputs) { return 8 * ((inputs + 4) / 4) * ((inputs + 4) / 4 + 1); }

static int64_t sizes_of(const Header *header, int64_t lines, int64_t sizes[CORRECTION_PARTS]) {
  const int64_t area = (lines + 2 * BORDER) * (header->width + 2 * BORDER), strips = strips_of(header->width);
  int64_t size = ((int64_t)sizeof(CorrectionRoom) + 63) / 64 * 64;
  sizes[PLANES] = 4 * 2 * header->channels * area;
  sizes[ERRORS] = 4 * header->channels * area;
  sizes[SUMS] = 4 * strips * sums_of(MOST_PLACES);
  sizes[SOLUTIONS] = 4 * strips * MOST_PLACES;
  sizes[FOUND_VALUES] = 4 * lines * header->width;
  for (int i = 0; i < CORRECTION_PARTS; i++) size += sizes[i] = (sizes[i] + 63) / 64 * 64;
  return size;
}

int64_t size_of_corrections(const Header *header, int64_t lines) {
  int64_t sizes[CORRECTION_PARTS];
  return sizes_of(header, lines, sizes);
}

/* What is learned before the first pixel. Memory is cleared. */
static void begin_learning(CorrectionRoom *room) {
  pcai_make_curves(&room->curves);
  room->learned = (Learned){
      room->weights,           room->models, room->tilts, room->widths, room->biases, room->curves.rates,
      curves_of(&room->curves)};
  for (int i = 0; i < MAIN_WEIGHTS; i++) room->weights[i] = i % INPUTS < OPINIONS ? ONE * 2 / 9 : ONE / 6;
  for (int i = 0; i < CHANNELS * MODELS_OF_CHANNEL * NODES; i++) room->models[i] = UINT32_C(1) << 31;
  for (int i = 0; i < CHANNELS * WIDTHS_OF_CHANNEL; i++) room->widths[2 * i] = FIRST_WIDTH;
}

static int64_t add_places(const KnownPixels *known, int64_t plane, const int8_t (*around)[2], int count,
                          int64_t *places) {
  for (int i = 0; i < count; i++) places[i] = plane * known->area + around[i][0] * known->stride + around[i][1];
  return count;
}

/* Sets up the equations of a channel, counted in the order of coding: they start afresh. */
static void begin_equations(CorrectionRoom *room, int64_t channel, int64_t strips,
                            const int64_t sizes[CORRECTION_PARTS]) {
  static const int8_t CAUSAL[14][2] = {{0, -1},  {-1, 0}, {-1, -1}, {-1, 1}, {0, -2},  {-2, 0}, {-2, 1},
                                       {-2, -1}, {-1, 2}, {-1, -2}, {-2, 2}, {-2, -2}, {0, -3}, {-3, 0}};
  static const int8_t BEFORE[9][2] = {{0, 0},   {0, -1}, {-1, 0}, {0, 1}, {1, 0},
                                      {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  static const int8_t AROUND[8][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  const KnownPixels *known = &room->known;
  Equations *fit = &room->fit;
  int64_t own = add_places(known, channel, CAUSAL, channel > 0 ? 6 : 14, room->places);
  for (int64_t before = channel - 1; before >= most(channel - 2, 0); before--) {
    own += add_places(known, before, BEFORE, 9, room->places + own);
  }
  int64_t others =
      add_places(known, known->channels + channel, AROUND, channel > 0 ? 4 : 8, room->places + own);
  *fit = (Equations){room->places, own, others, own + others, strips, fit->sums, fit->weights};
  memset(fit->sums, 0, (size_t)sizes[SUMS]);
  memset(fit->weights, 0, (size_t)sizes[SOLUTIONS]);
}

/* One channel of lines of pixels of 8 or 16 bits. */
typedef struct {
  uint8_t *pixels;
  int64_t apart, channels, channel;
  int wide;
} ChannelOfLines;

static int32_t value_at(const ChannelOfLines *of, int64_t y, int64_t x) {
  const uint8_t *line = of->pixels + y * of->apart;
  int64_t place = x * of->channels + of->channel;
  uint16_t value;
  if (!of->wide) return line[place];
  memcpy(&value, line + 2 * place, sizeof value);
  return value;
}

static void put_value(const ChannelOfLines *of, int64_t y, int64_t x, int32_t value) {
  uint8_t *line = of->pixels + y * of->apart;
  int64_t place = x * of->channels + of->channel;
  uint16_t word = (uint16_t)value;
  if (of->wide) {
    memcpy(line + 2 * place, &word, sizeof word);
  } else {
    line[place] = (uint8_t)value;
  }
}

/* Takes a channel's reconstruction, with a border of the nearest pixels. */
static void take_channel(const ChannelOfLines *of, int64_t lines, int64_t width, int32_t *plane) {
  for (int64_t y = -BORDER; y < lines + BORDER; y++) {
    for (int64_t x = -BORDER; x < width + BORDER; x++) {
      *plane++ = value_at(of, within(y, 0, lines - 1), within(x, 0, width - 1));
    }
  }
}

int correct_slice(const pcai *file, Bytes stream, int64_t lines, uint8_t *pixels, int64_t apart) {
  static const uint8_t GREEN_FIRST[CHANNELS] = {1, 0, 2, 3};
  const Header *header = &file->header;
  const int64_t width = header->width, channels = header->channels, stride = width + 2 * BORDER;
  int64_t sizes[CORRECTION_PARTS];
  uint8_t *parts[CORRECTION_PARTS], *memory = take_cleared(file, sizes_of(header, lines, sizes));
  if (!memory) return fault_of(file, PCAI_MEMORY, "There is no memory for corrections.", -1);
  CorrectionRoom *room = (CorrectionRoom *)(void *)memory;
  parts[0] = memory + (sizeof(CorrectionRoom) + 63) / 64 * 64;
  for (int i = 1; i < CORRECTION_PARTS; i++) parts[i] = parts[i - 1] + sizes[i - 1];
  int32_t *values = (int32_t *)(void *)parts[FOUND_VALUES];
  ChannelOfLines of = {pixels, apart, channels, 0, header->type == PCAI_U16};
  room->known = (KnownPixels){(int32_t *)(void *)parts[PLANES],
                              (int32_t *)(void *)parts[ERRORS],
                              (lines + 2 * BORDER) * stride,
                              stride,
                              channels,
                              of.wide ? UINT16_MAX : UINT8_MAX};
  room->fit = (Equations){.sums = (int32_t *)(void *)parts[SUMS], .weights = (int32_t *)(void *)parts[SOLUTIONS]};
  room->coder =
      (RangeCoder){.range = RANGE_FULL, .size = stream.size, .data = (uint8_t *)(uintptr_t)stream.data};
  pcai_range_start_reading(&room->coder);
  begin_learning(room);
  for (int64_t i = 0; i < channels; i++) {
    of.channel = channels > 2 ? GREEN_FIRST[i] : i;
    take_channel(&of, lines, width, room->known.planes + (channels + i) * room->known.area);
  }
  for (int64_t i = 0; i < channels; i++) {
    of.channel = channels > 2 ? GREEN_FIRST[i] : i;
    begin_equations(room, i, strips_of(width), sizes);
    pcai_residual_read(i, 0, lines * ((width + NARROW - 1) / NARROW), values, width, &room->known, &room->fit,
                       &room->learned, &room->coder);
    for (int64_t place = 0; place < lines * width; place++) {
      put_value(&of, place / width, place % width, values[place]);
    }
  }
  give_back(file, memory);
  return PCAI_OK;
}
