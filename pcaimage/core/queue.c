/* The range coder of files of version 1: symbols of any alphabet, in 32-bit words (docs/format.md, 5.1).
 *
 * A state of 64 bits; frequencies are at least 1 and sum to 2^24. Before each symbol the range is at least
 * 2^32, so that its share of one frequency, range / 2^24, is at least 256; a symbol's range is at least that,
 * and one shift by 32 bits makes it large again.
 */
#include "core.h"

#define PRECISION 24
#define TOTAL (INT64_C(1) << PRECISION)

/* Most raw bits in one equiprobable symbol. */
#define RAW_BITS 16

/* Parts of the total that have a symbol to start looking from. */
#define START_BITS 8
#define STARTS (1 << START_BITS)

typedef struct {
  /* Writing: the low end of the range. Reading: how far the words are beyond it. */
  uint64_t low;
  uint64_t range;
  /* The next word. */
  int64_t place;
} Queue;

/* Adds one to the number that the words before a place are the digits of: those of all ones become zeros. */
static void carry_into(uint32_t *words, int64_t place) {
  while (place > 0 && ++words[place - 1] == 0) place--;
}

/* Narrows the range to the part of a symbol; `words` has room for one more. */
ALWAYS_INLINE void queue_write(Queue *queue, uint32_t *words, uint64_t start, uint64_t frequency) {
  uint64_t scale = queue->range >> PRECISION, low = queue->low + scale * start;
  if (UNLIKELY(low < queue->low)) carry_into(words, queue->place);
  queue->low = low;
  queue->range = scale * frequency;
  if (queue->range >> 32 == 0) {
    words[queue->place++] = (uint32_t)(low >> 32);
    queue->low = low << 32;
    queue->range <<= 32;
  }
}

ALWAYS_INLINE uint64_t queue_next(Queue *queue, const uint32_t *words, int64_t size) {
  int64_t place = queue->place++;
  return LIKELY(place < size) ? words[place] : 0;
}

/* Returns which of the 2^24 parts of the range comes; at least 2^24 if no symbol does. */
ALWAYS_INLINE uint64_t queue_peek(const Queue *queue) { return queue->low / (queue->range >> PRECISION); }

/* Leaves a symbol behind. The words are not behind its end, for it has the part that came. */
ALWAYS_INLINE void queue_read(Queue *queue, const uint32_t *words, int64_t size, uint64_t start,
                              uint64_t frequency) {
  uint64_t scale = queue->range >> PRECISION;
  queue->low -= scale * start;
  queue->range = scale * frequency;
  if (queue->range >> 32 == 0) {
    queue->low = (queue->low << 32) | queue_next(queue, words, size);
    queue->range <<= 32;
  }
}

/* Sums up frequencies: symbol s has the parts from starts[s] to starts[s + 1]. Returns whether they are a
 * model's; `starts` has room for one number more than there are symbols. */
static int summed(const int64_t *frequencies, int64_t symbols, int64_t *starts) {
  int64_t sum = 0;
  for (int64_t i = 0; i < symbols; i++) {
    if (frequencies[i] < 1 || frequencies[i] > TOTAL - sum) return 0;
    starts[i] = sum;
    sum += frequencies[i];
  }
  starts[symbols] = sum;
  return sum == TOTAL;
}

/* Begins with the first words. */
API void pcai_queue_start_reading(Queue *queue, const uint32_t *words, int64_t size) {
  queue->range = UINT64_MAX;
  queue->low = queue_next(queue, words, size) << 32;
  queue->low |= queue_next(queue, words, size);
}

/* Writes symbols; `words` has room for one more for each. Returns how many were in the alphabet, all of them
 * if there is no mistake; -1 if the frequencies are no model's. */
API int64_t pcai_queue_put(Queue *queue, uint32_t *words, const int64_t *symbols, int64_t count,
                           const int64_t *frequencies, int64_t alphabet, int64_t *starts) {
  if (!summed(frequencies, alphabet, starts)) return -1;
  for (int64_t i = 0; i < count; i++) {
    int64_t symbol = symbols[i];
    if (symbol < 0 || symbol >= alphabet) return i;
    queue_write(queue, words, (uint64_t)starts[symbol], (uint64_t)frequencies[symbol]);
  }
  return count;
}

/* Reads symbols. Returns how many there are before data that no encoder writes, all of them if there are
 * none such; -1 if the frequencies are no model's. */
API int64_t pcai_queue_get(Queue *queue, const uint32_t *words, int64_t size, int64_t *symbols,
                           int64_t count, const int64_t *frequencies, int64_t alphabet, int64_t *starts) {
  if (!summed(frequencies, alphabet, starts)) return -1;
  int64_t first[STARTS], symbol = 0;
  for (int64_t i = 0; i < STARTS; i++) {
    /* Ends at the last symbol at the latest, which ends at the total. */
    while (starts[symbol + 1] <= i << (PRECISION - START_BITS)) symbol++;
    first[i] = symbol;
  }
  for (int64_t i = 0; i < count; i++) {
    uint64_t part = queue_peek(queue);
    if (UNLIKELY(part >> PRECISION)) return i;
    symbol = first[part >> (PRECISION - START_BITS)];
    /* As above: the part is below the total. */
    while ((uint64_t)starts[symbol + 1] <= part) symbol++;
    queue_read(queue, words, size, (uint64_t)starts[symbol], (uint64_t)frequencies[symbol]);
    symbols[i] = symbol;
  }
  return count;
}

/* Writes the lowest `bits` of numbers, 63 at most, from the low ones up in pieces of up to 16, each piece of
 * all numbers before the next; `words` has room for one more for each piece. */
API void pcai_queue_put_bits(Queue *queue, uint32_t *words, const int64_t *numbers, int64_t count,
                             int64_t bits) {
  for (int64_t shift = 0; shift < bits; shift += RAW_BITS) {
    int64_t width = least(bits - shift, RAW_BITS), mask = (INT64_C(1) << width) - 1;
    uint64_t frequency = UINT64_C(1) << (PRECISION - width);
    for (int64_t i = 0; i < count; i++) {
      queue_write(queue, words, (uint64_t)((numbers[i] >> shift) & mask) * frequency, frequency);
    }
  }
}

/* Reads what pcai_queue_put_bits() wrote. Returns whether an encoder may have written it. */
API int64_t pcai_queue_get_bits(Queue *queue, const uint32_t *words, int64_t size, int64_t *numbers,
                                int64_t count, int64_t bits) {
  for (int64_t i = 0; i < count; i++) numbers[i] = 0;
  for (int64_t shift = 0; shift < bits; shift += RAW_BITS) {
    int64_t width = least(bits - shift, RAW_BITS);
    uint64_t frequency = UINT64_C(1) << (PRECISION - width);
    for (int64_t i = 0; i < count; i++) {
      uint64_t part = queue_peek(queue);
      if (UNLIKELY(part >> PRECISION)) return 0;
      uint64_t piece = part >> (PRECISION - width);
      queue_read(queue, words, size, piece * frequency, frequency);
      numbers[i] |= (int64_t)(piece << shift);
    }
  }
  return 1;
}

/* Writes the word that decides all symbols before it; `words` has room for it. Nothing after no symbols. */
API void pcai_queue_finish(Queue *queue, uint32_t *words) {
  if (queue->range == UINT64_MAX) return;
  uint64_t point = queue->low + UINT32_MAX;
  if (point < queue->low) carry_into(words, queue->place);
  words[queue->place++] = (uint32_t)(point >> 32);
}
