/* Reading planes that are coded directly (format.md, section 5.9). */
#include "direct.h"

#include "linear.h"

void make_shapes(const CurveTables *curves, Shapes *shapes) {
  for (int shape = 0; shape < SHAPES; shape++) {
    uint32_t at = 0, sum = 0;
    for (int symbol = 0; symbol < DIRECT_SYMBOLS; symbol++) {
      /* Where the curve is at the edge below a symbol, and above it. */
      uint32_t chances[2];
      for (int side = 0; side < 2; side++) {
        int64_t logit = ((2 * (symbol + side - EACH_SIDE) - 1) * (int64_t)curves->inverses[2 * shape]) >> 15;
        int32_t curve = curves->probabilities[within(logit, -LOGIT_LIMIT, LOGIT_LIMIT) + LOGIT_LIMIT];
        chances[side] = (uint32_t)(curve * ((1 << CHANCE_BITS) - 1)) >> 16;
      }
      uint32_t chance = symbol < DIRECT_SYMBOLS - 1 ? chances[1] - chances[0] : (1 << CHANCE_BITS) - sum;
      shapes->first[shape][symbol] = (uint16_t)sum;
      for (sum += chance; at < sum; at++) {
        uint32_t beyond = at - (sum - chance);
        shapes->places[shape][at] = (uint32_t)symbol | chance << 6 | beyond << (6 + CHANCE_BITS);
      }
    }
    shapes->first[shape][DIRECT_SYMBOLS] = (uint16_t)sum;
  }
}

/* A slice's stream while it is read: what is in front, words of the four coders, bits. */
typedef struct {
  Bytes words, bits;
  int64_t place, bit;
  uint32_t states[CODERS];
} Stream;

/* Reads what is in front for a band; returns whether it is there. */
static int read_parameters(Bytes stream, int64_t *place, Parameters *given) {
  const uint8_t *at = stream.data + *place;
  if (stream.size - *place < 8) return 0;
  int first = at[6], count = at[7];
  if (at[4] > 31 || at[5] > 31 || first >= SURROUNDINGS || count < 1 || count > SURROUNDINGS) return 0;
  *given = (Parameters){(int32_t)word_at(at), at[4], at[5], {0}, {0}};
  if (stream.size - *place - 8 < count + 2 * WEIGHTS) return 0;
  for (int kind = 0; kind < SURROUNDINGS; kind++) {
    given->sizes[kind] = at[8 + within(kind - first, 0, count - 1)];
    if (given->sizes[kind] > LARGEST_SHAPE) return 0;
  }
  at += 8 + count;
  for (int i = 0; i < WEIGHTS; i++) {
    given->weights[i] = (int16_t)half_at(at + 2 * i);
    if (given->weights[i] == INT16_MIN) return 0;
  }
  *place += 8 + count + 2 * WEIGHTS;
  return 1;
}

static int begin_stream(Bytes stream, int64_t bands, Parameters *given, Stream *found) {
  int64_t place = 0;
  for (int64_t band = 0; band < bands; band++) {
    if (!read_parameters(stream, &place, given + band)) return 0;
  }
  if (stream.size - place < 4) return 0;
  int64_t size = 2 * (int64_t)word_at(stream.data + place);
  place += 4;
  if (size < 4 * CODERS || size > stream.size - place) return 0;
  *found = (Stream){{stream.data + place, size}, {stream.data + place + size, stream.size - place - size}, 0, 0, {0}};
  for (int i = 0; i < CODERS; i++, found->place += 4) found->states[i] = word_at(found->words.data + found->place);
  return 1;
}

/* The next so many bits, at most 32; zeros behind the last. */
ALWAYS_INLINE uint32_t next_bits(Stream *stream, int64_t count) {
  int64_t byte = stream->bit >> 3;
  uint64_t found = 0;
  if (LIKELY(byte <= stream->bits.size - 8)) {
    const uint8_t *at = stream->bits.data + byte;
    found = word_at(at) | (uint64_t)word_at(at + 4) << 32;
  } else {
    for (int i = 0; i < 8 && byte + i < stream->bits.size; i++) found |= (uint64_t)stream->bits.data[byte + i] << (8 * i);
  }
  found >>= stream->bit & 7;
  stream->bit += count;
  return (uint32_t)(found & ((UINT64_C(1) << count) - 1));
}

/* Reads the errors of a line; words that are not there are 0. */
ALWAYS_INLINE void read_errors(Stream *stream, const Shapes *shapes, const uint8_t *kinds, const Parameters *given,
                               int64_t columns, int32_t *errors) {
  const uint32_t *tables[SURROUNDINGS];
  uint8_t shifts[SURROUNDINGS];
  Stream here = *stream;
  for (int i = 0; i < SURROUNDINGS; i++) {
    tables[i] = shapes->places[shape_of(given->sizes[i])];
    shifts[i] = (uint8_t)shift_of(given->sizes[i]);
  }
  for (int64_t start = 0; start < columns; start += CODERS) {
    WRITTEN_OUT for (int coder = 0; coder < CODERS; coder++) {
      int64_t j = start + coder;
      if (j == columns) break;
      uint32_t state = here.states[coder], found = tables[kinds[j]][state & ((1 << CHANCE_BITS) - 1)];
      state = (found >> 6 & ((1 << CHANCE_BITS) - 1)) * (state >> CHANCE_BITS) + (found >> (6 + CHANCE_BITS));
      if (state < LOWEST_STATE) {
        state = state << 16 | (LIKELY(here.place < here.words.size) ? half_at(here.words.data + here.place) : 0);
        here.place += 2;
      }
      here.states[coder] = state;
      int64_t symbol = found & (DIRECT_SYMBOLS - 1), shift = shifts[kinds[j]];
      if (LIKELY(symbol < DIRECT_SYMBOLS - 1)) {
        int64_t low = next_bits(&here, shift);
        errors[j] = (int32_t)(uint32_t)((symbol - EACH_SIDE) * (INT64_C(1) << shift) + low - ((1 << shift) >> 1));
      } else {
        uint32_t far = next_bits(&here, least(next_bits(&here, 6), 32));
        errors[j] = (int32_t)(far >> 1 ^ (0 - (far & 1)));
      }
    }
  }
  *stream = here;
}

/* Reads a line of a band into `numbers`. */
ALWAYS_INLINE void read_line(const Direct *direct, int64_t band, const Parameters *given, const Shapes *shapes,
                             Stream *stream, int32_t *errors, int32_t *numbers) {
  const Last last = last_of(direct, band);
  expect_line(direct, band, given);
  read_errors(stream, shapes, direct->kinds, given, direct->columns, errors);
  for (int64_t j = 0; j < direct->columns; j++) {
    numbers[j] = (int32_t)((uint32_t)last.numbers[j] + (uint32_t)direct->expected[j] + (uint32_t)errors[j]);
  }
  know_line(direct, band, given, numbers, errors);
}

EITHER_WIDTH(static, read_one, read_line,
             (const Direct *direct, int64_t band, const Parameters *given, const Shapes *shapes, Stream *stream,
              int32_t *errors, int32_t *numbers),
             (direct, band, given, shapes, stream, errors, numbers))

/* Writes numbers, each times a step, as values of a band. */
ALWAYS_INLINE void put_line(const Values *values, const int32_t *numbers, int64_t step, int64_t columns, int64_t size,
                            uint8_t *to, int64_t apart) {
  int64_t low = (int64_t)values->lowest, high = (int64_t)values->highest;
  for (int64_t j = 0; j < columns; j++, to += apart) {
    int32_t whole = (int32_t)within(step * numbers[j], low, high);
    uint16_t half = (uint16_t)whole;
    float real = (float)(whole * values->unit);
    if (size == 1) *to = (uint8_t)whole;
    if (size == 2) memcpy(to, &half, 2);
    if (size == 4) memcpy(to, &real, 4);
  }
}

int64_t direct_memory(const Layout *layout) {
  return layout->count * (int64_t)sizeof(Parameters) + 8 * direct_room(layout->columns) +
         direct_size(layout->columns, layout->count) + TAKEN_BESIDE;
}

/* Reads the lines of a slice. */
static void read_slice(const pcai *file, const Direct *direct, const Parameters *given, Stream *stream, int64_t count,
                       int64_t step, int32_t *numbers, uint8_t *lines, int64_t apart) {
  const Linear *own = file->own;
  const Values values = values_of(&file->header);
  int64_t columns = direct->columns, each = bytes_of(&file->header), next = each * direct->bands;
  for (int64_t i = 0; i < count; i++, lines += apart) {
    uint8_t *to = lines;
    for (int64_t band = 0; band < direct->bands; band++, to += each) {
      read_one(direct, band, given + band, own->shapes, stream, numbers, numbers + direct->room);
      if (each == 1) put_line(&values, numbers + direct->room, step, columns, 1, to, next);
      if (each == 2) put_line(&values, numbers + direct->room, step, columns, 2, to, next);
      if (each == 4) put_line(&values, numbers + direct->room, step, columns, 4, to, next);
    }
    if (stream->place > stream->words.size || stream->bit > 8 * stream->bits.size) return;
  }
}

int direct_slice(const pcai *file, Bytes data, const Layout *layout, int64_t step, uint8_t *lines, int64_t apart) {
  int64_t bands = layout->count, front = bands * (int64_t)sizeof(Parameters), line = 4 * direct_room(layout->columns);
  uint8_t *memory = take_cleared(file, direct_memory(layout));
  if (!memory) return no_memory(file);
  Parameters *given = (Parameters *)(void *)memory;
  Direct direct = direct_in(memory + front + 2 * line, layout->columns, bands);
  Stream stream;
  int whole = begin_stream(data, bands, given, &stream);
  if (whole) {
    for (int64_t band = 0; band < bands; band++) begin_band(&direct, band, given + band);
    read_slice(file, &direct, given, &stream, layout->lines, step, (int32_t *)(void *)(memory + front), lines, apart);
    for (int i = 0; i < CODERS; i++) whole = whole && stream.states[i] == LOWEST_STATE;
    whole = whole && stream.place == stream.words.size && (stream.bit + 7) / 8 == stream.bits.size;
  }
  give_back(file, memory);
  return whole ? PCAI_OK : fault_of(file, PCAI_DAMAGED, "What is coded directly is damaged.", -1);
}
