/* libpcai: opens .pcai files (docs/format.md), and decodes them with the same pixels on every machine.
 *
 *   pcai *file;
 *   if (pcai_open(&file, data, size, &host) != PCAI_OK) ...         reads the container, decodes nothing
 *   const pcai_info *info = pcai_about(file);                       sides, type, k, parts, memory
 *   for (int64_t part = 0; part < info->parts; part++) pcai_decode(file, part, info->k);
 *   pcai_lines(file, info->k, 0, info->lines, 1, pixels, bytes_from_line_to_line);
 *   pcai_close(file);
 *
 * Data and tables must stay as they are until the file is closed. Nothing is global: files are independent, and
 * functions may be called from any number of threads, for one file too, as long as no two of them decode the
 * same part, and lines are made of parts that are decoded, and that no thread decodes further meanwhile. A fault
 * leaves the file usable for what does not need what was damaged.
 */
#ifndef PCAI_H
#define PCAI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define PCAI_API __declspec(dllexport)
#else
#define PCAI_API __attribute__((visibility("default")))
#endif

/* The version of this interface: what is compiled against one works with every later one of the same hundred. */
#define PCAI_INTERFACE 100

typedef struct pcai pcai;

/* What can go wrong. */
typedef enum {
  PCAI_OK = 0,
  PCAI_FOREIGN,    /* no .pcai file */
  PCAI_VERSION,    /* of a version that is not known: newer, or never released */
  PCAI_TRUNCATED,  /* ends too soon: see pcai_salvage */
  PCAI_DAMAGED,    /* against the rules of the format */
  PCAI_LARGE,      /* takes more memory or work than the host allows, or than its length makes plausible */
  PCAI_MEMORY,     /* the host has no memory left */
  PCAI_TABLES,     /* the host has no tables of this version and grade */
  PCAI_MODEL,      /* the basis is in a model file, which is not lent, or not the right one */
  PCAI_ARGUMENT,   /* k, part, lines or reduction that the file does not have */
  PCAI_UNREADY     /* a part that these lines need is not decoded as far as k */
} pcai_fault;

/* What the library asks of the program that it is part of. Functions may be called from several threads. */
typedef struct {
  void *own; /* handed to each of them */
  /* Memory of any content, for any type; NULL if there is none. What was taken is given back. */
  void *(*take)(void *own, size_t size);
  void (*give_back)(void *own, void *memory);
  /* Inflates a zlib stream to exactly so many bytes; returns whether it has them. */
  int (*inflate)(void *own, const uint8_t *data, size_t size, uint8_t *to, size_t room);
  /* The tables of photos: those that all grades share (grade -1), or of one (0 to 2); NULL if unknown. */
  const uint8_t *(*tables)(void *own, int version, int grade, size_t *size);
  /* Bounds: bytes that a file may have the library take, and what may be claimed by a file whose length
   * does not make it plausible. */
  uint64_t most_memory;
  uint64_t most_unbacked;
} pcai_host;

/* What most hosts are: functions like malloc and free, one that inflates, and the tables of photos, this program's
 * files in resources/photo-1: those that all grades share, and of grades 0 to 2; NULL for those that it does not have. */
#define PCAI_TABLES_VERSION 1

typedef struct {
  void *(*allocate)(size_t size);
  void (*release)(void *memory);
  int (*inflate)(void *plain, const uint8_t *data, size_t size, uint8_t *to, size_t room);
  const uint8_t *tables[4];
  size_t sizes[4];
} pcai_plain;

/* Makes a host of it, which lets a file take 8 GiB, and has the bounds on what a file may claim that
 * docs/reliability.md describes. `plain` must stay as long as files are open. */
PCAI_API void pcai_plain_host(pcai_host *host, pcai_plain *plain);

/* Sets the tables, and the function that inflates, to those that libpcai has in it; the library of the Python
 * package has none. */
PCAI_API void pcai_embedded(pcai_plain *plain);

/* That function, which needs nothing of a host. */
PCAI_API int pcai_inflate(void *own, const uint8_t *data, size_t size, uint8_t *to, size_t room);

typedef enum { PCAI_BLOCKS = 0, PCAI_BANDS = 1, PCAI_STACK = 2, PCAI_PHOTO = 3 } pcai_method;
typedef enum { PCAI_U8 = 1, PCAI_U16 = 2, PCAI_I16 = 3, PCAI_F32 = 4 } pcai_type;

typedef struct {
  int64_t method, type;                     /* pcai_method, pcai_type; numbers have the machine's order of bytes */
  int64_t images, height, width, channels;  /* images is 1 but for stacks */
  int64_t has_channels;                     /* whether the array has an axis of channels */
  int64_t block;                            /* the side of blocks, or 0 */
  int64_t k;                                /* components in the file */
  int64_t lines;                            /* images * height: those of pcai_lines */
  int64_t parts;                            /* what pcai_decode decodes, each by itself */
  int64_t corrections;                      /* parts of corrections, for pcai_correct; 0 if there are none */
  int64_t alpha;                            /* whether there is opacity: pcai_alpha */
  int64_t lent;                             /* whether the basis is in a model file: pcai_lend */
  int64_t mantissa, exponent;               /* the step: mantissa * 2^exponent */
  double peak;
  uint64_t memory;                          /* a bound on what decoding everything takes, without the caller's pixels */
  uint8_t model[16];                        /* id of the model file, if the basis is in one */
} pcai_info;

/* A chunk as it stands in the data; its checksum is right. */
typedef struct {
  int64_t kind;         /* its letter */
  int64_t start, stop;  /* of the whole chunk */
  int64_t payload;      /* where its payload begins, which ends 4 bytes before `stop` */
  int64_t first, count; /* of components: the number of the first, from 1, and how many it holds */
} pcai_chunk;

PCAI_API int64_t pcai_interface(void);

/* Reads and checks the container. `*file` is set even on a fault, so that pcai_reason can tell; it is NULL only
 * if there is no memory at all. */
PCAI_API int pcai_open(pcai **file, const void *data, size_t size, const pcai_host *host);

/* As pcai_open, but of a file that is cut short or damaged takes the components before the first that is. */
PCAI_API int pcai_salvage(pcai **file, const void *data, size_t size, const pcai_host *host);

/* A sentence on the last fault, and the offset in the data where it is, or -1. Of a file that claims more than its
 * length makes plausible it is instead how many bytes of pixels that amounts to. */
PCAI_API const char *pcai_reason(const pcai *file, int64_t *place);

PCAI_API const pcai_info *pcai_about(const pcai *file);

/* The chunks in their order; returns how many there are. */
PCAI_API int64_t pcai_chunks(const pcai *file, const pcai_chunk **chunks);

/* Lends the basis of a model file, which must stay open as long as this one. */
PCAI_API int pcai_lend(pcai *file, const pcai *model);

/* Decodes a part up to component k. It goes on where it stopped. */
PCAI_API int pcai_decode(pcai *file, int64_t part, int64_t k);

/* What a part is decoded to, for a program that has the same file open elsewhere, without memory in common: how many
 * bytes that is, 0 if the part cannot be handed over; copied unless `to` is NULL. */
PCAI_API size_t pcai_hand_over(const pcai *file, int64_t part, void *to);

/* Takes what pcai_hand_over gave of a part, which was decoded up to component k. */
PCAI_API int pcai_adopt(pcai *file, int64_t part, int64_t k, const void *from, size_t size);

/* The first line that a part takes part in, and the last one (exclusive). */
PCAI_API int pcai_lines_of(const pcai *file, int64_t part, int64_t *start, int64_t *stop);

/* Reconstructs lines from the first k components, all channels beside each other, `apart` bytes from line to
 * line. Reductions of 2, 4 and 8 give means over squares of so many pixels, those at the edges over what there
 * is, for lines `start` to `stop` of the small picture; a line of a stack's image belongs to no other. Of photos they
 * come from the coefficients: shrinkage, which moves few pixels by some levels, is left out. */
PCAI_API int pcai_lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, void *to,
                        size_t apart);

/* The lines that a part of the corrections is about. */
PCAI_API int pcai_corrected(const pcai *file, int64_t part, int64_t *start, int64_t *stop);

/* Replaces these lines, made from all components, by the corrected ones. */
PCAI_API int pcai_correct(const pcai *file, int64_t part, void *lines, size_t apart);

/* Opacity of all pixels: a number of the pixels' type for each. */
PCAI_API int pcai_alpha(const pcai *file, void *to);

PCAI_API void pcai_close(pcai *file);

#ifdef __cplusplus
}
#endif

#endif
