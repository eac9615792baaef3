/* Corrections: what is known and learned at the beginning of a slice, and its channels in their order. */
#include "curves.h"
#include "exact.h"
#include "residual_context.h"
#include "room.h"

enum {
  MOST_PLACES = 28,
  WIDTHS_OF_CHANNEL = RESIDUAL_FIRST_WIDTHS + SECOND_WIDTHS + SIZES,
  BIASES_OF_CHANNEL = FIRST_BIASES + SECOND_BIASES,
  MODELS_OF_CHANNEL = FIRST_MODELS + RESIDUAL_SECOND_MODELS + THIRD_MODELS + 2 * FOURTH_MODELS,
  MAIN_WEIGHTS = CHANNELS * DENSITIES * NODES * INPUTS,
  ALL_WEIGHTS = MAIN_WEIGHTS + CHANNELS * PAIRS * NODES * INPUTS,
  FIRST_WIDTH = 46 * 64
};

/* All that coding needs, but for what depends on the number of pixels. */
typedef struct {
  KnownPixels known;
  Equations fit;
  Learned learned;
  /* The values of a channel, and what its equations take. */
  int32_t *values;
  int64_t width, sums, solutions, places[MOST_PLACES];
  int32_t weights[ALL_WEIGHTS], tilts[TILTS * CHANNELS * KINDS * VALUES];
  int32_t widths[2 * CHANNELS * WIDTHS_OF_CHANNEL], biases[2 * CHANNELS * BIASES_OF_CHANNEL];
  uint32_t models[CHANNELS * MODELS_OF_CHANNEL * NODES];
} Corrections;

/* The pixels of 8 or 16 bits of some lines, all channels beside each other. */
typedef struct {
  uint8_t *pixels;
  int64_t apart, lines, width, channels;
  int wide;
} Lines;

static Corrections *divide(Room *room, int64_t lines, int64_t width, int64_t channels) {
  const int64_t stride = width + 2 * BORDER, area = (lines + 2 * BORDER) * stride;
  const int64_t strips = strips_of(width, NARROW);
  const int64_t sums = 4 * strips * sums_of(MOST_PLACES), solutions = 4 * strips * MOST_PLACES;
  Corrections *at = cleared_part(room, (int64_t)sizeof(Corrections));
  int32_t *planes = cleared_part(room, 4 * 2 * channels * area);
  int32_t *errors = cleared_part(room, 4 * channels * area), *values = part_of(room, 4 * lines * width);
  void *of_sums = part_of(room, sums), *of_solutions = part_of(room, solutions);
  if (!at) return NULL;
  at->known = (KnownPixels){planes, errors, area, stride, channels, 0};
  at->fit = (Equations){.strips = strips, .sums = of_sums, .weights = of_solutions};
  at->values = values;
  at->width = width, at->sums = sums, at->solutions = solutions;
  return at;
}

API int64_t pcai_corrections_size(int64_t lines, int64_t width, int64_t channels) {
  Room room = {NULL, 0};
  divide(&room, lines, width, channels);
  return size_of_room(&room);
}

/* What is learned before the first pixel. */
static void begin_learning(Corrections *at, const CurveTables *curves) {
  at->learned = (Learned){at->weights, at->models, at->tilts, at->widths, at->biases, curves};
  for (int i = 0; i < MAIN_WEIGHTS; i++) at->weights[i] = i % INPUTS < OPINIONS ? ONE * 2 / 9 : ONE / 10;
  for (int i = 0; i < CHANNELS * MODELS_OF_CHANNEL * NODES; i++) at->models[i] = UINT32_C(1) << 31;
  for (int i = 0; i < CHANNELS * WIDTHS_OF_CHANNEL; i++) at->widths[2 * i] = FIRST_WIDTH;
}

static int64_t add_places(const KnownPixels *known, int64_t plane, const int8_t (*around)[2], int count,
                          int64_t *places) {
  for (int i = 0; i < count; i++) places[i] = plane * known->area + around[i][0] * known->stride + around[i][1];
  return count;
}

/* Sets up the equations of a channel, counted in the order of coding: they start afresh. */
static void begin_equations(Corrections *at, int64_t channel) {
  static const int8_t CAUSAL[14][2] = {{0, -1},  {-1, 0}, {-1, -1}, {-1, 1}, {0, -2},  {-2, 0}, {-2, 1},
                                       {-2, -1}, {-1, 2}, {-1, -2}, {-2, 2}, {-2, -2}, {0, -3}, {-3, 0}};
  static const int8_t BEFORE[9][2] = {{0, 0},   {0, -1}, {-1, 0}, {0, 1}, {1, 0},
                                      {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  static const int8_t AROUND[8][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  const KnownPixels *known = &at->known;
  Equations *fit = &at->fit;
  int64_t own = add_places(known, channel, CAUSAL, channel > 0 ? 6 : 14, at->places);
  for (int64_t before = channel - 1; before >= most(channel - 2, 0); before--) {
    own += add_places(known, before, BEFORE, 9, at->places + own);
  }
  int64_t others = add_places(known, known->channels + channel, AROUND, channel > 0 ? 4 : 8, at->places + own);
  *fit = (Equations){at->places, own, others, own + others, fit->strips, fit->sums, fit->weights};
  memset(fit->sums, 0, (size_t)at->sums);
  memset(fit->weights, 0, (size_t)at->solutions);
}

/* Takes the values of a channel of some lines, with a border of the nearest ones, or puts them. */
static void exchange(const Lines *of, int64_t channel, int64_t border, int32_t *values, int putting) {
  for (int64_t y = -border; y < of->lines + border; y++) {
    uint8_t *line = of->pixels + within(y, 0, of->lines - 1) * of->apart;
    for (int64_t x = -border; x < of->width + border; x++, values++) {
      uint8_t *there = line + (within(x, 0, of->width - 1) * of->channels + channel) * (of->wide ? 2 : 1);
      uint16_t word;
      if (!of->wide) {
        if (putting) *there = (uint8_t)*values;
        else *values = *there;
      } else if (putting) {
        word = (uint16_t)*values;
        memcpy(there, &word, sizeof word);
      } else {
        memcpy(&word, there, sizeof word);
        *values = word;
      }
    }
  }
}

/* The channel that is coded as number `index`: green first. */
static int64_t channel_of(const Lines *of, int64_t index) {
  return of->channels > 2 && index < 2 ? 1 - index : index;
}

/* Begins a slice, whose reconstruction is given. */
static Corrections *begin(void *memory, const CurveTables *curves, const Lines *of) {
  Room room = room_in(memory);
  Corrections *at = divide(&room, of->lines, of->width, of->channels);
  at->known.peak = of->wide ? UINT16_MAX : UINT8_MAX;
  begin_learning(at, curves);
  for (int64_t i = 0; i < of->channels; i++) {
    exchange(of, channel_of(of, i), BORDER, at->known.planes + (of->channels + i) * at->known.area, 0);
  }
  return at;
}

/* Codes lines of the channel that comes as number `index`, or reads them. */
static void code_lines(Corrections *at, int64_t index, int64_t start, int64_t stop, RangeCoder *coder, int reading) {
  const int64_t strips = (at->width + NARROW - 1) / NARROW;
  if (start == 0) begin_equations(at, index);
  code_residual(index, start * strips, stop * strips, at->values, at->width, &at->known, &at->fit, &at->learned,
                coder, reading);
}

int correct_slice(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, uint8_t *pixels,
                  int64_t apart) {
  const Header *header = &file->header;
  const Lines of = {pixels, apart, lines, header->width, header->channels, header->type == PCAI_U16};
  void *memory = take(file, pcai_corrections_size(lines, header->width, header->channels));
  if (!memory) return no_memory(file);
  Corrections *at = begin(memory, curves, &of);
  RangeCoder coder = range_reader(stream.data, stream.size);
  range_start_reading(&coder);
  for (int64_t i = 0; i < of.channels; i++) {
    code_lines(at, i, 0, lines, &coder, 1);
    exchange(&of, channel_of(&of, i), 0, at->values, 1);
  }
  give_back(file, memory);
  return PCAI_OK;
}

/* Begins to encode the corrections of some lines, whose reconstruction is given. */
API void pcai_corrections_begin(void *memory, const CurveTables *curves, int64_t lines, int64_t width,
                                int64_t channels, int64_t wide, uint8_t *pixels) {
  const Lines of = {pixels, width * channels * (wide ? 2 : 1), lines, width, channels, (int)wide};
  begin(memory, curves, &of);
}

/* Encodes some lines of the channel that comes as number `index`, from the first to the last; the original has
 * all lines. */
API void pcai_corrections_write(void *memory, RangeCoder *coder, int64_t index, int64_t start, int64_t stop,
                                uint8_t *original) {
  Corrections *at = (Corrections *)(void *)room_in(memory).memory;
  const int64_t channels = at->known.channels, lines = at->known.area / at->known.stride - 2 * BORDER;
  const int wide = at->known.peak > UINT8_MAX;
  const Lines of = {original, at->width * channels * (wide ? 2 : 1), lines, at->width, channels, wide};
  if (start == 0) exchange(&of, channel_of(&of, index), 0, at->values, 0);
  code_lines(at, index, start, stop, coder, 0);
}
