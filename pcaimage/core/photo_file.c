/* The method of photos: slices of scores, tiles, lines of pixels, and corrections. Arguments are checked
 * before. */
#include "exact.h"
#include "predicted.h"
#include "picture.h"
#include "room.h"
#include "slice.h"

/* So many slices, or lines by so many threads, are taken to be worked on at once where memory is counted. */
enum { TILE = 64, THREADS = 4 };

/* Pixels of a slice of corrections at most. */
#define PIXELS_OF_CORRECTIONS (1 << 20)

/* What decodes a slice, in one piece of memory with the levels of its regions. */
typedef struct {
  Models models;
  int8_t *regional;
  void *room;
} PartState;

/* A slice of scores, which may be in memory of the caller's: `given` is 1. What decodes it stays until the last
 * component is known; the levels of its regions are kept there, or where the caller wants them, and what was
 * `learned` may be copied then. */
typedef struct {
  int64_t first, rows, known, given;
  void *scores;
  int8_t *regional;
  uint8_t *memory;
  PartState *state;
  Joined stream;
  SliceCoder *slice;
  RangeCoder coder;
  Models *learned;
} Part;

/* Parts are the slices of scores, then those of tiles. `chosen` says which tiles are coded, and `is_decoded` which
 * slices of them are known. */
typedef struct {
  PhotoPlan plan;
  Picture picture;
  Part *parts;
  int64_t slices, tile_slices, tile_rows, tile_columns;
  const void **scores;
  int8_t *levels;
  uint8_t *chosen, *tiles, *is_decoded;
  CurveTables *curves; /* of tiles and corrections, if there are any */
  /* What decoded slices that are known, for those that come next: systems clear all memory that they hand out. */
  uint8_t *spare[THREADS];
  int64_t finished;
} Photo;

static Photo *photo_of(const pcai *file) { return file->own; }

/* ---- Preparation ---- */

/* Takes tables of a version: those of all grades, or of one. */
static int take_tables(const pcai *file, int64_t grade, Bytes *tables) {
  size_t size = 0;
  if (!file->host.tables) return 0;
  tables->data = file->host.tables(file->host.own, (int)file->header.tables, (int)grade, &size);
  tables->size = (int64_t)size;
  return tables->data != NULL;
}

/* Makes plan and picture; scores and levels are still missing. */
static int prepare_plan(pcai *file, Photo *photo) {
  Bytes shared, grade;
  if (!take_tables(file, -1, &shared) || !take_tables(file, grade_of_step(&file->header), &grade)) {
    return fault_of(file, PCAI_TABLES, "There are no tables of the version that the photo was made with.", -1);
  }
  int fault = make_plan(&photo->plan, &file->header, shared, grade);
  if (fault == PCAI_TABLES) return fault_of(file, fault, "The tables of photos are damaged.", -1);
  if (fault) return fault_of(file, fault, "The photo's step is too small for the range of its values.", -1);
  if (make_picture(&photo->picture, &photo->plan, &file->header, file->mean, NULL, NULL)) {
    return fault_of(file, PCAI_DAMAGED, "The photo's channels and bases are damaged.",
                    file->mean.data - file->data.data);
  }
  return PCAI_OK;
}

static int64_t slices_of_corrections(const Header *header) {
  const int64_t pixels = header->height * header->width, most_pixels = PIXELS_OF_CORRECTIONS;
  return least(header->height, (pixels + most_pixels - 1) / most_pixels);
}

/* The corrections without the number of components that they begin with. */
static Bytes corrections_of(const pcai *file) {
  int64_t place = 0;
  if (!file->residual.data || read_number(file->residual, &place) < 0) return (Bytes){NULL, 0};
  return (Bytes){file->residual.data + place, file->residual.size - place};
}

/* Counts the parts of all kinds; returns a fault if streams do not fit. */
static int count_parts(pcai *file, Photo *photo) {
  const Header *header = &file->header;
  const int64_t rows = (header->height + 7) / 8;
  photo->slices = (rows + header->slice_lines - 1) / header->slice_lines;
  photo->tile_rows = (header->height + TILE - 1) / TILE;
  photo->tile_columns = (header->width + TILE - 1) / TILE;
  photo->tile_slices = file->tiles.data ? frame_slices(header) : 0;
  if (file->tiles.data && !has_streams(file->tiles, photo->tile_slices)) {
    return fault_of(file, PCAI_DAMAGED, "The photo's tiles are damaged.", -1);
  }
  file->info.parts = photo->slices + photo->tile_slices;
  Bytes corrections = corrections_of(file);
  int needless = file->tiles.data && corrections.size == 0;
  file->info.corrections = corrections.data && !needless ? slices_of_corrections(header) : 0;
  return PCAI_OK;
}

static int64_t bytes_of_scores(const pcai *file, int64_t rows) {
  const Photo *photo = photo_of(file);
  return file->info.k * rows * ((file->header.width + 7) / 8) * (photo->plan.wide ? 4 : 2);
}

static int64_t area_of_regions(const pcai *file, int64_t rows) {
  return ((rows + 1) / 2) * (((file->header.width + 7) / 8 + 1) / 2);
}

/* What decodes a slice takes, but for what is in its stream. */
static int64_t bytes_of_state(const pcai *file, int64_t rows) {
  const int64_t columns = (file->header.width + 7) / 8;
  return (int64_t)sizeof(PartState) + 2 * LINE + TAKEN_BESIDE + area_of_regions(file, rows) +
         pcai_slice_size(&photo_of(file)->plan, file->info.k, rows, columns, 0);
}

/* What one of several that are worked on at once takes, times how many that are at most. */
static int64_t at_once(int64_t count, int64_t size) { return least(count, THREADS) * (size + TAKEN_BESIDE); }

/* What is taken by tiles, and what more by decoding those of some slices, or by correcting some. */
static int64_t memory_of_tiles(const pcai *file, int64_t *more) {
  const Photo *photo = photo_of(file);
  const Header *header = &file->header;
  if (file->info.corrections > 0) {
    int64_t lines = header->height / file->info.corrections + 1;
    *more = most(*more, at_once(file->info.corrections,
                                 pcai_corrections_size(lines, header->width, header->channels)));
  }
  if (photo->tile_slices == 0) return 0;
  int64_t lines = least(TILE * (photo->tile_rows / photo->tile_slices + 1), header->height);
  const int64_t room = header->tools & TOOL_DRAWN ? pcai_drawing_size(lines, header->width, header->channels)
                                                  : pcai_tiles_size(lines, header->width);
  *more = most(*more, at_once(photo->tile_slices, room));
  return header->height * header->width * header->channels + photo->tile_rows * photo->tile_columns +
         photo->tile_slices + 3 * TAKEN_BESIDE;
}

/* What is taken by all scores, and beside them by some slices that are decoded at once, or some lines that are
 * made. */
static uint64_t memory_of(const pcai *file) {
  const Photo *photo = photo_of(file);
  const Header *header = &file->header;
  const int64_t rows = photo->picture.rows, slice = least(header->slice_lines, rows);
  const int64_t chunks =
      file->n_chunks * (int64_t)sizeof(pcai_chunk) + MOST_PLANES * (int64_t)sizeof(Component);
  int64_t size = (int64_t)(sizeof(Photo) + sizeof(CurveTables)) + chunks + file->data.size + 8 * TAKEN_BESIDE;
  size += photo->slices * ((int64_t)(sizeof(Part) + sizeof(void *)) + TAKEN_BESIDE);
  size += (file->info.k + 1) * (photo->slices + 1) * 8 + rows * photo->picture.columns +
          bytes_of_scores(file, rows);
  int64_t more = at_once(photo->slices, bytes_of_state(file, slice));
  more = most(more, at_once(header->height, size_of_lines(&photo->picture, 0, header->height, 1)));
  size += memory_of_tiles(file, &more);
  return (uint64_t)(size + more);
}

static int take_parts(pcai *file, Photo *photo) {
  const int64_t rows = (file->header.height + 7) / 8, columns = (file->header.width + 7) / 8;
  photo->parts = take_cleared(file, photo->slices * (int64_t)sizeof(Part));
  photo->scores = take_cleared(file, photo->slices * (int64_t)sizeof(void *));
  photo->levels = take_cleared(file, rows * columns);
  if (!photo->parts || !photo->scores || !photo->levels) return 0;
  photo->picture.scores = photo->scores;
  photo->picture.levels = photo->levels;
  for (int64_t i = 0; i < photo->slices; i++) {
    photo->parts[i].first = i * file->header.slice_lines;
    photo->parts[i].rows = least(file->header.slice_lines, rows - photo->parts[i].first);
  }
  if (photo->tile_slices > 0 || file->info.corrections > 0) {
    photo->curves = take(file, (int64_t)sizeof(CurveTables));
    if (!photo->curves) return 0;
    pcai_make_curves(photo->curves);
  }
  if (photo->tile_slices == 0) return 1;
  const int64_t pixels = file->header.height * file->header.width * file->header.channels;
  photo->chosen = take_cleared(file, photo->tile_rows * photo->tile_columns);
  photo->is_decoded = take_cleared(file, photo->tile_slices);
  photo->tiles = take(file, pixels);
  return photo->chosen && photo->is_decoded && photo->tiles;
}

static int prepare(pcai *file) {
  Photo *photo = take(file, (int64_t)sizeof(Photo));
  file->own = photo;
  if (!photo) return no_memory(file);
  /* But for what is made next, of which much is never used. */
  memset(&photo->parts, 0, sizeof *photo - offsetof(Photo, parts));
  int fault = count_parts(file, photo);
  if (!fault) fault = prepare_plan(file, photo);
  if (fault) return fault;
  file->info.memory = memory_of(file);
  if (file->info.memory > file->host.most_memory) return too_large(file);
  return take_parts(file, photo) ? PCAI_OK : no_memory(file);
}

/* ---- Slices ---- */

/* Starts a slice from its beginning. */
static void begin_part(const pcai *file, int64_t number) {
  Photo *photo = photo_of(file);
  Part *part = photo->parts + number;
  PartState *state = part->state;
  int8_t *blocks = photo->levels + part->first * photo->picture.columns;
  take_models(&photo->plan, &photo->plan.tables, &state->models);
  part->slice =
      pcai_slice_begin(state->room, &photo->plan, &state->models, file->info.k, part->rows, photo->picture.columns,
                  part->scores, photo->plan.wide, state->regional, blocks, NULL, 0);
  part->coder = range_reader(part->stream.bytes, 0);
}

static void let_go(const pcai *file, Part *part) {
  give_back(file, part->stream.ends);
  give_back(file, part->memory);
  part->stream.ends = NULL;
  part->memory = NULL;
  part->state = NULL;
}

/* Puts memory into a place of what is spare; returns what was there. */
static uint8_t *exchanged(const pcai *file, int place, uint8_t *memory) {
  return __atomic_exchange_n(photo_of(file)->spare + place, memory, __ATOMIC_ACQ_REL);
}

static void give_spare(const pcai *file) {
  for (int i = 0; i < THREADS; i++) give_back(file, exchanged(file, i, NULL));
}

/* Lets go of a slice that is known, but for its memory, which takes the place of other that is spare. */
static void finish_part(const pcai *file, Part *part) {
  for (int i = 0; i < THREADS; i++) part->memory = exchanged(file, i, part->memory);
  let_go(file, part);
  if (__atomic_add_fetch(&photo_of(file)->finished, 1, __ATOMIC_ACQ_REL) == photo_of(file)->slices) give_spare(file);
}

/* Takes memory for a slice: as much as for the largest, so that all can do with it. */
static int take_part(const pcai *file, int64_t number) {
  Photo *photo = photo_of(file);
  Part *part = photo->parts + number;
  uint8_t *memory = NULL;
  if (!part->scores) part->scores = take(file, bytes_of_scores(file, part->rows));
  for (int i = 0; i < THREADS && !memory; i++) memory = exchanged(file, i, NULL);
  if (!memory && part->scores) memory = take(file, bytes_of_state(file, photo->parts[0].rows));
  part->memory = memory;
  int fault = part->scores && memory ? join_pieces(file, photo->slices, number, 0, &part->stream) : no_memory(file);
  if (fault) {
    let_go(file, part);
    return fault;
  }
  Room room = room_in(memory);
  PartState *state = part_of(&room, (int64_t)sizeof(PartState));
  state->room = room.memory + room.used;
  state->regional = part->regional;
  if (!state->regional) {
    state->regional = (int8_t *)memory + bytes_of_state(file, part->rows) - area_of_regions(file, part->rows);
  }
  part->state = state;
  begin_part(file, number);
  return PCAI_OK;
}

static int decode_part(const pcai *file, int64_t number, int64_t k) {
  Photo *photo = photo_of(file);
  Part *part = photo->parts + number;
  if (k <= part->known) return PCAI_OK;
  int fault = part->state ? PCAI_OK : take_part(file, number);
  if (!fault && k > part->stream.whole) {
    const uint8_t *segment = file->components[part->stream.whole].segment.data;
    fault = fault_of(file, PCAI_DAMAGED, "A component is damaged: its slices' pieces are longer than it is.",
                     segment - file->data.data);
  }
  if (fault) return fault;
  const int64_t size = part->stream.ends[k - 1], before = part->coder.size;
  /* Of a damaged stream, zeros behind an earlier end may have been read that are others now. */
  if (part->known > 0 && part->coder.place > before && size > before) begin_part(file, number);
  part->coder.size = size;
  if (part->slice->next == 0) range_start_reading(&part->coder);
  photo->scores[number] = part->scores;
  read_slice(part->slice, &part->coder, k);
  part->known = k;
  if (k < file->info.k) return PCAI_OK;
  if (part->learned) memcpy(part->learned, &part->state->models, sizeof(Models));
  finish_part(file, part);
  return PCAI_OK;
}

/* For Python: has a slice decoded into memory of the caller's, (k, rows, columns), and the levels of its regions. */
API void pcai_put_scores(pcai *file, int64_t number, void *scores, int8_t *regional) {
  Part *part = photo_of(file)->parts + number;
  part->scores = scores;
  part->regional = regional;
  part->given = 1;
}

/* For Python: has a slice's models copied when all of it is decoded. */
API void pcai_put_models(pcai *file, int64_t number, Models *models) {
  photo_of(file)->parts[number].learned = models;
}

/* For Python: the tiles that are decoded, with the pixels of all of the photo. */
API void pcai_put_tiles(const pcai *file, uint8_t *chosen, uint8_t *pixels) {
  const Photo *photo = photo_of(file);
  memcpy(chosen, photo->chosen, (size_t)(photo->tile_rows * photo->tile_columns));
  memcpy(pixels, photo->tiles, (size_t)numbers_of(&file->header));
}

static int is_whole(const uint8_t *chosen, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (!chosen[i]) return 0;
  }
  return 1;
}

/* Other threads may be decoding tiles. */
static int has_tiles(const Photo *photo, int64_t number) {
  return __atomic_load_n(photo->is_decoded + number, __ATOMIC_ACQUIRE);
}

static int decode_tile_part(const pcai *file, int64_t number) {
  Photo *photo = photo_of(file);
  int64_t start, stop;
  if (has_tiles(photo, number)) return PCAI_OK;
  frame_lines(&file->header, number, &start, &stop);
  uint8_t *chosen = photo->chosen + start / TILE * photo->tile_columns;
  const Bytes stream = stream_at(file->tiles, photo->tile_slices, number);
  uint8_t *pixels = photo->tiles + start * file->header.width * file->header.channels;
  int fault = file->header.tools & TOOL_DRAWN
                  ? decode_drawn(file, &photo->plan, stream, stop - start, chosen, pixels)
                  : decode_tiles(file, photo->curves, stream, stop - start, stop - start,
                                 file->header.channels, chosen, pixels);
  if (fault) return fault;
  if (file->residual.data && file->info.corrections == 0 &&
      !is_whole(chosen, (stop - start + TILE - 1) / TILE * photo->tile_columns)) {
    return fault_of(file, PCAI_DAMAGED, "The corrections of the photo are missing.", -1);
  }
  __atomic_store_n(photo->is_decoded + number, 1, __ATOMIC_RELEASE);
  return PCAI_OK;
}

static int decode(pcai *file, int64_t part, int64_t k) {
  const Photo *photo = photo_of(file);
  return part < photo->slices ? decode_part(file, part, k) : decode_tile_part(file, part - photo->slices);
}

/* The bytes of the scores of a slice's first k components, and of the levels of its blocks. */
static void sizes_of_part(const pcai *file, const Part *part, int64_t k, int64_t *sizes) {
  sizes[1] = part->rows * photo_of(file)->picture.columns;
  sizes[0] = k * sizes[1] * (photo_of(file)->plan.wide ? 4 : 2);
}

static int64_t hand_over(const pcai *file, int64_t number, uint8_t *to) {
  const Photo *photo = photo_of(file);
  if (number >= photo->slices || photo->parts[number].known == 0) return 0;
  const Part *part = photo->parts + number;
  int64_t sizes[2];
  sizes_of_part(file, part, part->known, sizes);
  if (to) {
    memcpy(to, part->scores, (size_t)sizes[0]);
    memcpy(to + sizes[0], photo->levels + part->first * photo->picture.columns, (size_t)sizes[1]);
  }
  return sizes[0] + sizes[1];
}

static int adopt(pcai *file, int64_t number, int64_t k, Bytes from) {
  Photo *photo = photo_of(file);
  Part *part = photo->parts + number;
  int64_t sizes[2] = {-1, 0};
  if (number < photo->slices && !part->state) sizes_of_part(file, part, k, sizes);
  if (sizes[0] + sizes[1] != from.size) return fault_of(file, PCAI_ARGUMENT, "That is not the part.", -1);
  if (!part->scores) part->scores = take(file, bytes_of_scores(file, part->rows));
  if (!part->scores) return no_memory(file);
  memcpy(part->scores, from.data, (size_t)sizes[0]);
  memcpy(photo->levels + part->first * photo->picture.columns, from.data + sizes[0], (size_t)sizes[1]);
  photo->scores[number] = part->scores;
  part->known = k;
  return PCAI_OK;
}

static int lines_of(const pcai *file, int64_t part, int64_t *start, int64_t *stop) {
  const Photo *photo = photo_of(file);
  if (part >= photo->slices) {
    frame_lines(&file->header, part - photo->slices, start, stop);
    return PCAI_OK;
  }
  const Part *of = photo->parts + part;
  *start = of->first > 0 ? 8 * of->first - reach_of(&photo->picture) : 0;
  *stop = least(8 * (of->first + of->rows) + reach_of(&photo->picture), file->header.height);
  *start = most(*start, 0);
  if (of->first + of->rows == photo->picture.rows) *stop = file->header.height;
  return PCAI_OK;
}

/* ---- Lines ---- */

static int all_in_tiles(const Photo *photo) {
  for (int64_t i = 0; i < photo->tile_slices; i++) {
    if (!has_tiles(photo, i)) return 0;
  }
  return photo->tile_slices > 0 && is_whole(photo->chosen, photo->tile_rows * photo->tile_columns);
}

/* Whether all that some lines of the photo need is decoded. */
static int is_ready(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction) {
  const Photo *photo = photo_of(file);
  const int64_t reach = reduction > 1 ? 8 : reach_of(&photo->picture);
  for (int64_t i = 0; i < photo->tile_slices; i++) {
    int64_t from, to;
    frame_lines(&file->header, i, &from, &to);
    if (from < stop && to > start && !has_tiles(photo, i)) return 0;
  }
  if (k == 0 || all_in_tiles(photo)) return 1;
  for (int64_t i = 0; i < photo->slices; i++) {
    const Part *part = photo->parts + i;
    if (8 * part->first - reach < stop && 8 * (part->first + part->rows) + reach > start && part->known < k)
      return 0;
  }
  return 1;
}

/* Paints the tiles over some lines of a picture that is reduced so far. */
static void paint_tiles(const pcai *file, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                        int64_t apart) {
  const Photo *photo = photo_of(file);
  const int64_t side = TILE / reduction, width = (file->header.width + reduction - 1) / reduction;
  for (int64_t y = start; y < stop; y++, to += apart) {
    const uint8_t *chosen = photo->chosen + y / side * photo->tile_columns;
    for (int64_t tile = 0; tile < photo->tile_columns; tile++) {
      int64_t x = tile * side;
      if (chosen[tile]) {
        paint_line(&file->header, photo->tiles, y, x, least(side, width - x), reduction, to + x * file->header.channels);
      }
    }
  }
}

static int lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                 int64_t apart) {
  const Photo *photo = photo_of(file);
  if (!is_ready(file, k, start * reduction, least(stop * reduction, file->header.height), reduction)) {
    return fault_of(file, PCAI_UNREADY, "A part that these lines need is not decoded.", -1);
  }
  if (start < stop && !all_in_tiles(photo)) {
    void *room = take(file, size_of_lines(&photo->picture, start, stop, reduction));
    if (!room) return no_memory(file);
    picture_lines(&photo->picture, k, start, stop, reduction, room, to, apart);
    give_back(file, room);
  }
  if (photo->tile_slices > 0) paint_tiles(file, start, stop, reduction, to, apart);
  return PCAI_OK;
}

/* ---- Corrections ---- */

static int correct_lines(const pcai *file, int64_t part, int64_t start, int64_t stop, uint8_t *pixels,
                         int64_t apart) {
  Bytes chunk = corrections_of(file);
  if (!has_streams(chunk, file->info.corrections)) {
    return fault_of(file, PCAI_DAMAGED, "The photo's corrections are damaged.",
                    file->residual.data - file->data.data);
  }
  return correct_slice(file, photo_of(file)->curves, stream_at(chunk, file->info.corrections, part), stop - start,
                       pixels, apart);
}

static void close(pcai *file) {
  Photo *photo = photo_of(file);
  if (!photo) return;
  for (int64_t i = 0; photo->parts && i < photo->slices; i++) {
    if (!photo->parts[i].given) give_back(file, photo->parts[i].scores);
    let_go(file, photo->parts + i);
  }
  give_spare(file);
  void *all[] = {photo->parts,  photo->scores, photo->levels,
                 photo->chosen, photo->tiles,  photo->is_decoded, photo->curves, photo};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) give_back(file, all[i]);
  file->own = NULL;
}

const Method PHOTO_METHOD = {prepare, decode, hand_over, adopt, lines_of, lines, correct_lines, close};
