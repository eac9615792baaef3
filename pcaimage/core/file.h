/* An opened file: what its container says, and the functions of its method. */
#ifndef PCAI_FILE_H
#define PCAI_FILE_H

#include "core.h"
#include "pcai.h"

typedef struct {
  const uint8_t *data;
  int64_t size;
} Bytes;

/* The fields of the chunk H (format.md, section 3), checked. Those that a method does not have are 0. */
typedef struct {
  int64_t method, block, type, has_channels, standardized;
  int64_t mantissa, exponent, mean_bits, scale_bits;
  int64_t slice_lines; /* in each slice of scores but the last; never 0 */
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

/* What a method does for pcai.h; each returns a fault. */
typedef struct {
  /* Prepares what all parts need; sets `parts`, `corrections` and `memory` of the info. */
  int (*prepare)(pcai *file);
  int (*decode)(pcai *file, int64_t part, int64_t k);
  int (*lines_of)(const pcai *file, int64_t part, int64_t *start, int64_t *stop);
  int (*lines)(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
               int64_t apart);
  int (*corrected)(const pcai *file, int64_t part, int64_t *start, int64_t *stop);
  int (*correct)(const pcai *file, int64_t part, uint8_t *lines, int64_t apart);
  void (*close)(pcai *file);
} Method;

extern const Method PHOTO_METHOD, LINEAR_METHOD;

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
  const pcai *model; /* that lends its basis */
  const Method *method;
  void *own; /* the method's own state */
  /* What went wrong last. */
  const char *reason;
  int64_t place;
};

/* Notes what went wrong; returns the fault. */
ALWAYS_INLINE int fault_of(const pcai *file, int fault, const char *reason, int64_t place) {
  pcai *noted = (pcai *)(uintptr_t)file;
  noted->reason = reason;
  noted->place = place;
  return fault;
}

/* Memory from the host, zeros for `cleared`; NULL if there is none, or if the size is not positive. */
void *take(const pcai *file, int64_t size);
void *take_cleared(const pcai *file, int64_t size);
void give_back(const pcai *file, void *memory);

/* Reads a number (LEB128) at a place of bytes, and moves the place behind it; -1 if there is none. */
int64_t read_number(Bytes bytes, int64_t *place);

#endif
