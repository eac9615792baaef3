#include "rangecoder.h"

SHARED(RangeCoder);

/* Goes on writing elsewhere, from its beginning. */
API void pcai_range_write_to(RangeCoder *coder, uint8_t *data, int64_t size) {
  coder->data = data;
  coder->size = size;
  coder->place = 0;
}

/* Writes what is left; returns where in the data it ends. */
API int64_t pcai_range_finish(RangeCoder *coder) {
  /* The range is at least 2^24, so a multiple of 2^24 lies in it. */
  uint64_t low = ((coder->low + 0x00FFFFFF) >> 24) << 24, carry = low >> 32, byte = coder->cache;
  for (; coder->pending > 0; coder->pending--) {
    range_put(coder, byte + carry);
    byte = 0xFF;
  }
  range_put(coder, low >> 24);
  return coder->place;
}

/* Codes bits of given probabilities, or reads a stream from its beginning: for tests of the coder alone. */
API void pcai_range_code_bits(RangeCoder *coder, const int32_t *probabilities, uint8_t *bits, int64_t count,
                              int64_t reading) {
  if (reading) range_start_reading(coder);
  for (int64_t i = 0; i < count; i++) {
    bits[i] = (uint8_t)range_code(coder, probabilities[i], bits[i], (int)reading);
  }
}
