/* The header: what an image is, and whether its file can hold it (format.md, section 3). */
#include "container.h"

enum {
  MOST_SIDE = 1 << 24,
  MOST_CHANNELS = 1 << 16,
  MOST_SLICES = 1024,
  MOST_VALUE_BITS = 40,
  RECORD = 9 /* bytes that every header has */
};

/* Beyond it a product of sides is refused: what is computed from it fits into 64 bits. */
#define MOST_NUMBERS (INT64_C(1) << 42)

/* Bytes of memory that a number of padding takes. */
enum { PADDING = 26 };

static const char TOO_SHORT[] = "The header is too short.";

/* The payload of a header while it is read. */
typedef struct {
  Bytes payload;
  int64_t place;
  const char *reason;
} Fields;

/* The first reason counts. */
static void refuse(Fields *fields, const char *reason) {
  if (!fields->reason) fields->reason = reason;
}

static int64_t next_byte(Fields *fields) {
  if (fields->place < fields->payload.size) return fields->payload.data[fields->place++];
  refuse(fields, TOO_SHORT);
  return 0;
}

static int64_t next_number(Fields *fields) {
  int64_t number = read_number(fields->payload, &fields->place);
  if (number < 0) refuse(fields, "The header has a number that is cut short, or not written as it must be.");
  return most(number, 0);
}

static double next_double(Fields *fields) {
  uint64_t bits = 0;
  double value;
  for (int i = 0; i < 8; i++) bits |= (uint64_t)next_byte(fields) << (8 * i);
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Reads signed bytes behind their number, which must be the expected one. */
static void next_bytes(Fields *fields, int64_t expected, int8_t *to, const char *reason) {
  if (next_byte(fields) != expected) refuse(fields, reason);
  for (int64_t i = 0; i < expected; i++) to[i] = (int8_t)next_byte(fields);
}

/* A product of numbers that are not negative, or MOST_NUMBERS if it is larger. */
static int64_t product(int64_t a, int64_t b) { return b && a >= MOST_NUMBERS / b ? MOST_NUMBERS : a * b; }

static int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

void sample_shape(const Header *header, int64_t shape[3]) {
  int whole = header->method == PCAI_STACK, single = header->method == PCAI_BANDS;
  shape[0] = whole ? header->height : single ? 1 : header->block;
  shape[1] = whole ? header->width : single ? 1 : header->block;
  shape[2] = header->channels;
}

void grid_of(const Header *header, int64_t grid[2]) {
  int64_t block = header->method == PCAI_BANDS ? 1 : header->block;
  int whole = header->method == PCAI_STACK;
  grid[0] = whole ? header->images : divided_up(header->height, block);
  grid[1] = whole ? 1 : divided_up(header->width, block);
}

void plane_of(const Header *header, int64_t plane[2]) {
  grid_of(header, plane);
  if (header->method != PCAI_STACK) return;
  plane[1] = least(plane[0], STACK_LINE);
  plane[0] = divided_up(plane[0], plane[1]);
}

int64_t numbers_of(const Header *header) {
  return product(product(product(header->images, header->height), header->width), header->channels);
}

int64_t bytes_of(const Header *header) {
  return header->type == PCAI_U8 ? 1 : header->type == PCAI_F32 ? 4 : 2;
}

/* Numbers of all samples, with the padding of blocks. */
static int64_t padded_numbers(const Header *header) {
  int64_t shape[3], grid[2];
  sample_shape(header, shape);
  grid_of(header, grid);
  return product(product(grid[0], grid[1]), product(product(shape[0], shape[1]), shape[2]));
}

int64_t most_components_of(const Header *header) {
  int64_t shape[3], grid[2];
  sample_shape(header, shape);
  grid_of(header, grid);
  int64_t features = shape[0] * shape[1] * shape[2];
  return header->method == PCAI_PHOTO ? features : least(features, grid[0] * grid[1]);
}

/* Reads the fields of a photo's tools: their numbers are checked once the channels are known. */
static void read_tools(Fields *fields, Header *header, int64_t channels) {
  header->tools = next_number(fields);
  if (header->tools & ~(int64_t)TOOLS) {
    refuse(fields, "The photo uses tools that this version of the program does not have.");
  }
  if (header->tools & TOOL_SHRUNK) {
    next_bytes(fields, 2 * channels, header->strengths, "The strengths of shrinkage are out of range.");
  }
  if (header->tools & TOOL_REGIONS) {
    header->levels = next_byte(fields);
    header->middle = next_byte(fields);
  }
  if (header->tools & TOOL_WEIGHTED) {
    header->n_weights = channels + 1;
    next_bytes(fields, header->n_weights, header->weights,
               "The weights of frequencies and channels are out of range.");
  }
  if (header->tools & TOOL_ORDERED) {
    header->n_slopes = 5 * channels - 1;
    next_bytes(fields, header->n_slopes, header->slopes, "The photo's order of components is damaged.");
  }
}

/* The number of channels is the last of a header, and what stands before it depends on it. */
static int64_t channels_of_photo(Bytes payload) {
  int64_t last = payload.data[payload.size - 1];
  return within(last, 1, 4);
}

static const char *check_photo(const Header *header) {
  double step = (double)header->mantissa * power_of_two(header->exponent) * 255 / header->peak;
  if (header->mean_bits || header->standardized || header->channels > 4) {
    return "The header is damaged: a photo has one to four channels, and neither denominators nor "
           "deviations.";
  }
  if ((header->tools & TOOL_TILES) && header->type != PCAI_U8) {
    return "The header is damaged: only photos of 8 bits have tiles that are coded by prediction among "
           "pixels.";
  }
  if ((header->tools & TOOL_DRAWN) && !(header->tools & TOOL_TILES)) {
    return "The header is damaged: it says how tiles are coded that there are not.";
  }
  for (int i = 0; i < 8; i++) {
    if (magnitude_of(header->strengths[i]) > 16) return "The strengths of shrinkage are out of range.";
  }
  if ((header->tools & TOOL_SHRUNK) && !(step >= 1 && step <= 300)) {
    return "The header is damaged: photos of such a step are not shrunk.";
  }
  if ((header->tools & TOOL_REGIONS) &&
      (header->levels < 2 || header->levels > 16 || header->middle >= header->levels)) {
    return "The levels of steps by region are out of range.";
  }
  for (int i = 0; i < 5; i++) {
    if (header->weights[i] < (i ? -32 : 0) || header->weights[i] > 32) {
      return "The weights of frequencies and channels are out of range.";
    }
  }
  return NULL;
}

static const char *check_bands(const Header *header) {
  int64_t bits = header->type == PCAI_F32 ? MOST_VALUE_BITS : 0;
  double peak = header->peak, highest = header->type == PCAI_U8 ? 255 : 65535;
  if (header->standardized) {
    return "The header is damaged: many bands have no deviations, for their components have them in them.";
  }
  if (magnitude_of(header->value_bits) > bits) {
    return "The header is damaged: fractional bits of the values are out of range.";
  }
  int fits = peak > 0 && peak <= 1.7976931348623157e308;
  if (fits && header->type <= PCAI_U16) fits = peak <= highest && peak == (double)(int64_t)peak;
  return fits ? NULL : "The header is damaged: its peak is out of range.";
}

static const char *check_record(const Header *header, int64_t flags, int64_t scale_bits) {
  int bands = header->method == PCAI_BANDS, photo = header->method == PCAI_PHOTO;
  int64_t step = header->mantissa, block = header->block;
  int fits = photo ? block == 8 : header->method == PCAI_BLOCKS ? block >= 2 && block <= 64 : block == 0;
  if (!fits) return "There is no such method, or not with blocks of such a size.";
  if (header->type < 1 || header->type > (bands ? 4 : 2)) return "The header has numbers of an unknown type.";
  if (flags & ~(bands ? 3 : 7)) return "The header has unknown flags.";
  if (step < 2048 || step > 4095 || magnitude_of(header->exponent) > 40) {
    return "The header is damaged: its step is out of range.";
  }
  if (header->mean_bits > 40 || scale_bits > (header->standardized ? 24 : 0)) {
    return "The header's denominators are out of range.";
  }
  return NULL;
}

/* Checks sides and slices; lines and columns of a slice become all where it has all. */
static const char *check_sides(Header *header) {
  int64_t sides[4] = {header->images, header->height, header->width, header->channels}, plane[2];
  for (int i = 0; i < 4; i++) {
    if (sides[i] < 1 || sides[i] > (i < 3 ? MOST_SIDE : MOST_CHANNELS))
      return "The image's sides are out of range.";
  }
  if (!header->has_channels && header->channels != 1) {
    return "An image without an axis of channels cannot have several of them.";
  }
  plane_of(header, plane);
  header->stated_lines = header->slice_lines;
  if (header->slice_lines == 0) header->slice_lines = plane[0];
  header->stated_columns = header->slice_columns;
  if (header->slice_columns == 0) header->slice_columns = plane[1];
  int fits = header->slice_lines <= MOST_SIDE && header->slice_columns <= MOST_SIDE;
  if (!fits || product(divided_up(plane[0], header->slice_lines), divided_up(plane[1], header->slice_columns)) > MOST_SLICES) {
    return "The header is damaged: there are at most 1024 slices.";
  }
  return NULL;
}

/* Reads what stands between the record and the sides. */
static void read_fields(Fields *fields, Header *header, int64_t flags) {
  int bands = header->method == PCAI_BANDS, photo = header->method == PCAI_PHOTO;
  if (photo) header->tables = next_byte(fields);
  header->slice_lines = next_number(fields);
  if (photo) read_tools(fields, header, channels_of_photo(fields->payload));
  header->peak = header->type == PCAI_U8 ? 255 : 65535;
  if (bands) {
    header->slice_columns = next_number(fields);
    header->value_bits = (int8_t)next_byte(fields);
    header->peak = next_double(fields);
  } else if (flags & 4) {
    int64_t white = next_number(fields);
    if (header->type != PCAI_U16 || white < 1 || white > 65534) {
      refuse(fields, "The header is damaged: its white is out of range.");
    }
    header->peak = (double)white;
  }
}

int read_header(Bytes payload, Header *header, const char **reason) {
  const uint8_t *record = payload.data;
  Fields fields = {payload, RECORD, NULL};
  *header = (Header){.images = 1};
  *reason = TOO_SHORT;
  if (payload.size < RECORD) return PCAI_DAMAGED;
  int64_t flags = record[3], scale_bits = record[8];
  header->method = record[0], header->block = record[1], header->type = record[2];
  header->has_channels = flags & 1, header->standardized = flags >> 1 & 1;
  header->mantissa = half_at(record + 4), header->exponent = (int8_t)record[6];
  header->mean_bits = record[7], header->scale_bits = scale_bits;
  *reason = header->method > PCAI_PHOTO ? "The header has an unknown method."
                                        : check_record(header, flags, scale_bits);
  if (*reason) return PCAI_DAMAGED;
  read_fields(&fields, header, flags);
  if (header->method == PCAI_STACK) header->images = next_number(&fields);
  header->height = next_number(&fields);
  header->width = next_number(&fields);
  header->channels = next_number(&fields);
  *reason = fields.reason;
  if (!*reason && fields.place != payload.size) *reason = "The header gives too many sides of the image.";
  if (!*reason) *reason = check_sides(header);
  if (!*reason && header->method == PCAI_PHOTO) *reason = check_photo(header);
  if (!*reason && header->method == PCAI_BANDS) *reason = check_bands(header);
  return *reason ? PCAI_DAMAGED : PCAI_OK;
}

int check_claims(const pcai *file) {
  const Header *header = &file->header;
  uint64_t spare = file->host.most_unbacked, size = (uint64_t)file->data.size;
  int64_t numbers = numbers_of(header), padded = padded_numbers(header);
  if (padded >= MOST_NUMBERS) {
    return fault_of(file, PCAI_LARGE, "The image has more numbers than can be decoded.", -1);
  }
  uint64_t padding = (uint64_t)(padded - numbers) * PADDING, raw = (uint64_t)(numbers * bytes_of(header));
  int plausible = (padding <= spare || padding - spare <= size * PADDING_PER_BYTE) &&
                  (raw <= spare || raw - spare <= size * PIXELS_PER_BYTE);
  if (plausible) return PCAI_OK;
  return fault_of(file, PCAI_LARGE,
                  "The file claims to be far larger an image than its length makes plausible; if you trust it, "
                  "raise the limit to open it.",
                  (int64_t)(padding > raw ? padding : raw));
}
