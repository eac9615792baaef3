/* The functions of pcai.h: they check arguments, take memory within the host's bounds, and call the method. */
#include "container.h"
#include "exact.h"

SHARED(pcai_host);
SHARED(pcai_plain);
SHARED(pcai_info);
SHARED(pcai_chunk);

/* What stands before the memory that is handed out: what the host gave, and how much it is. */
typedef struct {
  void *given;
  size_t size;
} Taken;

enum { ALIGNED = 64 };

static const char TOO_MUCH[] = "The file's components take far more to decode than its length makes plausible; "
                               "if you trust it, raise the limit to open it.";
static const char UNOPENED[] = "The file could not be opened.";
static const char NO_IMAGE[] = "The file keeps an array, which is no image as it is stored; pcaimage restores it.";

void *take(const pcai *file, int64_t size) {
  size_t *taken = &((pcai *)(uintptr_t)file)->taken, beside = ALIGNED + sizeof(Taken);
  if (size <= 0 || (uint64_t)size > SIZE_MAX - beside) return NULL;
  size_t whole = (size_t)size + beside, before = __atomic_fetch_add(taken, whole, __ATOMIC_RELAXED);
  char *given = NULL;
  if (before <= SIZE_MAX - whole && before + whole <= file->host.most_memory) {
    given = file->host.take(file->host.own, whole);
  }
  if (!given) {
    __atomic_fetch_sub(taken, whole, __ATOMIC_RELAXED);
    return NULL;
  }
  char *memory = given + sizeof(Taken);
  memory += (ALIGNED - (uintptr_t)memory % ALIGNED) % ALIGNED;
  Taken note = {given, whole};
  memcpy(memory - sizeof note, &note, sizeof note);
  return memory;
}

void *take_cleared(const pcai *file, int64_t size) {
  void *memory = take(file, size);
  if (memory) memset(memory, 0, (size_t)size);
  return memory;
}

void give_back(const pcai *file, void *memory) {
  Taken note;
  if (!memory) return;
  memcpy(&note, (char *)memory - sizeof note, sizeof note);
  __atomic_fetch_sub(&((pcai *)(uintptr_t)file)->taken, note.size, __ATOMIC_RELAXED);
  file->host.give_back(file->host.own, note.given);
}

int no_memory(const pcai *file) {
  return fault_of(file, PCAI_MEMORY, "There is not enough memory, or the program allows no more.", -1);
}

int too_large(const pcai *file) {
  return fault_of(file, PCAI_LARGE, "Decoding the file takes more memory than the program allows.", -1);
}

int inflated(const pcai *file, Bytes stream, uint8_t *to, int64_t room) {
  if (!file->host.inflate || (uint64_t)room > SIZE_MAX) return 0;
  return file->host.inflate(file->host.own, stream.data, (size_t)stream.size, to, (size_t)room);
}

API int64_t pcai_interface(void) { return PCAI_INTERFACE; }

/* Puts what the header says of an image where everyone can read it. */
static void describe(pcai *file) {
  const Header *header = &file->header;
  pcai_info *info = &file->info;
  info->method = header->method;
  info->type = header->type;
  info->images = header->images;
  info->height = header->height;
  info->width = header->width;
  info->channels = header->channels;
  info->has_channels = header->has_channels;
  info->block = header->block;
  info->lines = header->images * header->height;
  info->mantissa = header->mantissa;
  info->exponent = header->exponent;
  info->peak = header->peak;
}

static int check_components(const pcai *file) {
  double most_claimed = (double)file->host.most_unbacked + PIXELS_PER_BYTE * (double)file->data.size;
  double claimed = file->header.method == PCAI_PHOTO ? 0 : claimed_by_components(file);
  if (claimed <= most_claimed) return PCAI_OK;
  return fault_of(file, PCAI_LARGE, TOO_MUCH, claimed < 1e18 ? (int64_t)claimed + 1 : (int64_t)1e18);
}

static pcai *begin(pcai **opened, const pcai_host *host, Bytes data) {
  pcai *file = *opened = host->take(host->own, sizeof(pcai));
  if (file) *file = (pcai){.host = *host, .data = data, .place = -1, .fault = PCAI_MEMORY};
  return file;
}

static int prepare(pcai *file) {
  const Method *linear = file->tiles.data ? &FRAMES_METHOD : &LINEAR_METHOD;
  file->method = file->header.method == PCAI_PHOTO ? &PHOTO_METHOD : linear;
  return file->fault = file->method->prepare(file);
}

/* Reads a container, and prepares nothing; for Python, which checks more before it decodes. */
API int pcai_read(pcai **opened, const void *data, size_t size, const pcai_host *host, int64_t salvage) {
  pcai *file = begin(opened, host, (Bytes){data, (int64_t)size});
  if (!file) return PCAI_MEMORY;
  file->fault = read_container(file, (int)salvage);
  describe(file);
  if (!file->fault) file->fault = check_components(file);
  return file->fault;
}

/* The header, and the components, of a file that is read. */
API const Header *pcai_header(const pcai *file) { return &file->header; }
API const Component *pcai_components(const pcai *file) { return file->components; }

/* Why no file can have a header of such a payload; NULL if there is no reason, and the header. */
API const char *pcai_header_fault(const void *payload, size_t size, Header *header) {
  const char *reason = NULL;
  read_header((Bytes){payload, (int64_t)size}, header, &reason);
  return reason;
}

/* Opens an image that is put together from parts, which must stay as they are until it is closed. */
API int pcai_assemble(pcai **opened, const Contents *from, const pcai_host *host) {
  pcai *file = begin(opened, host, (Bytes){NULL, 0});
  if (!file) return PCAI_MEMORY;
  file->header = from->header;
  file->mean = from->mean, file->scale = from->scale, file->missing = from->missing;
  file->tiles = from->tiles, file->residual = from->residual;
  file->info.k = from->k;
  describe(file);
  file->components = take(file, most(from->k, 1) * (int64_t)sizeof(Component));
  if (!file->components) return no_memory(file);
  memcpy(file->components, from->components, (size_t)from->k * sizeof(Component));
  return prepare(file);
}

static int open_file(pcai **file, const void *data, size_t size, const pcai_host *host, int salvage) {
  int fault = pcai_read(file, data, size, host, salvage);
  if (!fault && (*file)->is_array) fault = (*file)->fault = fault_of(*file, PCAI_VERSION, NO_IMAGE, -1);
  return fault ? fault : prepare(*file);
}

API int pcai_open(pcai **file, const void *data, size_t size, const pcai_host *host) {
  return open_file(file, data, size, host, 0);
}

API int pcai_salvage(pcai **file, const void *data, size_t size, const pcai_host *host) {
  return open_file(file, data, size, host, 1);
}

API const char *pcai_reason(const pcai *file, int64_t *place) {
  pcai *noted = (pcai *)(uintptr_t)file;
  begin_noting(noted);
  const char *reason = noted->reason;
  if (place) *place = noted->place;
  end_noting(noted);
  return reason ? reason : "Nothing is wrong.";
}

API const pcai_info *pcai_about(const pcai *file) { return &file->info; }

API int64_t pcai_chunks(const pcai *file, const pcai_chunk **chunks) {
  *chunks = file->chunks;
  return file->n_chunks;
}

static int bad_argument(const pcai *file, const char *reason) {
  return fault_of(file, PCAI_ARGUMENT, reason, -1);
}

/* A fault if the file is not open, or does not have so many components. */
static int check(const pcai *file, int64_t k) {
  if (file->fault) return bad_argument(file, UNOPENED);
  return k < 0 || k > file->info.k ? bad_argument(file, "The image does not have so many components.")
                                   : PCAI_OK;
}

static int check_part(const pcai *file, int64_t part, int64_t count) {
  if (file->fault) return bad_argument(file, UNOPENED);
  return part < 0 || part >= count ? bad_argument(file, "The file does not have so many parts.") : PCAI_OK;
}

API int pcai_decode(pcai *file, int64_t part, int64_t k) {
  int fault = check_part(file, part, file->info.parts);
  if (!fault) fault = check(file, k);
  return fault ? fault : file->method->decode(file, part, k);
}

API size_t pcai_hand_over(const pcai *file, int64_t part, void *to) {
  if (check_part(file, part, file->info.parts) || !file->method->hand_over) return 0;
  return (size_t)file->method->hand_over(file, part, to);
}

API int pcai_adopt(pcai *file, int64_t part, int64_t k, const void *from, size_t size) {
  int fault = check_part(file, part, file->info.parts);
  if (!fault) fault = check(file, k);
  if (fault) return fault;
  if (!file->method->adopt) return bad_argument(file, "Parts of such a file are not handed over.");
  return file->method->adopt(file, part, k, (Bytes){from, (int64_t)size});
}

API int pcai_lines_of(const pcai *file, int64_t part, int64_t *start, int64_t *stop) {
  int fault = check_part(file, part, file->info.parts);
  return fault ? fault : file->method->lines_of(file, part, start, stop);
}

API int pcai_lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, void *to,
                   size_t apart) {
  int fault = check(file, k);
  if (fault) return fault;
  if (reduction != 1 && reduction != 2 && reduction != 4 && reduction != 8) {
    return bad_argument(file, "Reductions are 1, 2, 4 or 8.");
  }
  int64_t lines = file->info.images * ((file->info.height + reduction - 1) / reduction);
  if (start < 0 || stop < start || stop > lines)
    return bad_argument(file, "The image does not have such lines.");
  if (start == stop) return PCAI_OK;
  return file->method->lines(file, k, start, stop, reduction, to, (int64_t)apart);
}

API int pcai_corrected(const pcai *file, int64_t part, int64_t *start, int64_t *stop) {
  const int64_t count = file->info.corrections, height = file->header.height;
  int fault = check_part(file, part, count);
  if (fault) return fault;
  const int64_t lines = file->header.slice_lines;
  const int bands = file->header.method == PCAI_BANDS;
  *start = bands ? part * lines : height * part / count;
  *stop = bands ? least(*start + lines, height) : height * (part + 1) / count;
  return PCAI_OK;
}

API int pcai_correct(const pcai *file, int64_t part, void *lines, size_t apart) {
  int64_t start, stop;
  int fault = pcai_corrected(file, part, &start, &stop);
  return fault ? fault : file->method->correct(file, part, start, stop, lines, (int64_t)apart);
}

/* Opacity is coded as images are that have nothing else: of two bytes the higher one is the first channel. */
API int pcai_alpha(const pcai *file, void *to) {
  const Header *header = &file->header;
  const int64_t count = frame_slices(header), size = bytes_of(header);
  if (file->fault || !file->info.alpha)
    return bad_argument(file, file->fault ? UNOPENED : "There is no opacity.");
  if (!has_streams(file->alpha, count))
    return fault_of(file, PCAI_DAMAGED, "The opacity is damaged.", (int64_t)(file->alpha.data - file->data.data));
  CurveTables *curves = take(file, (int64_t)sizeof(CurveTables));
  int fault = curves ? PCAI_OK : no_memory(file);
  if (curves) pcai_make_curves(curves);
  for (int64_t i = 0; i < count && !fault; i++) fault = decode_frames(file, curves, file->alpha, i, size, to);
  give_back(file, curves);
  uint8_t *both = to;
  for (int64_t i = header->images * header->height * header->width; size == 2 && i > 0; i--, both += 2) {
    uint16_t whole = (uint16_t)(both[0] << 8 | both[1]);
    memcpy(both, &whole, 2);
  }
  return fault;
}

API void pcai_close(pcai *file) {
  if (!file) return;
  if (file->method) file->method->close(file);
  give_back(file, file->components);
  give_back(file, file->chunks);
  file->host.give_back(file->host.own, file);
}

static void *take_plainly(void *own, size_t size) { return ((const pcai_plain *)own)->allocate(size); }

static void give_back_plainly(void *own, void *memory) { ((const pcai_plain *)own)->release(memory); }

static const uint8_t *tables_of(void *own, int version, int grade, size_t *size) {
  const pcai_plain *plain = own;
  if (version != PCAI_TABLES_VERSION || grade < -1 || grade > 2) return NULL;
  *size = plain->sizes[grade + 1];
  return plain->tables[grade + 1];
}

API void pcai_plain_host(pcai_host *host, pcai_plain *plain) {
  *host = (pcai_host){.own = plain,
                      .take = take_plainly,
                      .give_back = give_back_plainly,
                      .inflate = plain->inflate,
                      .tables = tables_of,
                      .most_memory = UINT64_C(1) << 33,
                      .most_unbacked = 80000000};
}
