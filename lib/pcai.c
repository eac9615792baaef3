/* pcai: shows what is in a .pcai file, and decodes it. It is an example of what libpcai needs: memory,
 * threads if there are any, and a place for pixels.
 *
 *   pcai info FILE [--json]
 *   pcai decode FILE OUT [--k K] [--reduce 2|4|8] [--model FILE] [--salvage] [--limit BYTES] [--threads N]
 *   pcai thumbnail FILE OUT SIZE [the same]
 */
#define _DEFAULT_SOURCE /* for madvise */
#include "pcai.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { MOST_THREADS = 64, AT_ONCE = 1 << 20 /* bytes of lines that a thread makes at once */ };

static const char USAGE[] =
    "pcai info FILE [--json]              tells what is in a file\n"
    "pcai decode FILE OUT [options]       writes its pixels: to an array of NumPy if OUT ends in .npy, else "
    "as PAM,\n"
    "                                     one for each image of a stack; to standard output if OUT is -\n"
    "pcai thumbnail FILE OUT SIZE         writes a picture of at most SIZE pixels a side, as PNG, or PAM if "
    "OUT ends\n"
    "                                     in .pam; of many bands three, of a stack the first image\n"
    "options: --k K          the first K components alone      --reduce 2|4|8  means over squares of pixels\n"
    "         --model FILE   that the basis is in              --salvage       what is before the damage\n"
    "         --limit BYTES  that a file may claim, or take    --threads N     at once; all by default\n";

typedef struct {
  const char *path, *out, *model;
  int json, salvage, threads;
  int64_t k, reduction, size;
  uint64_t limit;
} Wanted;

typedef struct {
  uint8_t *data;
  size_t size;
} Content;

/* A file, with all that must stay as long as it is open. */
typedef struct {
  const char *path;
  Content content;
  pcai_plain plain;
  pcai_host host;
  pcai *file;
} Source;

static void fail(const char *subject, const char *reason) {
  fprintf(stderr, "pcai: %s%s%s\n", subject, *subject ? ": " : "", reason);
  exit(1);
}

static void *room_for(size_t size) {
  void *room = malloc(size ? size : 1);
  if (!room) fail("", "There is not enough memory.");
  return room;
}

/* Room for the library: large pieces are of large pages, which the system hands out in less time. */
static void *allocated(size_t size) {
#if defined(MADV_HUGEPAGE)
  const size_t page = (size_t)1 << 21;
  if (size >= page / 2 && size < SIZE_MAX - page) {
    size = (size + page - 1) / page * page;
    void *room = aligned_alloc(page, size);
    if (room) madvise(room, size, MADV_HUGEPAGE);
    return room;
  }
#endif
  return malloc(size);
}

static int ends_in(const char *name, const char *end) {
  size_t length = strlen(name), part = strlen(end);
  return length >= part && strcmp(name + length - part, end) == 0;
}

/* ---- files and threads ---- */

static Content read_all(const char *path) {
  FILE *stream = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  Content content = {NULL, 0};
  size_t room = 1 << 16, count = 1;
  if (!stream) fail(path, "It cannot be read.");
  while (count > 0) {
    if (!content.data || content.size == room) {
      room *= 2;
      content.data = realloc(content.data, room);
      if (!content.data) fail(path, "There is not enough memory to read it.");
    }
    count = fread(content.data + content.size, 1, room - content.size, stream);
    content.size += count;
  }
  if (ferror(stream)) fail(path, "It cannot be read.");
  if (stream != stdin) fclose(stream);
  return content;
}

static FILE *open_output(const char *path) {
  FILE *stream = strcmp(path, "-") ? fopen(path, "wb") : stdout;
  if (!stream) fail(path, "It cannot be written.");
#ifdef _WIN32
  _setmode(_fileno(stream), _O_BINARY);
#endif
  return stream;
}

static void put(FILE *stream, const void *data, size_t size) {
  if (size && fwrite(data, 1, size, stream) != size) fail("", "The output cannot be written.");
}

static void close_output(FILE *stream) {
  if (fflush(stream) || ferror(stream)) fail("", "The output cannot be written.");
  if (stream != stdout) fclose(stream);
}

/* Tasks that are numbered, which threads take one after the other until one fails. */
typedef struct {
  int (*task)(void *own, int64_t number);
  void *own;
  int64_t count;
  long next;
  int failed;
} Queue;

static void work(Queue *queue) {
  for (;;) {
    long number = __atomic_fetch_add(&queue->next, 1, __ATOMIC_RELAXED);
    if (number >= queue->count || __atomic_load_n(&queue->failed, __ATOMIC_RELAXED)) return;
    if (queue->task(queue->own, number)) __atomic_store_n(&queue->failed, 1, __ATOMIC_RELAXED);
  }
}

#ifdef _WIN32
typedef HANDLE Thread;
static DWORD WINAPI begin(void *queue) { return work(queue), 0; }
static int start(Thread *thread, Queue *queue) {
  *thread = CreateThread(NULL, 0, begin, queue, 0, NULL);
  return *thread != NULL;
}
static void wait_for(Thread thread) { WaitForSingleObject(thread, INFINITE), CloseHandle(thread); }
static int processors(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return (int)info.dwNumberOfProcessors;
}
#else
typedef pthread_t Thread;
static void *begin(void *queue) { return work(queue), NULL; }
static int start(Thread *thread, Queue *queue) { return pthread_create(thread, NULL, begin, queue) == 0; }
static void wait_for(Thread thread) { pthread_join(thread, NULL); }
static int processors(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
#endif

/* Does tasks on several threads, this one too; returns whether all went well. */
static int do_all(int threads, int (*task)(void *, int64_t), void *own, int64_t count) {
  Queue queue = {.task = task, .own = own, .count = count};
  Thread started[MOST_THREADS];
  int others = 0;
  while (others < threads - 1 && others < count - 1 && start(started + others, &queue)) others++;
  work(&queue);
  for (int i = 0; i < others; i++) wait_for(started[i]);
  return !queue.failed;
}

/* ---- opening and decoding ---- */

static void fail_by(const Source *source) {
  int64_t place = -1;
  char sentence[512];
  const char *reason = source->file ? pcai_reason(source->file, &place) : "There is not enough memory.";
  snprintf(sentence, sizeof sentence, place >= 0 ? "%s (at byte %lld)" : "%s", reason, (long long)place);
  fail(source->path, sentence);
}

static void open_source(Source *source, const char *path, const Wanted *wanted) {
  source->path = path;
  source->content = read_all(path);
  source->plain = (pcai_plain){.allocate = allocated, .release = free};
  pcai_embedded(&source->plain);
  pcai_plain_host(&source->host, &source->plain);
  if (wanted->limit) source->host.most_memory = source->host.most_unbacked = wanted->limit;
  int (*opening)(pcai **, const void *, size_t, const pcai_host *) =
      wanted->salvage ? pcai_salvage : pcai_open;
  if (opening(&source->file, source->content.data, source->content.size, &source->host)) fail_by(source);
}

static void close_source(Source *source) {
  pcai_close(source->file);
  free(source->content.data);
}

/* What threads decode and make: neighbouring lines in order, those that are corrected together in one task.
 */
typedef struct {
  Source *source;
  int64_t k, reduction, lines, first; /* lines of the picture, and the first one of the first task */
  int64_t each;                       /* lines of a task, or 0 if tasks are parts of corrections */
  int64_t next;                       /* the first part of the corrections */
  size_t apart;                       /* bytes from line to line */
  uint8_t *to;
} Making;

static int decode_part(void *own, int64_t number) {
  const Making *making = own;
  return pcai_decode(making->source->file, number, making->k);
}

static void bounds_of(const Making *making, int64_t number, int64_t *start, int64_t *stop) {
  if (!making->each) {
    pcai_corrected(making->source->file, making->next + number, start, stop);
    return;
  }
  *start = making->first + number * making->each;
  *stop = *start + making->each < making->lines ? *start + making->each : making->lines;
}

static int make_lines(void *own, int64_t number) {
  const Making *making = own;
  int64_t start, stop;
  bounds_of(making, number, &start, &stop);
  uint8_t *to = making->to + (size_t)(start - making->first) * making->apart;
  int fault = pcai_lines(making->source->file, making->k, start, stop, making->reduction, to, making->apart);
  if (!fault && !making->each)
    fault = pcai_correct(making->source->file, making->next + number, to, making->apart);
  return fault;
}

static size_t bytes_of(const pcai_info *info) {
  return info->type == PCAI_U8 ? 1 : info->type == PCAI_F32 ? 4 : 2;
}

/* Opens the model if there is one, and decodes all parts. */
static Making decoded(Source *source, Source *model, const Wanted *wanted) {
  const pcai_info *info = pcai_about(source->file);
  Making making = {
      .source = source, .k = wanted->k < 0 ? info->k : wanted->k, .reduction = wanted->reduction};
  if (wanted->model) {
    open_source(model, wanted->model, wanted);
    if (pcai_lend(source->file, model->file)) fail_by(source);
  }
  if (!do_all(wanted->threads, decode_part, &making, info->parts)) fail_by(source);
  making.lines = info->images * ((info->height + making.reduction - 1) / making.reduction);
  making.apart =
      (size_t)((info->width + making.reduction - 1) / making.reduction * info->channels) * bytes_of(info);
  return making;
}

/* Makes the lines that follow, a few tasks at once; returns the line behind them. */
static int64_t make_next(Making *making, int threads, int64_t parts) {
  int64_t tasks = threads, start, stop;
  if (parts) {
    making->each = 0;
    if (tasks > parts - making->next) tasks = parts - making->next;
  } else {
    making->each = (int64_t)(AT_ONCE / making->apart) + 1;
    int64_t left = (making->lines - making->first + making->each - 1) / making->each;
    if (tasks > left) tasks = left;
  }
  bounds_of(making, tasks - 1, &start, &stop);
  making->to = room_for((size_t)(stop - making->first) * making->apart);
  if (!do_all(threads, make_lines, making, tasks)) fail_by(making->source);
  making->next += tasks;
  return stop;
}

/* ---- pictures ---- */

/* The opacity of all images, averaged as lines are; NULL if there is none. */
static uint8_t *alpha_of(const Source *source, int64_t reduction) {
  const pcai_info *info = pcai_about(source->file);
  size_t size = bytes_of(info), count = (size_t)(info->lines * info->width);
  if (!info->alpha) return NULL;
  uint8_t *alpha = room_for(count * size);
  if (pcai_alpha(source->file, alpha)) fail_by(source);
  int64_t rows = (info->height + reduction - 1) / reduction,
          columns = (info->width + reduction - 1) / reduction;
  for (int64_t i = 0; reduction > 1 && i < info->images * rows * columns; i++) {
    int64_t row = i / columns % rows * reduction, column = i % columns * reduction, total = 0, number = 0;
    for (int64_t y = row; y < row + reduction && y < info->height; y++) {
      for (int64_t x = column; x < column + reduction && x < info->width; x++, number++) {
        size_t place = (size_t)((i / columns / rows * info->height + y) * info->width + x);
        total += size == 1 ? alpha[place] : ((uint16_t *)(void *)alpha)[place];
      }
    }
    total = (2 * total + number) / (2 * number);
    if (size == 1) alpha[i] = (uint8_t)total;
    else ((uint16_t *)(void *)alpha)[i] = (uint16_t)total;
  }
  return alpha;
}

static void put_pam_header(FILE *stream, int64_t width, int64_t height, int64_t channels, int alpha,
                           int white) {
  const char *kind = channels == 1 ? "GRAYSCALE" : channels == 3 ? "RGB" : "";
  fprintf(stream, "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %lld\nMAXVAL %d\n", (long long)width, (long long)height,
          (long long)channels + alpha, white);
  if (*kind) fprintf(stream, "TUPLTYPE %s%s\n", kind, alpha ? "_ALPHA" : "");
  fprintf(stream, "ENDHDR\n");
}

/* Writes a line with its opacity, numbers of two bytes with the higher one first. */
static void put_pam_line(FILE *stream, const uint8_t *line, const uint8_t *alpha, int64_t width,
                         size_t channels, size_t size) {
  size_t whole = channels + (alpha != NULL);
  uint8_t *row = room_for((size_t)width * whole * size), *to = row;
  if (!alpha) memcpy(row, line, (size_t)width * channels * size);
  for (int64_t x = 0; alpha && x < width; x++, line += channels * size, to += whole * size) {
    memcpy(to, line, channels * size);
    memcpy(to + channels * size, alpha + (size_t)x * size, size);
  }
  for (size_t i = 0; size == 2 && i < (size_t)width * whole; i++) {
    uint16_t value;
    memcpy(&value, row + 2 * i, 2);
    row[2 * i] = (uint8_t)(value >> 8), row[2 * i + 1] = (uint8_t)value;
  }
  put(stream, row, (size_t)width * whole * size);
  free(row);
}

static void put_npy_header(FILE *stream, const pcai_info *info, int64_t rows, int64_t columns) {
  static const char *const KINDS[4] = {"u1", "u2", "i2", "f4"};
  const uint16_t one = 1;
  char text[256], shape[128] = "";
  int length = 0;
  if (info->method == PCAI_STACK) length = snprintf(shape, sizeof shape, "%lld, ", (long long)info->images);
  length += snprintf(shape + length, sizeof shape - (size_t)length, "%lld, %lld", (long long)rows,
                     (long long)columns);
  if (info->has_channels)
    snprintf(shape + length, sizeof shape - (size_t)length, ", %lld", (long long)info->channels);
  length = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
                    info->type == PCAI_U8    ? '|'
                    : *(const uint8_t *)&one ? '<'
                                             : '>',
                    KINDS[info->type - 1], shape);
  while ((length + 11) % 64) text[length++] = ' ';
  text[length++] = '\n';
  uint8_t head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
  put(stream, head, sizeof head);
  put(stream, text, (size_t)length);
}

static void decode(const Wanted *wanted) {
  Source source, model = {0};
  open_source(&source, wanted->path, wanted);
  const pcai_info *info = pcai_about(source.file);
  int as_array = ends_in(wanted->out, ".npy");
  if (!as_array && info->type > PCAI_U16) {
    fail(wanted->out, "PAM has whole numbers without sign only; give a name that ends in .npy.");
  }
  Making making = decoded(&source, &model, wanted);
  int64_t rows = making.lines / info->images,
          columns = (int64_t)(making.apart / bytes_of(info)) / info->channels;
  int64_t parts = making.k == info->k && making.reduction == 1 ? info->corrections : 0;
  uint8_t *alpha = as_array ? NULL : alpha_of(&source, making.reduction);
  FILE *stream = open_output(wanted->out);
  if (as_array) put_npy_header(stream, info, rows, columns);
  while (making.first < making.lines) {
    int64_t stop = make_next(&making, wanted->threads, parts);
    if (as_array) put(stream, making.to, (size_t)(stop - making.first) * making.apart);
    for (int64_t line = making.first; !as_array && line < stop; line++) {
      const uint8_t *opacity = alpha ? alpha + (size_t)(line * columns) * bytes_of(info) : NULL;
      if (line % rows == 0)
        put_pam_header(stream, columns, rows, info->channels, alpha != NULL, (int)info->peak);
      put_pam_line(stream, making.to + (size_t)(line - making.first) * making.apart, opacity, columns,
                   (size_t)info->channels, bytes_of(info));
    }
    free(making.to);
    making.first = stop;
  }
  close_output(stream);
  free(alpha);
  close_source(&source);
  if (wanted->model) close_source(&model);
}

/* ---- thumbnails ---- */

static double value_at(const pcai_info *info, const uint8_t *data, size_t place) {
  uint16_t half;
  float real;
  if (info->type == PCAI_U8) return data[place];
  if (info->type == PCAI_F32) return memcpy(&real, data + 4 * place, 4), real == real ? (double)real : 0;
  memcpy(&half, data + 2 * place, 2);
  return info->type == PCAI_I16 ? (double)(int16_t)half : (double)half;
}

/* A picture of bytes: grey or colours, perhaps with opacity. */
typedef struct {
  int64_t width, height, channels;
  uint8_t *pixels;
} Picture;

/* Puts means over rectangles of the lines of an image into a channel of a picture, stretched between two
 * values. */
static void shrink(const pcai_info *info, const uint8_t *data, int64_t columns, int64_t rows, int64_t depth,
                   int64_t from, double low, double high, Picture *picture, int64_t to) {
  for (int64_t i = 0; i < picture->width * picture->height; i++) {
    int64_t row = i / picture->width, column = i % picture->width, number = 0;
    double total = 0;
    for (int64_t y = row * rows / picture->height; y < (row + 1) * rows / picture->height; y++) {
      for (int64_t x = column * columns / picture->width; x < (column + 1) * columns / picture->width;
           x++, number++) {
        total += value_at(info, data, (size_t)((y * columns + x) * depth + from));
      }
    }
    double value = (total / (double)number - low) / (high - low) * 255 + 0.5;
    picture->pixels[i * picture->channels + to] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

static uint32_t crc_of(uint32_t crc, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return crc;
}

static void put_word(uint8_t *to, uint32_t word) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(word >> (24 - 8 * i));
}

static void put_png_chunk(FILE *stream, const char *kind, const uint8_t *data, size_t size) {
  uint8_t head[8], tail[4];
  put_word(head, (uint32_t)size);
  memcpy(head + 4, kind, 4);
  put_word(tail, ~crc_of(crc_of(~0u, head + 4, 4), data, size));
  put(stream, head, 8);
  put(stream, data, size);
  put(stream, tail, 4);
}

/* Writes a picture as PNG whose pixels are stored as they are. */
static void put_png(FILE *stream, const Picture *picture) {
  static const uint8_t KINDS[5] = {0, 0, 4, 2, 6};
  uint8_t head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, KINDS[picture->channels]};
  size_t line = (size_t)(picture->width * picture->channels), lines = (size_t)picture->height, place = 2;
  uint8_t *data = room_for(6 + lines * (line + 6));
  uint32_t a = 1, b = 0;
  data[0] = 0x78, data[1] = 1;
  for (size_t y = 0; y < lines; y++) {
    uint16_t size = (uint16_t)(line + 1);
    uint8_t stored[6] = {y + 1 == lines, (uint8_t)size,         (uint8_t)(size >> 8),
                         (uint8_t)~size, (uint8_t)(~size >> 8), 0};
    memcpy(data + place, stored, 6);
    memcpy(data + place + 6, picture->pixels + y * line, line);
    for (size_t i = 5; i < 6 + line; i++) a = (a + data[place + i]) % 65521, b = (b + a) % 65521;
    place += 6 + line;
  }
  put_word(data + place, b << 16 | a);
  put_word(head, (uint32_t)picture->width);
  put_word(head + 4, (uint32_t)picture->height);
  put(stream, "\x89PNG\r\n\x1a\n", 8);
  put_png_chunk(stream, "IHDR", head, 13);
  put_png_chunk(stream, "IDAT", data, place + 4);
  put_png_chunk(stream, "IEND", NULL, 0);
  free(data);
}

/* The range of values of a channel. */
static void range_of(const pcai_info *info, const uint8_t *data, size_t pixels, size_t channel, double *low,
                     double *high) {
  *low = 1e300, *high = -1e300;
  for (size_t i = 0; i < pixels; i++) {
    double value = value_at(info, data, i * (size_t)info->channels + channel);
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
  }
  if (*high <= *low) *high = *low + 1;
}

static void thumbnail(Wanted *wanted) {
  Source source, model = {0};
  open_source(&source, wanted->path, wanted);
  const pcai_info *info = pcai_about(source.file);
  int64_t longest = info->width > info->height ? info->width : info->height, depth = info->channels,
          first = info->images;
  while (wanted->reduction < 8 && longest / (2 * wanted->reduction) >= wanted->size) wanted->reduction *= 2;
  if (wanted->k < 0 && info->method == PCAI_PHOTO) {
    /* So many of the first components are about all that a reduced picture shows. */
    static const int64_t SEEN[9] = {64, 64, 32, 0, 8, 0, 0, 0, 1};
    int64_t seen = SEEN[wanted->reduction] * info->channels;
    wanted->k = seen < info->k ? seen : info->k;
  }
  Making making = decoded(&source, &model, wanted);
  int64_t rows = making.lines / first, columns = (int64_t)(making.apart / bytes_of(info)) / depth;
  int64_t side = columns > rows ? columns : rows, target = side < wanted->size ? side : wanted->size;
  making.lines = rows;
  uint8_t *lines = room_for((size_t)rows * making.apart), *alpha = alpha_of(&source, making.reduction);
  making.to = lines;
  making.each = rows / wanted->threads + 1;
  if (!do_all(wanted->threads, make_lines, &making, (rows + making.each - 1) / making.each)) fail_by(&source);
  int64_t colours = depth < 3 ? 1 : 3, plain = depth < 5 && info->type <= PCAI_U16;
  Picture picture = {(columns * target + side - 1) / side, (rows * target + side - 1) / side,
                     colours + (alpha != NULL), NULL};
  picture.pixels = room_for((size_t)(picture.width * picture.height * picture.channels));
  for (int64_t i = 0; i < colours; i++) {
    int64_t channel = plain || colours == 1 ? i : (5 - 2 * i) * depth / 6;
    double low = 0, high = info->peak;
    if (!plain) range_of(info, lines, (size_t)(rows * columns), (size_t)channel, &low, &high);
    shrink(info, lines, columns, rows, depth, channel, low, high, &picture, i);
  }
  if (alpha)
    shrink(info, alpha, columns, rows, 1, 0, 0, info->type == PCAI_U8 ? 255 : 65535, &picture, colours);
  FILE *stream = open_output(wanted->out);
  if (ends_in(wanted->out, ".pam")) {
    put_pam_header(stream, picture.width, picture.height, colours, alpha != NULL, 255);
    put(stream, picture.pixels, (size_t)(picture.width * picture.height * picture.channels));
  } else {
    put_png(stream, &picture);
  }
  close_output(stream);
  free(picture.pixels), free(lines), free(alpha);
  close_source(&source);
  if (wanted->model) close_source(&model);
}

/* ---- showing ---- */

static void show(const Wanted *wanted) {
  static const char *const METHODS[4] = {"blocks", "bands", "stack", "photo"};
  static const char *const TYPES[4] = {"uint8", "uint16", "int16", "float32"};
  Source source;
  open_source(&source, wanted->path, wanted);
  const pcai_info *info = pcai_about(source.file);
  const pcai_chunk *chunks;
  int64_t count = pcai_chunks(source.file, &chunks);
  double step = (double)info->mantissa;
  char id[33] = "";
  for (int64_t i = 0; i < info->exponent; i++) step *= 2;
  for (int64_t i = 0; i > info->exponent; i--) step /= 2;
  for (int i = 0; info->lent && i < 16; i++) snprintf(id + 2 * i, 3, "%02x", info->model[i]);
  const char *format =
      wanted->json
          ? "{\"method\": \"%s\", \"type\": \"%s\", \"images\": %lld, \"height\": %lld, \"width\": %lld, "
            "\"channels\": %lld, \"components\": %lld, \"step\": %.9g, \"peak\": %.17g, \"opacity\": %s, "
            "\"corrections\": %s, \"model\": \"%s\", \"memory\": %llu, \"bytes\": %llu, \"chunks\": ["
          : "method        %s\ntype          %s\nimages        %lld\nheight        %lld\nwidth         %lld\n"
            "channels      %lld\ncomponents    %lld\nstep          %.9g\npeak          %.9g\n"
            "opacity       %s\ncorrections   %s\nmodel         %s\nmemory        %llu\nbytes         %llu\n";
  const char *yes = wanted->json ? "true" : "yes", *no = wanted->json ? "false" : "no";
  printf(format, METHODS[info->method], TYPES[info->type - 1], (long long)info->images,
         (long long)info->height, (long long)info->width, (long long)info->channels, (long long)info->k, step,
         info->peak, info->alpha ? yes : no, info->corrections ? yes : no,
         info->lent || wanted->json ? id : "in the file", (unsigned long long)info->memory,
         (unsigned long long)source.content.size);
  for (int64_t i = 0; wanted->json && i < count; i++) {
    printf("%s{\"kind\": \"%c\", \"start\": %lld, \"stop\": %lld, \"first\": %lld, \"count\": %lld}",
           i ? ", " : "", (int)chunks[i].kind, (long long)chunks[i].start, (long long)chunks[i].stop,
           (long long)chunks[i].first, (long long)chunks[i].count);
  }
  if (wanted->json) printf("]}\n");
  close_output(stdout);
  close_source(&source);
}

/* ---- the command line ---- */

static int64_t number_of(const char *option, const char *text, int64_t least, int64_t most) {
  char *end = NULL;
  long long value = text ? strtoll(text, &end, 10) : 0;
  if (!text || !*text || *end || value < least || value > most) fail(option, "It needs another number.");
  return value;
}

int main(int count, char **words) {
  Wanted wanted = {.k = -1, .reduction = 1, .threads = processors()};
  const char *plain[4] = {NULL};
  int found = 0;
  for (int i = 1; i < count; i++) {
    const char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL;
    if (!strcmp(word, "--json")) wanted.json = 1;
    else if (!strcmp(word, "--salvage")) wanted.salvage = 1;
    else if (!strcmp(word, "--k")) wanted.k = number_of(word, next, 0, 1 << 24), i++;
    else if (!strcmp(word, "--reduce")) wanted.reduction = number_of(word, next, 1, 8), i++;
    else if (!strcmp(word, "--threads")) wanted.threads = (int)number_of(word, next, 1, MOST_THREADS), i++;
    else if (!strcmp(word, "--limit")) wanted.limit = (uint64_t)number_of(word, next, 1, INT64_MAX), i++;
    else if (!strcmp(word, "--model") && next) wanted.model = next, i++;
    else if ((word[0] == '-' && word[1]) || found == 4) found = 5;
    else if (found < 4) plain[found++] = word;
  }
  wanted.path = plain[1], wanted.out = plain[2];
  if (wanted.threads < 1 || wanted.threads > MOST_THREADS)
    wanted.threads = wanted.threads < 1 ? 1 : MOST_THREADS;
  if (found == 2 && !strcmp(plain[0], "info")) {
    show(&wanted);
  } else if (found == 3 && !strcmp(plain[0], "decode")) {
    decode(&wanted);
  } else if (found == 4 && !strcmp(plain[0], "thumbnail")) {
    wanted.size = number_of("SIZE", plain[3], 1, 8192);
    thumbnail(&wanted);
  } else {
    fputs(USAGE, stderr);
    return 2;
  }
  return 0;
}
