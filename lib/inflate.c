/* Inflating zlib streams (RFC 1950, RFC 1951), for hosts that have no zlib.
 *
 * Safe on any input: nothing is read outside of the data, nor written outside of the room. Nothing is
 * allocated. */
#include "core.h"
#include "pcai.h"

/* Codes of up to QUICK bits are found in a table; the others bit by bit. */
enum { LONGEST = 15, QUICK = 10, LITERALS = 288, DISTANCES = 30, END = 256 };

typedef struct {
  const uint8_t *data;
  size_t size, place;
  uint64_t held; /* bits that are read and not used yet, the next one lowest */
  int count;     /* how many; negative if more were used than there are */
  uint8_t *to;
  size_t room, done;
} Stream;

/* A canonical code: how many symbols have each length, all symbols by length and value, and for the next
 * QUICK bits 16 times the symbol plus its length, or 0. */
typedef struct {
  uint16_t counts[LONGEST + 1], symbols[LITERALS], quick[1 << QUICK];
} Code;

/* Holds at least 32 bits, zeros behind the end. */
ALWAYS_INLINE void refill(Stream *stream) {
  while (stream->count <= 56 && stream->place < stream->size) {
    stream->held |= (uint64_t)stream->data[stream->place++] << stream->count;
    stream->count += 8;
  }
}

ALWAYS_INLINE uint32_t use_bits(Stream *stream, int count) {
  uint32_t bits = (uint32_t)(stream->held & ((UINT64_C(1) << count) - 1));
  stream->held >>= count;
  stream->count -= count;
  return bits;
}

/* Makes a code of its symbols' lengths; returns whether all its words are used, or if `single` at most one of
 * one bit is. */
static int make_code(Code *code, const uint8_t *lengths, int count, int single) {
  uint16_t places[LONGEST + 2] = {0}, next[LONGEST + 2] = {0};
  int left = 1, longest = 0;
  memset(code->counts, 0, sizeof code->counts);
  memset(code->quick, 0, sizeof code->quick);
  for (int i = 0; i < count; i++) code->counts[lengths[i]]++;
  code->counts[0] = 0;
  for (int length = 1; length <= LONGEST; length++) {
    left = 2 * left - code->counts[length];
    if (left < 0) return 0;
    if (code->counts[length]) longest = length;
    places[length + 1] = (uint16_t)(places[length] + code->counts[length]);
    next[length + 1] = (uint16_t)((next[length] + code->counts[length]) << 1);
  }
  if (left > 0 && !(single && longest <= 1)) return 0;
  for (int symbol = 0; symbol < count; symbol++) {
    int length = lengths[symbol];
    if (!length) continue;
    code->symbols[places[length]++] = (uint16_t)symbol;
    uint32_t word = next[length]++, reversed = 0;
    if (length > QUICK) continue;
    for (int bit = 0; bit < length; bit++) reversed |= (word >> bit & 1) << (length - 1 - bit);
    for (; reversed < 1 << QUICK; reversed += 1u << length)
      code->quick[reversed] = (uint16_t)(symbol << 4 | length);
  }
  return 1;
}

/* The next symbol, or -1 if there is none of these bits. */
ALWAYS_INLINE int next_symbol(Stream *stream, const Code *code) {
  int quick = code->quick[stream->held & ((1 << QUICK) - 1)];
  if (LIKELY(quick)) {
    use_bits(stream, quick & 15);
    return quick >> 4;
  }
  int word = 0, first = 0, index = 0;
  for (int length = 1; length <= LONGEST; length++) {
    word |= (int)(stream->held >> (length - 1) & 1);
    int count = code->counts[length];
    if (word - first < count) {
      use_bits(stream, length);
      return code->symbols[index + word - first];
    }
    index += count;
    first = (first + count) << 1;
    word <<= 1;
  }
  return -1;
}

/* Copies what is that far behind; returns whether it is there, and fits. */
ALWAYS_INLINE int repeat(Stream *stream, size_t length, size_t distance) {
  if (distance > stream->done || length > stream->room - stream->done) return 0;
  uint8_t *to = stream->to + stream->done;
  const uint8_t *from = to - distance;
  if (distance >= length) {
    memcpy(to, from, length);
  } else {
    for (size_t i = 0; i < length; i++) to[i] = from[i];
  }
  stream->done += length;
  return 1;
}

static int inflate_coded(Stream *stream, const Code *literals, const Code *distances) {
  static const uint16_t LENGTHS[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t LENGTH_BITS[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  for (;;) {
    refill(stream);
    int symbol = next_symbol(stream, literals);
    if (symbol < 0 || stream->count < 0) return 0;
    if (symbol < END) {
      if (stream->done == stream->room) return 0;
      stream->to[stream->done++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == END) return 1;
    symbol -= END + 1;
    if (symbol >= 29) return 0;
    size_t length = LENGTHS[symbol] + use_bits(stream, LENGTH_BITS[symbol]);
    refill(stream);
    symbol = next_symbol(stream, distances);
    if (symbol < 0 || symbol >= DISTANCES) return 0;
    int bits = symbol < 4 ? 0 : symbol / 2 - 1;
    size_t base = symbol < 4 ? (size_t)symbol : (size_t)(2 + symbol % 2) << bits;
    size_t distance = 1 + base + use_bits(stream, bits);
    if (stream->count < 0 || !repeat(stream, length, distance)) return 0;
  }
}

/* Reads the lengths of both codes' symbols; returns whether they make codes. */
static int read_codes(Stream *stream, Code *literals, Code *distances) {
  static const uint8_t ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[LITERALS + 32] = {0}, first[19] = {0};
  refill(stream);
  int n_literals = 257 + (int)use_bits(stream, 5), n_distances = 1 + (int)use_bits(stream, 5);
  int n_first = 4 + (int)use_bits(stream, 4), place = 0;
  if (n_literals > 286 || n_distances > DISTANCES) return 0;
  for (int i = 0; i < n_first; i++) {
    refill(stream);
    first[ORDER[i]] = (uint8_t)use_bits(stream, 3);
  }
  if (!make_code(literals, first, 19, 0)) return 0;
  while (place < n_literals + n_distances) {
    refill(stream);
    int symbol = next_symbol(stream, literals), times = 1;
    if (symbol < 0 || stream->count < 0) return 0;
    uint8_t length = (uint8_t)symbol;
    if (symbol == 16) {
      if (place == 0) return 0;
      length = lengths[place - 1];
      times = 3 + (int)use_bits(stream, 2);
    } else if (symbol > 16) {
      length = 0;
      times = symbol == 17 ? 3 + (int)use_bits(stream, 3) : 11 + (int)use_bits(stream, 7);
    }
    if (times > n_literals + n_distances - place) return 0;
    for (; times > 0; times--) lengths[place++] = length;
  }
  return stream->count >= 0 && lengths[END] && make_code(literals, lengths, n_literals, 1) &&
         make_code(distances, lengths + n_literals, n_distances, 1);
}

static int inflate_stored(Stream *stream) {
  use_bits(stream, stream->count & 7);
  refill(stream);
  size_t length = use_bits(stream, 16), inverse = use_bits(stream, 16);
  if (stream->count < 0 || (length ^ inverse) != 0xFFFF || length > stream->room - stream->done) return 0;
  for (; length > 0; length--) {
    refill(stream);
    stream->to[stream->done++] = (uint8_t)use_bits(stream, 8);
    if (stream->count < 0) return 0;
  }
  return 1;
}

static int inflate_block(Stream *stream, int kind) {
  Code literals, distances;
  uint8_t lengths[LITERALS];
  if (kind == 0) return inflate_stored(stream);
  if (kind == 1) {
    for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&literals, lengths, LITERALS, 0);
    memset(lengths, 5, 32);
    make_code(&distances, lengths, 32, 0);
  } else if (kind > 2 || !read_codes(stream, &literals, &distances)) {
    return 0;
  }
  return inflate_coded(stream, &literals, &distances);
}

static uint32_t adler_of(const uint8_t *data, size_t size) {
  uint32_t a = 1, b = 0;
  while (size > 0) {
    size_t run = size < 5552 ? size : 5552; /* the most that 32 bits hold the sums of */
    for (size_t i = 0; i < run; i++) b += a += data[i];
    a %= 65521, b %= 65521;
    data += run, size -= run;
  }
  return b << 16 | a;
}

API int pcai_inflate(void *own, const uint8_t *data, size_t size, uint8_t *to, size_t room) {
  Stream stream = {.data = data, .size = size, .place = 2, .to = to, .room = room};
  (void)own;
  if (size < 6 || (data[0] & 15) != 8 || data[0] >> 4 > 7 || (data[1] & 32) || (256 * data[0] + data[1]) % 31)
    return 0;
  for (uint32_t last = 0; !last;) {
    refill(&stream);
    last = use_bits(&stream, 1);
    int kind = (int)use_bits(&stream, 2);
    if (stream.count < 0 || !inflate_block(&stream, kind)) return 0;
  }
  uint32_t check = 0;
  use_bits(&stream, stream.count & 7);
  for (int i = 0; i < 4; i++) {
    refill(&stream);
    check = check << 8 | use_bits(&stream, 8);
  }
  return stream.count >= 0 && stream.done == room && check == adler_of(to, room);
}
