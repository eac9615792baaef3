/* An opened file: what its container says, and the functions of its method. */
#ifndef PCAI_FILE_H
#define PCAI_FILE_H

#include "core.h"
#include "pcai.h"

typedef struct {
  const uint8_t *data;
  int64_t size;
} Bytes;

/* Tools of a photo, bits of its header. */
enum {
  TOOL_DEPENDENT = 1,
  TOOL_SHRUNK = 2,
  TOOL_REGIONS = 4,
  TOOL_WEIGHTED = 8,
  TOOL_ORDERED = 16,
  TOOL_TILES = 32,
  TOOL_NESTED = 64,
  TOOL_DRAWN = 128,
  TOOLS = 255
};

/* The fields of the chunk H (format.md, section 3), checked. Those that a method does not have are 0. */
typedef struct {
  int64_t method, block, type, has_channels, standardized;
  int64_t mantissa, exponent, mean_bits, scale_bits;
  int64_t slice_lines; /* in each slice of scores but the last; never 0 */
  int64_t stated_lines; /* the same as it stands in the file: 0 for a single slice */
  int64_t slice_columns, stated_columns; /* likewise, of bands; all for other methods */
  int64_t images, height, width, channels;
  int64_t value_bits;
  double peak;
  /* Of photos. */
  int64_t tables, tools, levels, middle, n_weights, n_slopes;
  int8_t strengths[8], weights[5], slopes[20];
} Header;

/* A component as it is coded: of a photo, the segment is all. */
typedef struct {
  int64_t precision;
  Bytes vector, segment;
} Component;

/* What an image is decoded from, when it is put together from parts rather than read from a file. */
typedef struct {
  Header header;
  Bytes mean, scale, missing, tiles, residual;
  const Component *components;
  int64_t k;
} Contents;

/* What a method does for pcai.h; each returns a fault. */
typedef struct {
  /* Prepares what all parts need; sets `parts`, `corrections` and `memory` of the info. */
  int (*prepare)(pcai *file);
  int (*decode)(pcai *file, int64_t part, int64_t k);
  /* NULL if parts are of no use elsewhere. */
  int64_t (*hand_over)(const pcai *file, int64_t part, uint8_t *to);
  int (*adopt)(pcai *file, int64_t part, int64_t k, Bytes from);
  int (*lines_of)(const pcai *file, int64_t part, int64_t *start, int64_t *stop);
  int (*lines)(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
               int64_t apart);
  int (*correct)(const pcai *file, int64_t part, int64_t start, int64_t stop, uint8_t *lines, int64_t apart);
  void (*close)(pcai *file);
} Method;

extern const Method PHOTO_METHOD, LINEAR_METHOD, FRAMES_METHOD;

struct pcai {
  pcai_host host;
  Bytes data;
  Header header;
  pcai_info info;
  /* Payloads; of chunks that the file does not have, the data are NULL. */
  Bytes mean, scale, missing, tiles, residual, alpha;
  Component *components; /* info.k of them */
  pcai_chunk *chunks;
  int64_t n_chunks;
  int64_t model_components; /* of the model file that the basis is in */
  const pcai *model;        /* that lends its basis */
  const Method *method;
  void *own;    /* the method's own state */
  int fault;    /* why it could not be opened */
  int is_array; /* whether what it has is no image (format.md, section 4.4) */
  size_t taken; /* bytes that are taken from the host now */
  /* What went wrong last, and whether a thread is noting it. */
  const char *reason;
  int64_t place;
  int noting;
};

/* Bytes of pixels that the components of blocks, bands or a stack take as much as to decode. */
double claimed_by_components(const pcai *file);

/* Numbers in files are little endian. */
ALWAYS_INLINE uint32_t half_at(const uint8_t *data) { return data[0] | (uint32_t)data[1] << 8; }
ALWAYS_INLINE uint32_t word_at(const uint8_t *data) { return half_at(data) | half_at(data + 2) << 16; }

/* Only one thread at a time notes a fault, or reads what was noted. */
ALWAYS_INLINE void begin_noting(pcai *file) {
  while (__atomic_exchange_n(&file->noting, 1, __ATOMIC_ACQUIRE)) continue;
}

ALWAYS_INLINE void end_noting(pcai *file) { __atomic_store_n(&file->noting, 0, __ATOMIC_RELEASE); }

/* Notes what went wrong; returns the fault. */
ALWAYS_INLINE int fault_of(const pcai *file, int fault, const char *reason, int64_t place) {
  pcai *noted = (pcai *)(uintptr_t)file;
  begin_noting(noted);
  noted->reason = reason;
  noted->place = place;
  end_noting(noted);
  return fault;
}

/* Reads and checks a container; that of a salvaged file up to the first fault behind a component. */
int read_container(pcai *file, int salvage);

/* Within the exponents of normal numbers, -1022 to 1023. */
ALWAYS_INLINE double power_of_two(int64_t exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Memory from the host, zeros for `cleared`; NULL if there is none, if the size is not positive, or if all that
 * is taken would exceed the host's bound. It begins at a multiple of 64 bytes. */
void *take(const pcai *file, int64_t size);
void *take_cleared(const pcai *file, int64_t size);
void give_back(const pcai *file, void *memory);

/* What a piece of memory takes at most, beside its size. */
#define TAKEN_BESIDE 128

/* Notes that there is no memory, or that decoding would take more than the host allows. */
int no_memory(const pcai *file);
int too_large(const pcai *file);

/* Inflates a zlib stream to exactly so many bytes, by the host's function; returns whether it has them. */
int inflated(const pcai *file, Bytes stream, uint8_t *to, int64_t room);

/* The image's numbers, all together; bytes of one of them. */
int64_t numbers_of(const Header *header);
int64_t bytes_of(const Header *header);

/* The shape of a sample: lines, columns, channels. */
void sample_shape(const Header *header, int64_t shape[3]);

/* Lines and columns of the grid of samples, and of a plane of scores: of a stack many are in one line. */
void grid_of(const Header *header, int64_t grid[2]);
void plane_of(const Header *header, int64_t plane[2]);
enum { STACK_LINE = 1024 };

/* Reads a number (LEB128) at a place of bytes, and moves the place behind it; -1 if there is none, or none that
 * is written as it must be. */
int64_t read_number(Bytes bytes, int64_t *place);

/* The piece of a segment that is of one slice (section 5.2): lengths of all but the last come first, of up to
 * five bytes each, and those that are lacking are 0. Returns whether the segment has all pieces. */
int piece_of(Bytes segment, int64_t slices, int64_t slice, Bytes *piece);

/* A slice's stream: its pieces of all segments, or vectors, behind each other. Where each ends, for as many as are
 * whole; what is given back is `ends`. */
typedef struct {
  uint8_t *bytes;
  int64_t *ends, whole;
} Joined;

int join_pieces(const pcai *file, int64_t slices, int64_t slice, int is_vector, Joined *joined);

/* Whether so many lengths, and the streams that they are of, make up a chunk (section 4.2); and one of the streams. */
int has_streams(Bytes chunk, int64_t count);
Bytes stream_at(Bytes chunk, int64_t count, int64_t number);

#endif
