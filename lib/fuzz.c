/* A target for libFuzzer: opens a file, and decodes all that it holds, within bounds of memory and work.
 *
 * Files say by their bytes how they are looked at: in one of all ways, as each takes as long. Those with more numbers
 * than MOST_NUMBERS are decoded seldom, for so much is found in small ones in the same time.
 *
 * Files are changed chunk by chunk, with right checksums, so that decoders see what was changed. Tables are
 * those of the folder in PCAI_TABLES; files that lack their basis try those in PCAI_MODELS.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcai.h"

#define SIGNATURE 9 /* and the version */
#define MOST_CHUNKS 512
#define MOST_MODELS 64
#define MOST_MEMORY ((uint64_t)1 << 28)
#define MOST_UNBACKED ((uint64_t)1 << 20)
#define MOST_NUMBERS (1 << 12)
#define SELDOM 32

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

typedef struct {
  uint8_t *data;
  size_t size;
} Content;

static Content model_data[MOST_MODELS];
static pcai *models[MOST_MODELS];
static int n_models;

static Content read_file(const char *path) {
  Content found = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) return found;
  fseek(file, 0, SEEK_END);
  found.size = (size_t)ftell(file);
  rewind(file);
  found.data = malloc(found.size + 1);
  if (fread(found.data, 1, found.size, file) != found.size) found.size = 0;
  fclose(file);
  return found;
}

static pcai_host host;
static pcai_plain plain = {.allocate = malloc, .release = free, .inflate = pcai_inflate};

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *folder = getenv("PCAI_TABLES"), *lenders = getenv("PCAI_MODELS");
  const char *const names[] = {"shared.tables", "grade-0.tables", "grade-1.tables", "grade-2.tables"};
  for (int i = 0; folder && i < 4; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    Content found = read_file(path);
    plain.tables[i] = found.data;
    plain.sizes[i] = found.size;
  }
  pcai_plain_host(&host, &plain);
  host.most_memory = MOST_MEMORY;
  host.most_unbacked = MOST_UNBACKED;
  DIR *list = lenders ? opendir(lenders) : NULL;
  for (struct dirent *each; list && n_models < MOST_MODELS && (each = readdir(list));) {
    char path[4096];
    if (!strstr(each->d_name, ".pcai")) continue;
    snprintf(path, sizeof path, "%s/%s", lenders, each->d_name);
    model_data[n_models] = read_file(path);
    if (!pcai_open(&models[n_models], model_data[n_models].data, model_data[n_models].size, &host)) {
      n_models++;
    }
  }
  if (list) closedir(list);
  return 0;
}

/* What a file's bytes say: the hash FNV-1a. */
static uint32_t choice_of(const uint8_t *data, size_t size) {
  uint32_t hash = 0x811C9DC5;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 0x01000193;
  return hash ^ hash >> 15;
}

/* Makes lines from the first k components, at one of the reductions, and corrects them. */
static void look(pcai *file, const pcai_info *info, int64_t k, uint32_t choice) {
  size_t bytes = info->type == PCAI_U8 ? 1 : info->type == PCAI_F32 ? 4 : 2;
  size_t apart = (size_t)(info->width * info->channels) * bytes;
  uint8_t *pixels = malloc(apart * (size_t)info->lines);
  if (!pixels) return;
  int64_t reduction = choice & 4 ? 1 << (choice & 3) : 1;
  int64_t lines = (info->height + reduction - 1) / reduction * info->images;
  int fault = pcai_lines(file, k, 0, lines, reduction, pixels, apart);
  if (k == info->k && reduction == 1 && !fault) {
    for (int64_t part = 0; part < info->corrections; part++) {
      int64_t start, stop;
      if (pcai_corrected(file, part, &start, &stop)) continue;
      pcai_correct(file, part, pixels + apart * (size_t)start, apart);
    }
  }
  if (info->alpha) pcai_alpha(file, pixels);
  free(pixels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pcai *file = NULL;
  uint32_t choice = choice_of(data, size);
  int fault = (choice & 1 ? pcai_open : pcai_salvage)(&file, data, size, &host);
  const pcai_info *info = file && !fault ? pcai_about(file) : NULL;
  for (int i = 0; info && info->lent && i < n_models; i++) {
    if (!pcai_lend(file, models[i])) break;
  }
  int is_small = info && info->lines * info->width * info->channels <= MOST_NUMBERS;
  if (is_small || (info && choice / 2 % SELDOM == 0)) {
    for (int64_t k = choice & 1024 ? info->k : info->k / 2;; k = info->k) {
      for (int64_t part = 0; part < info->parts; part++) pcai_decode(file, part, k);
      look(file, info, k, choice >> 6);
      if (k == info->k) break;
    }
  }
  pcai_close(file);
  return 0;
}

/* ---- Changing files ---- */

typedef struct {
  uint8_t kind;
  const uint8_t *payload;
  size_t size;
} Chunk;

static uint32_t crc_of(const uint8_t *data, size_t size) {
  uint32_t crc = ~UINT32_C(0);
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
  }
  return ~crc;
}

/* Takes a file apart as far as it is one. */
static int taken_apart(const uint8_t *data, size_t size, Chunk *chunks) {
  int count = 0;
  for (size_t place = SIGNATURE; place + 6 <= size && count < MOST_CHUNKS;) {
    uint64_t length = 0;
    size_t at = place + 1;
    for (int shift = 0; at < size && shift < 42; shift += 7) {
      length |= (uint64_t)(data[at] & 127) << shift;
      if (data[at++] < 128) break;
    }
    if (length > size || at + length + 4 > size) break;
    chunks[count++] = (Chunk){data[place], data + at, (size_t)length};
    place = at + (size_t)length + 4;
  }
  return count;
}

/* Numbers components by their order, and corrects their count, as far as numbers are of one byte. */
static void renumber(uint8_t kind, uint8_t *payload, size_t size, int *count) {
  if (size < 2 || payload[0] > 127 || *count > 126) {
    if (kind != 'E' || size != 1 || *count > 127) return;
  }
  if (kind == 'C' || kind == 'S' || kind == 'G') {
    payload[0] = (uint8_t)(*count + 1);
    *count += kind == 'G' ? payload[1] & 127 : 1;
  } else if (kind == 'E' || kind == 'R') {
    payload[0] = (uint8_t)*count;
  }
}

/* Writes a chunk with its checksum; returns its size, or 0 if there is no room. */
static size_t put(const Chunk *chunk, uint8_t *to, size_t room, int *components) {
  size_t size = 1, length = chunk->size;
  if (room < length + 12) return 0;
  to[0] = chunk->kind;
  do {
    to[size++] = (uint8_t)((length & 127) | (length > 127 ? 128 : 0));
    length >>= 7;
  } while (length);
  memcpy(to + size, chunk->payload, chunk->size);
  if (components) renumber(chunk->kind, to + size, chunk->size, components);
  size += chunk->size;
  uint32_t crc = crc_of(to, size);
  for (int i = 0; i < 4; i++) to[size++] = (uint8_t)(crc >> 8 * i);
  return size;
}

/* Puts a file together, most often with a right order of components. */
static size_t put_together(const Chunk *chunks, int count, const uint8_t *data, uint8_t *to, size_t room,
                           int consistent) {
  size_t size = SIGNATURE;
  int components = 0;
  memcpy(to, data, SIGNATURE);
  for (int i = 0; i < count; i++) {
    size_t more = put(chunks + i, to + size, room - size, consistent ? &components : NULL);
    if (!more) break;
    size += more;
  }
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed) {
  Chunk chunks[MOST_CHUNKS];
  int count = size > SIGNATURE ? taken_apart(data, size, chunks) : 0;
  if (!count || seed % 64 == 0) return LLVMFuzzerMutate(data, size, room);
  uint8_t *changed = malloc(room + 64), *result = malloc(room);
  int at = (int)(seed / 64 % (unsigned)count), other = (int)(seed / 4096 % (unsigned)count);
  switch (seed % 16) {
    case 0: /* another place */
    case 1: {
      Chunk kept = chunks[at];
      chunks[at] = chunks[other];
      chunks[other] = kept;
      break;
    }
    case 2:
      if (count > 1) memmove(chunks + at, chunks + at + 1, (size_t)(--count - at) * sizeof *chunks);
      break;
    case 3:
      if (count < MOST_CHUNKS) chunks[count++] = chunks[at];
      break;
    default:
      memcpy(changed, chunks[at].payload, chunks[at].size);
      chunks[at].size = LLVMFuzzerMutate(changed, chunks[at].size, room - size + chunks[at].size);
      chunks[at].payload = changed;
  }
  size = put_together(chunks, count, data, result, room, seed % 7);
  memcpy(data, result, size);
  free(changed);
  free(result);
  return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *to, size_t room, unsigned int seed) {
  Chunk chunks[MOST_CHUNKS], others[MOST_CHUNKS];
  int count = size > SIGNATURE ? taken_apart(data, size, chunks) : 0;
  int given = other_size > SIGNATURE ? taken_apart(other, other_size, others) : 0;
  if (!count || !given) return 0;
  const Chunk *donor = others + seed % (unsigned)given;
  int at = (int)(seed / 1024 % (unsigned)count);
  for (int i = 0; i < count; i++) { /* a chunk of the same kind, if there is one */
    if (chunks[(at + i) % count].kind == donor->kind) {
      at = (at + i) % count;
      break;
    }
  }
  chunks[at] = *donor;
  return put_together(chunks, count, data, to, room, 1);
}
