/* The container: chunks with their checksums, header, groups (format.md, sections 2 to 4).
 *
 * Nothing in a file is trusted. Whatever is read lies within the data, and no count in them makes more memory
 * be taken than they have bytes for. */
#include "container.h"

/* A file while it is read: the CRC-32 of each byte with as many zeros behind it, up to seven, the payload at hand, the offset of its chunk, and which kinds
 * have been found. */
typedef struct {
  pcai *file;
  uint32_t checksums[8][256];
  Bytes payload;
  int64_t start;
  uint64_t found;
  int64_t room; /* for components */
} Reader;

#define KIND(letter) (UINT64_C(1) << ((letter) - 'A'))

#define SEVERAL (KIND('C') | KIND('G') | KIND('S'))
#define KNOWN_ANCILLARY                                                                            \
  (KIND('n') | KIND('f') | KIND('i') | KIND('x') | KIND('r') | KIND('c') | KIND('b') | KIND('t') | \
   KIND('p') | KIND('s') | KIND('l'))
#define FOR_ALL (KIND('H') | KIND('V') | KIND('M') | KIND('A') | KIND('E'))
#define BEFORE_COMPONENTS (KIND('V') | KIND('M') | KIND('D') | KIND('B') | KIND('A') | KIND('N') | KIND('T'))

enum { SIGNATURE = 8, VERSION = 1, MOST_PRECISION = 30, ID = 16 };

static const uint8_t SIGNED[SIGNATURE] = {0x89, 'P', 'C', 'A', 'I', 0x0D, 0x0A, 0x1A};

/* Critical kinds of chunks that files of each method may have. */
static const uint64_t KINDS[4] = {
    FOR_ALL | KIND('D') | KIND('B') | KIND('C') | KIND('S'),
    FOR_ALL | KIND('B') | KIND('C') | KIND('S') | KIND('N') | KIND('R'),
    FOR_ALL | KIND('D') | KIND('B') | KIND('C') | KIND('S') | KIND('T'),
    FOR_ALL | KIND('T') | KIND('G') | KIND('R'),
};

static int damaged(const Reader *reader, const char *reason) {
  return fault_of(reader->file, PCAI_DAMAGED, reason, reader->start);
}

static void make_checksums(uint32_t tables[8][256]) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t rest = i;
    for (int bit = 1; bit <= 64; bit++) {
      rest = (rest >> 1) ^ (rest & 1 ? 0xEDB88320u : 0);
      if (bit % 8 == 0) tables[bit / 8 - 1][i] = rest;
    }
  }
}

/* Eight bytes at a time, each by the table of how many follow it. */
static uint32_t checksum_of(const uint32_t tables[8][256], const uint8_t *data, int64_t size) {
  uint32_t rest = 0xFFFFFFFFu;
  for (; size >= 8; size -= 8, data += 8) {
    uint32_t low = rest ^ word_at(data), high = word_at(data + 4);
    rest = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
           tables[3][high & 255] ^ tables[2][high >> 8 & 255] ^ tables[1][high >> 16 & 255] ^ tables[0][high >> 24];
  }
  for (; size > 0; size--, data++) rest = (rest >> 8) ^ tables[0][(rest ^ *data) & 255];
  return ~rest;
}

/* Why there is no number, as read_number returns it. */
enum { CUT = -1, TOO_LONG = -2, TOO_LARGE = -3 };

int64_t read_number(Bytes bytes, int64_t *place) {
  int64_t value = 0;
  for (int i = 0; i < 6; i++) {
    if (*place + i >= bytes.size) return CUT;
    uint8_t byte = bytes.data[*place + i];
    value |= (int64_t)(byte & 127) << (7 * i);
    if (byte >= 128) continue;
    if (byte == 0 && i > 0) return TOO_LONG;
    *place += i + 1;
    return value;
  }
  return TOO_LARGE;
}

int has_streams(Bytes chunk, int64_t count) {
  if (count > chunk.size / 4) return 0;
  int64_t left = chunk.size - 4 * count;
  for (int64_t i = 0; i < count && left >= 0; i++) left -= stream_at(chunk, 0, i).size;
  return left == 0;
}

Bytes stream_at(Bytes chunk, int64_t count, int64_t number) {
  Bytes stream = {chunk.data + 4 * count, 0};
  for (int64_t i = count > 0 ? 0 : number; i <= number; i++) {
    stream.data += stream.size;
    stream.size = word_at(chunk.data + 4 * i);
  }
  return stream;
}

int piece_of(Bytes segment, int64_t slices, int64_t slice, Bytes *piece) {
  int64_t place = 0, before = 0, total = 0, size = 0;
  for (int64_t i = 0; i < slices - 1; i++) {
    int64_t length = 0;
    for (int shift = 0; place < segment.size && shift < 35; shift += 7) {
      uint8_t byte = segment.data[place++];
      length |= (int64_t)(byte & 127) << shift;
      if (byte < 128) break;
    }
    if (i < slice) before += length;
    if (i == slice) size = length;
    total += length;
  }
  if (total > segment.size - place) return 0;
  if (slice == slices - 1) size = segment.size - place - total;
  *piece = (Bytes){segment.data + place + before, size};
  return 1;
}

int join_pieces(const pcai *file, int64_t slices, int64_t slice, int is_vector, Joined *joined) {
  int64_t total = 0, k = file->info.k;
  Bytes piece;
  joined->ends = NULL;
  for (int filling = 0; filling < 2; filling++) {
    if (filling) joined->ends = take(file, 8 * k + total + 1);
    if (filling && !joined->ends) return no_memory(file);
    if (filling) joined->bytes = (uint8_t *)(joined->ends + k);
    total = 0;
    for (joined->whole = 0; joined->whole < k; joined->whole++) {
      const Component *component = file->components + joined->whole;
      if (!piece_of(is_vector ? component->vector : component->segment, slices, slice, &piece)) break;
      if (filling && piece.size) memcpy(joined->bytes + total, piece.data, (size_t)piece.size);
      total += piece.size;
      if (filling) joined->ends[joined->whole] = total;
    }
  }
  return PCAI_OK;
}

static const char *lacking_number(int64_t why) {
  return why == CUT        ? "A number is cut short."
         : why == TOO_LONG ? "A number is written with more bytes than it needs."
                           : "A number is too large.";
}

/* Reads the number of a component, which must be the expected one. */
static int read_place(const Reader *reader, int64_t *place) {
  int64_t found = read_number(reader->payload, place);
  if (found < 0) return damaged(reader, lacking_number(found));
  if (found != reader->file->info.k + 1) return damaged(reader, "A component is not where it should be.");
  return PCAI_OK;
}

static int add_component(Reader *reader, int with_vector) {
  Bytes payload = reader->payload;
  Component *component = reader->file->components + reader->file->info.k;
  int64_t place = 0;
  int fault = read_place(reader, &place);
  if (fault) return fault;
  *component = (Component){0};
  if (with_vector) {
    if (place >= payload.size || payload.data[place] > MOST_PRECISION) {
      return damaged(reader, "A component has no valid precision.");
    }
    component->precision = payload.data[place++];
    int64_t length = read_number(payload, &place);
    if (length < 0) return damaged(reader, lacking_number(length));
    if (length > payload.size - place) {
      return damaged(reader, "The vector of a component is longer than its chunk.");
    }
    component->vector = (Bytes){payload.data + place, length};
    place += length;
  }
  component->segment = (Bytes){payload.data + place, payload.size - place};
  reader->file->info.k++;
  return PCAI_OK;
}

/* Bits of a table, the highest of each byte first. */
typedef struct {
  Bytes bytes;
  int64_t place;
} Bits;

/* The next bits as a number, or -1 if there are not so many. */
static int64_t next_bits(Bits *bits, int64_t count) {
  int64_t value = 0;
  if (bits->place + count > 8 * bits->bytes.size) return -1;
  for (; count > 0; count--, bits->place++) {
    value = 2 * value + (bits->bytes.data[bits->place / 8] >> (7 - bits->place % 8) & 1);
  }
  return value;
}

/* A length of a group's table, or -1; such as no group can have are not told from others. */
static int64_t next_length(Bits *bits, int64_t state) {
  enum { LONG = 8, MOST_ONES = 136, MOST_DIGITS = 44 };
  int64_t ones = 0, width = 0, bit;
  while ((bit = next_bits(bits, 1)) > 0) ones++;
  if (bit < 0 || ones >= MOST_ONES) return -1;
  while (state >> 3 >> width) width++;
  int64_t more = most(ones - LONG, 0), high = ones;
  if (width + more > MOST_DIGITS) return INT64_C(1) << MOST_DIGITS;
  if (ones >= LONG) high = LONG - 1 + (INT64_C(1) << more);
  int64_t rest = next_bits(bits, width + more);
  return rest < 0 ? -1 : (high << width) + rest;
}

static int add_group(Reader *reader, int64_t room) {
  Bytes payload = reader->payload;
  Component *components = reader->file->components + reader->file->info.k;
  int64_t place = 0, state = 64;
  int fault = read_place(reader, &place);
  if (fault) return fault;
  int64_t count = read_number(payload, &place);
  if (count < 0) return damaged(reader, lacking_number(count));
  if (count < 1 || count > room)
    return damaged(reader, "A group has more components than there is room for.");
  Bits bits = {{payload.data + place, payload.size - place}, 0};
  int64_t shift = next_bits(&bits, 4), left = payload.size - place;
  for (int64_t i = 0; i < count - 1; i++) {
    int64_t length = shift < 0 ? -1 : next_length(&bits, state);
    if (length < 0) return damaged(reader, "The table of a group's lengths is damaged.");
    state += length - (state >> 2);
    components[i] = (Component){.segment.size = length << shift};
    left -= length << shift;
    if (left < 0) return damaged(reader, "The components of a group are longer than their chunk.");
  }
  int64_t used = (bits.place + 7) / 8;
  if (shift < 0 || left < used || next_bits(&bits, 8 * used - bits.place))
    return damaged(reader, "The table of a group's lengths is damaged.");
  components[count - 1] = (Component){.segment.size = left - used};
  const uint8_t *segment = payload.data + place + used;
  for (int64_t i = 0; i < count; segment += components[i++].segment.size)
    components[i].segment.data = segment;
  reader->file->info.k += count;
  return PCAI_OK;
}

/* Checks that all that components need is there. */
static int check_complete(const Reader *reader) {
  const Header *header = &reader->file->header;
  uint64_t found = reader->found;
  if (header->method == PCAI_STACK ? (found & KIND('T')) && (header->type != PCAI_U8 || header->channels > 4)
                                   : !(header->tools & TOOL_TILES) != !(found & KIND('T'))) {
    return damaged(reader, "The file's tiles are missing, or not announced.");
  }
  if (found & KIND('B')) {
    if (!(found & (KIND('M') | KIND('D') | KIND('C') | KIND('s')))) return PCAI_OK;
    return damaged(reader, "The file has a basis of its own, and that of a model.");
  }
  if (found & KIND('S')) return damaged(reader, "The file has scores, but neither components nor a model.");
  if (!(found & KIND('M'))) return damaged(reader, "The file has no mean.");
  if (header->standardized != !!(found & KIND('D')))
    return damaged(reader, "The file's standard deviations are missing, or not announced.");
  return PCAI_OK;
}

/* Adds a component, or a group of them. */
static int add(Reader *reader, int kind) {
  reader->found |= KIND(kind);
  int fault = check_complete(reader);
  if (fault) return fault;
  int64_t most_components =
      reader->found & KIND('B') ? reader->file->model_components : most_components_of(&reader->file->header);
  if (reader->file->header.method == PCAI_STACK && (reader->found & KIND('T'))) most_components = 0;
  int64_t room = least(most_components, reader->room) - reader->file->info.k;
  if (room < 1) return damaged(reader, "The file has more components than the image can have.");
  if (reader->found & KIND('R')) return damaged(reader, "The file's parts are in the wrong order.");
  return kind == 'G' ? add_group(reader, room) : add_component(reader, kind == 'C');
}

/* Checks that there are as many components as a later chunk says, which is all that the end has. */
static int check_count(const Reader *reader, int kind) {
  int64_t place = 0;
  int fault = check_complete(reader);
  if (fault) return fault;
  int64_t count = read_number(reader->payload, &place);
  if (count < 0) return damaged(reader, lacking_number(count));
  if (count != reader->file->info.k || (kind == 'E' && place != reader->payload.size)) {
    return damaged(reader, "The file does not have as many components as it says.");
  }
  return PCAI_OK;
}

static int read_basis(const Reader *reader) {
  pcai *file = reader->file;
  int64_t place = 0, shape[3], count = read_number(reader->payload, &place);
  sample_shape(&file->header, shape);
  if (count < 1 || count > shape[0] * shape[1] * shape[2] || reader->payload.size - place != ID) {
    return damaged(reader, "What the file says of its model is damaged.");
  }
  file->model_components = count;
  file->info.lent = 1;
  memcpy(file->info.model, reader->payload.data + place, ID);
  return PCAI_OK;
}

static int read_alpha(const Reader *reader) {
  if (reader->file->header.type > PCAI_U16)
    return damaged(reader, "Opacity stands beside whole numbers without sign only.");
  reader->file->info.alpha = 1;
  return PCAI_OK;
}

/* Keeps a payload that a method will read. */
static int keep(const Reader *reader, int kind) {
  pcai *file = reader->file;
  switch (kind) {
    case 'M': file->mean = reader->payload; break;
    case 'D': file->scale = reader->payload; break;
    case 'N': file->missing = reader->payload; break;
    case 'T': file->tiles = reader->payload; break;
    case 'R': file->residual = reader->payload; break;
    case 'A': file->alpha = reader->payload; return read_alpha(reader);
    case 'B': return read_basis(reader);
    case 'V': file->is_array = 1;
  }
  return PCAI_OK;
}

/* Takes in a chunk; ancillary ones are looked at no further. */
static int take_in(Reader *reader, int kind) {
  const char *reason = NULL;
  int fault;
  if ((kind == 'H') != !(reader->found & KIND('H'))) {
    return damaged(reader, "The header is not where it should be.");
  }
  if (kind == 'H') {
    reader->found |= KIND('H');
    fault = read_header(reader->payload, &reader->file->header, &reason);
    return fault ? fault_of(reader->file, fault, reason, reader->start) : check_claims(reader->file);
  }
  if (kind >= 'a' && !(KNOWN_ANCILLARY & KIND(kind))) return PCAI_OK;
  if (kind < 'a' && !(KINDS[reader->file->header.method] & KIND(kind))) {
    return damaged(reader, "The file has a part that its method does not have.");
  }
  if (reader->found & KIND(kind) & ~SEVERAL) {
    return damaged(reader, "The file has two chunks of a kind of which there may be one.");
  }
  if (SEVERAL & KIND(kind)) return add(reader, kind);
  if (kind == 'R' || kind == 'E') {
    fault = check_count(reader, kind);
    if (fault) return fault;
  } else if ((BEFORE_COMPONENTS & KIND(kind)) && reader->file->info.k > 0) {
    return damaged(reader, "The file's parts are in the wrong order.");
  }
  reader->found |= KIND(kind);
  return keep(reader, kind);
}

/* Finds the chunk at a place, and checks its checksum if it is to be read; nothing is taken in yet. */
static int find_chunk(const Reader *reader, int64_t start, int is_read, pcai_chunk *chunk) {
  Bytes data = reader->file->data;
  int64_t place = start + 1;
  if (start >= data.size) return fault_of(reader->file, PCAI_TRUNCATED, "The file is cut short.", start);
  int64_t length = read_number(data, &place);
  if (length < 0) {
    return fault_of(reader->file, length == CUT ? PCAI_TRUNCATED : PCAI_DAMAGED, lacking_number(length), place);
  }
  if (length > data.size - place - 4) {
    return fault_of(reader->file, PCAI_TRUNCATED, "The file is cut short.", data.size);
  }
  *chunk =
      (pcai_chunk){.kind = data.data[start], .start = start, .stop = place + length + 4, .payload = place};
  if (!is_read) return PCAI_OK;
  const uint8_t *stated = data.data + place + length;
  if (checksum_of(reader->checksums, data.data + start, place + length - start) != word_at(stated)) {
    return fault_of(reader->file, PCAI_DAMAGED, "The file is damaged: a checksum does not match.", start);
  }
  int known =
      chunk->kind >= 'A' && chunk->kind <= 'Z' && (KINDS[1] | KINDS[2] | KINDS[3]) & KIND(chunk->kind);
  if (!known && !(chunk->kind >= 'a' && chunk->kind <= 'z')) {
    return fault_of(reader->file, PCAI_DAMAGED,
                    "The file has a part that its version of the format does not know.", start);
  }
  return PCAI_OK;
}

/* Takes memory for as many chunks, and components, as there seem to be: no more than the data have bytes. */
static int make_room(Reader *reader) {
  pcai *file = reader->file;
  pcai_chunk chunk;
  int64_t chunks = 0, components = 0;
  for (int64_t place = SIGNATURE + 1; find_chunk(reader, place, 0, &chunk) == PCAI_OK; place = chunk.stop) {
    chunks++;
    components += chunk.kind == 'C' || chunk.kind == 'S' ? 1 : chunk.kind == 'G' ? MOST_PHOTO_COMPONENTS : 0;
    if (chunk.kind == 'E') break;
  }
  reader->room = file->header.method == PCAI_PHOTO ? least(components, MOST_PHOTO_COMPONENTS) : components;
  file->chunks = take(file, chunks * (int64_t)sizeof(pcai_chunk));
  file->components = take(file, reader->room * (int64_t)sizeof(Component));
  if ((chunks && !file->chunks) || (reader->room && !file->components)) return no_memory(file);
  return PCAI_OK;
}

static int read_chunks(Reader *reader) {
  pcai *file = reader->file;
  int64_t place = SIGNATURE + 1;
  pcai_chunk chunk = {0};
  while (chunk.kind != 'E') {
    int fault = find_chunk(reader, place, 1, &chunk);
    if (fault) return fault;
    reader->payload = (Bytes){file->data.data + chunk.payload, chunk.stop - 4 - chunk.payload};
    reader->start = place;
    chunk.first = file->info.k + 1;
    fault = take_in(reader, (int)chunk.kind);
    if (!fault && chunk.kind == 'H') fault = make_room(reader);
    if (fault) return fault;
    chunk.count = file->info.k + 1 - chunk.first;
    if (!chunk.count) chunk.first = 0;
    file->chunks[file->n_chunks++] = chunk;
    place = chunk.stop;
  }
  if (place == file->data.size) return PCAI_OK;
  return fault_of(file, PCAI_DAMAGED, "There are bytes after the end of the image.", place);
}

static int check_version(const pcai *file) {
  Bytes data = file->data;
  int64_t same = 0;
  while (same < least(data.size, SIGNATURE) && data.data[same] == SIGNED[same]) same++;
  if (data.size == 0 || same < least(data.size, SIGNATURE)) {
    return fault_of(file, PCAI_FOREIGN, "This is not a .pcai file.", -1);
  }
  if (data.size <= SIGNATURE) return fault_of(file, PCAI_TRUNCATED, "The file is cut short.", data.size);
  int version = data.data[SIGNATURE];
  if (version >= 1 && version <= 7) {
    return fault_of(file, PCAI_VERSION,
                    "This file was written by an unreleased version of pcaimage; open it with that version, "
                    "and export it as an image.",
                    -1);
  }
  if (version >> 4 == VERSION) return PCAI_OK;
  return fault_of(file, PCAI_VERSION,
                  "The file is of a version of the format that this program does not know; a newer one may "
                  "open it.",
                  -1);
}

int read_container(pcai *file, int salvage) {
  Reader reader = {.file = file};
  int fault = check_version(file);
  if (fault) return fault;
  make_checksums(reader.checksums);
  fault = read_chunks(&reader);
  /* What is beyond the bounds, and memory that is not there, are no damage. */
  int mendable = fault == PCAI_TRUNCATED || fault == PCAI_DAMAGED;
  return mendable && salvage && file->info.k > 0 ? PCAI_OK : fault;
}
