/* A binary range coder: bits of known probability to bytes, and back, in integer arithmetic.
 *
 * One function writes and reads, so that models cannot differ. A reader that runs out of bytes goes on with
 * zeros; so a stream may be cut behind any bit, four bytes after what was certain then. Zeros decode to bits
 * of 0, which are the quickest to decode: little data cannot keep a reader busy for long.
 *
 * G. N. N. Martin, "Range encoding: an algorithm for removing redundancy from a digitised message",
 * Video & Data Recording Conference, Southampton, 1979.
 */
#ifndef PCAI_RANGECODER_H
#define PCAI_RANGECODER_H

#include "core.h"

/* Probabilities are whole numbers of 1/65536, neither 0 nor 1. */
#define ONE 65536

#define RANGE_TOP (1u << 24)
#define RANGE_FULL 0xFFFFFFFFu

typedef struct {
  /* Writing: the low end of the range, of 33 bits. Reading: the code, of 32. */
  uint64_t low;
  uint64_t range;
  /* Writing: the last byte that is not certain yet, and how many of 255 follow it. */
  uint64_t cache;
  int64_t pending;
  /* The next byte in the data, and how many bytes these have, or have room for. */
  int64_t place;
  int64_t size;
  uint8_t *data;
} RangeCoder;

ALWAYS_INLINE void range_put(RangeCoder *coder, uint64_t byte) {
  /* Callers hand in room for all that can be written; the place tells if they did not. */
  if (LIKELY(coder->place < coder->size)) coder->data[coder->place] = (uint8_t)byte;
  coder->place++;
}

ALWAYS_INLINE uint64_t range_next(RangeCoder *coder) {
  int64_t place = coder->place++;
  return LIKELY(place < coder->size) ? coder->data[place] : 0;
}

/* Reads or writes bytes until the range is large enough. */
ALWAYS_INLINE void range_widen(RangeCoder *coder, int reading) {
  while (coder->range < RANGE_TOP) {
    coder->range <<= 8;
    if (reading) {
      coder->low = ((coder->low << 8) | range_next(coder)) & RANGE_FULL;
      continue;
    }
    if (coder->low < 0xFF000000u || coder->low > RANGE_FULL) {
      uint64_t carry = coder->low >> 32, byte = coder->cache;
      for (; coder->pending > 0; coder->pending--) {
        range_put(coder, byte + carry);
        byte = 0xFF;
      }
      coder->cache = (coder->low >> 24) & 0xFF;
    }
    coder->pending++;
    coder->low = (coder->low & 0x00FFFFFF) << 8;
  }
}

/* Writes a bit whose probability of being 1 is given, or reads it; returns it, which is 0 or 1 whatever the
 * bytes are. */
ALWAYS_INLINE int range_code(RangeCoder *coder, int64_t probability, int bit, int reading) {
  uint64_t share = (coder->range >> 16) * (uint64_t)probability, rest = coder->range - share;
  if (reading) {
    bit = coder->low >= rest;
    if (bit) coder->low -= rest;
  } else if (bit) {
    coder->low += rest;
  }
  coder->range = bit ? share : rest;
  range_widen(coder, reading);
  return bit;
}

/* As range_widen, but reads without a branch: how many bytes it takes is as hard to foresee as what is read. */
ALWAYS_INLINE void range_widen_fair(RangeCoder *coder, int reading) {
  if (!reading || UNLIKELY(coder->place + 4 > coder->size)) {
    range_widen(coder, reading);
    return;
  }
  const uint8_t *next = coder->data + coder->place;
  uint32_t bytes = (uint32_t)next[0] << 24 | (uint32_t)next[1] << 16 | (uint32_t)next[2] << 8 | next[3];
  int bits = __builtin_clz((uint32_t)coder->range) & 24;
  coder->low = (uint32_t)(coder->low << bits | (uint64_t)bytes >> (32 - bits));
  coder->range <<= bits;
  coder->place += bits >> 3;
}

/* As range_code, but without a branch, for bits that are hard to foresee. */
ALWAYS_INLINE int range_code_fair(RangeCoder *coder, int64_t probability, int bit, int reading) {
  uint64_t share = (coder->range >> 16) * (uint64_t)probability, rest = coder->range - share;
  if (reading) bit = coder->low >= rest;
  uint64_t mask = -(uint64_t)bit;
  coder->low += reading ? -(rest & mask) : rest & mask;
  coder->range = rest ^ ((rest ^ share) & mask);
  range_widen_fair(coder, reading);
  return bit;
}

/* Returns where in the range the code lies, in 1/65536. */
ALWAYS_INLINE int64_t range_place(const RangeCoder *coder) {
  return least((uint32_t)coder->low / (uint32_t)(coder->range >> 16), ONE - 1);
}

/* Writes that something of that size happened before which others are so probable, or takes it as read. */
ALWAYS_INLINE void range_take(RangeCoder *coder, int64_t before, int64_t size, int reading) {
  uint64_t unit = coder->range >> 16, low = unit * (uint64_t)before;
  coder->low += reading ? -low : low;
  coder->range = unit * (uint64_t)size;
  range_widen_fair(coder, reading);
}

/* What reads a stream; and the first bytes of it. */
ALWAYS_INLINE RangeCoder range_reader(const uint8_t *data, int64_t size) {
  return (RangeCoder){.range = RANGE_FULL, .size = size, .data = (uint8_t *)(uintptr_t)data};
}

static inline void range_start_reading(RangeCoder *coder) {
  for (int i = 0; i < 4; i++) coder->low = (coder->low << 8) | range_next(coder);
}

#endif
