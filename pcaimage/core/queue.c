/* The range coder of blocks, channels and stacks: tokens and raw bits, in words of 32 bits
 * (docs/format.md, 5.1, 5.3 and 5.4).
 *
 * Frequencies are at least 1 and sum to 2^24. The range has 64 bits and is at least 2^32 before each symbol:
 * so a 2^24th of it, is at least 2^8, a symbol's range is not less, and one
 * shift by 32 bits makes it large again.
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

/* Leaves a symbol behind, which has the part that came: so what is left of `low` is below the new range. */
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

/* Symbols that have a model are the tokens of magnitudes. */
#define ALPHABET 72

/* The weight of a symbol that was seen, in its count. */
#define INCREMENT 16

/* A model learns after runs of half as many symbols as there were before, from 48 to 2^16. */
#define FIRST_RUN 48
#define LONGEST_RUN 65536

/* Counts may sum to less than 2^38. */
#define SUM_BITS 38

/* Symbol s has the parts from starts[s] to starts[s + 1] of the total; first[i] has the part i * 2^16. */
typedef struct {
  int64_t frequencies[ALPHABET];
  int64_t starts[ALPHABET + 1];
  int64_t first[STARTS];
} Model;

/* Scales the sums of two kinds of counts to frequencies; what rounding leaves over goes to the first of the
 * largest. Returns whether the counts are in their bounds. */
static int fitted(Model *model, const int64_t *prior, const int64_t *seen) {
  int64_t sum = 0, largest = 0, start = 0, symbol = 0;
  int64_t *counts = model->frequencies;
  for (int64_t i = 0; i < ALPHABET; i++) {
    if (prior[i] < 0 || seen[i] < 0 || prior[i] >> SUM_BITS || seen[i] >> SUM_BITS) return 0;
    counts[i] = prior[i] + seen[i];
    sum += counts[i];
    if (counts[i] > counts[largest]) largest = i;
  }
  if (sum < 1 || sum >> SUM_BITS) return 0;
  int64_t left = TOTAL;
  for (int64_t i = 0; i < ALPHABET; i++) {
    /* Below 2^62. The quotients sum to 2^24 - 72 at the most. */
    counts[i] = 1 + counts[i] * (TOTAL - ALPHABET) / sum;
    left -= counts[i];
  }
  counts[largest] += left;
  for (int64_t i = 0; i < ALPHABET; i++) {
    model->starts[i] = start;
    start += model->frequencies[i];
  }
  model->starts[ALPHABET] = start;
  for (int64_t i = 0; i < STARTS; i++) {
    /* Ends at the last symbol at the latest, which ends at the total. */
    while (model->starts[symbol + 1] <= i << (PRECISION - START_BITS)) symbol++;
    model->first[i] = symbol;
  }
  return 1;
}

/* Begins with the first words. */
API void pcai_queue_start_reading(Queue *queue, const uint32_t *words, int64_t size) {
  queue->range = UINT64_MAX;
  queue->low = queue_next(queue, words, size) << 32;
  queue->low |= queue_next(queue, words, size);
}

/* Writes or reads a run of symbols of one model; returns how many were coded. */
ALWAYS_INLINE int64_t queue_run(Queue *queue, uint32_t *words, int64_t size, int64_t *symbols, int64_t count,
                                const Model *model, int reading) {
  for (int64_t i = 0; i < count; i++) {
    int64_t symbol;
    if (reading) {
      uint64_t part = queue_peek(queue);
      if (UNLIKELY(part >> PRECISION)) return i;
      symbol = model->first[part >> (PRECISION - START_BITS)];
      /* As in fitted(): the part is below the total. */
      while ((uint64_t)model->starts[symbol + 1] <= part) symbol++;
      symbols[i] = symbol;
    } else {
      symbol = symbols[i];
      if (symbol < 0 || symbol >= ALPHABET) return i;
    }
    uint64_t start = (uint64_t)model->starts[symbol], frequency = (uint64_t)model->frequencies[symbol];
    if (reading) {
      queue_read(queue, words, size, start, frequency);
    } else {
      queue_write(queue, words, start, frequency);
    }
  }
  return count;
}

ALWAYS_INLINE int64_t queue_learning(Queue *queue, uint32_t *words, int64_t size, int64_t *symbols,
                                     int64_t count, const int64_t *prior, int64_t *seen, int reading) {
  Model model;
  int64_t start = 0;
  while (start < count) {
    int64_t run = least(count - start, within(start / 2, FIRST_RUN, LONGEST_RUN));
    if (!fitted(&model, prior, seen)) return start;
    int64_t done = queue_run(queue, words, size, symbols + start, run, &model, reading);
    if (done < run) return start + done;
    for (int64_t i = start; i < start + run; i++) seen[symbols[i]] += INCREMENT;
    start += run;
  }
  return count;
}

/* Writes symbols; `words` has room for one more for each. The model learns from them: they are added to
 * `seen`. Returns how many were coded before one that is no symbol, or counts out of bounds. */
API int64_t pcai_queue_put(Queue *queue, uint32_t *words, int64_t *symbols, int64_t count,
                           const int64_t *prior, int64_t *seen) {
  return queue_learning(queue, words, 0, symbols, count, prior, seen, 0);
}

/* Reads symbols in the same way. Returns how many there are before data that no encoder writes. */
API int64_t pcai_queue_get(Queue *queue, uint32_t *words, int64_t size, int64_t *symbols, int64_t count,
                           const int64_t *prior, int64_t *seen) {
  return queue_learning(queue, words, size, symbols, count, prior, seen, 1);
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
