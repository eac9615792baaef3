/* Missing data of bands: where nothing was measured (format.md, section 5.7). */
#include "linear.h"

enum { MASK_OF_PIXELS, MASK_OF_SAMPLES, BEFORE_MASK = 9 };

static int64_t pixels_of(const pcai *file) { return file->header.height * file->header.width; }

/* Bytes of the bits of all masks. */
static int64_t masks_size(const pcai *file) {
  int64_t bands = file->missing.size && file->missing.data[0] == MASK_OF_SAMPLES ? file->header.channels : 1;
  return (pixels_of(file) * bands + 7) / 8;
}

int64_t missing_size(const pcai *file) { return file->missing.data ? pixels_of(file) + masks_size(file) : 0; }

/* Whether the type has a value. */
static int is_of_type(double value, const Values *values) {
  const double largest = 3.4028234663852886e38;
  if (values->type != PCAI_F32) {
    double highest = values->type == PCAI_U16 ? 65535 : values->highest;
    return value >= values->lowest && value <= highest && value == (double)(int64_t)value;
  }
  if (value != value) return 1;
  return value >= -largest && value <= largest && (double)(float)value == value;
}

/* Undoes the exclusive or of each line with the one above it. */
static void undo(uint8_t *bits, int64_t height, int64_t width, int64_t bands) {
  for (int64_t band = 0; band < bands; band++) {
    int64_t first = band * height * width;
    for (int64_t i = first + width; i < first + height * width; i++) {
      int64_t above = i - width;
      uint8_t bit = bits[above >> 3] >> (7 - (above & 7)) & 1;
      bits[i >> 3] ^= (uint8_t)(bit << (7 - (i & 7)));
    }
  }
}

int read_missing(const pcai *file, Missing *missing) {
  const Header *header = &file->header;
  Values values = values_of(header);
  Bytes payload = file->missing;
  int64_t pixels = pixels_of(file), size = masks_size(file),
          place = (int64_t)(payload.data - file->data.data);
  uint64_t bits = 0;
  if (payload.size < BEFORE_MASK || payload.data[0] > MASK_OF_SAMPLES) {
    return fault_of(file, PCAI_DAMAGED, "The mask of what was not measured is damaged.", place);
  }
  for (int i = 0; i < 8; i++) bits |= (uint64_t)payload.data[1 + i] << (8 * i);
  memcpy(&missing->value, &bits, sizeof missing->value);
  if (!is_of_type(missing->value, &values)) {
    return fault_of(file, PCAI_DAMAGED, "The value of what was not measured is none of the image's type.",
                    place);
  }
  int64_t bands = payload.data[0] == MASK_OF_SAMPLES ? header->channels : 1;
  missing->measured = take_cleared(file, pixels);
  missing->gone = take(file, size);
  if (!missing->measured || !missing->gone) return no_memory(file);
  Bytes stream = {payload.data + BEFORE_MASK, payload.size - BEFORE_MASK};
  if (!inflated(file, stream, missing->gone, size)) {
    return fault_of(file, PCAI_DAMAGED,
                    "The mask of what was not measured does not inflate to what it should.", place);
  }
  undo(missing->gone, header->height, header->width, bands);
  for (int64_t i = 0; i < pixels * bands; i++) {
    if (!(missing->gone[i >> 3] >> (7 - (i & 7)) & 1)) missing->measured[i % pixels] = 1;
  }
  if (bands == 1) {
    give_back(file, missing->gone);
    missing->gone = NULL;
  }
  return PCAI_OK;
}

void put_missing(const Missing *missing, const Values *values, uint8_t *lines, int64_t index) {
  float real = (float)missing->value;
  uint16_t half = values->type == PCAI_F32 ? 0 : (uint16_t)(int32_t)missing->value;
  if (values->type == PCAI_U8) lines[index] = (uint8_t)half;
  else if (values->type == PCAI_F32) memcpy(lines + 4 * index, &real, sizeof real);
  else memcpy(lines + 2 * index, &half, sizeof half);
}
