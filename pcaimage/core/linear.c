/* The linear method: its parts, what they take, and the bound within which sums are exact. */
#include "linear.h"

/* What a byte of a file makes plausible, and what decoding takes for it (docs/reliability.md, api/sizes.py):
 * bytes of memory and products for each byte of pixels; products that take as long as a number that
 * is decoded; slices that are decoded at once; bytes of a vector's entry, of a score, of a number of a plane
 * and of a place of a line while a slice is decoded. */
#define MEMORY_PER_PIXEL 8
#define WORK_PER_PIXEL 1024
#define NUMBER_WORK 1024
#define ENTRY 12
#define SCORE 8
#define KNOWN 8
#define PLACE 16
#define AROUND_PLANE 6
#define AT_ONCE 4

/* What is kept of a part, and of each component in it, beside numbers. */
#define KEPT_PART ((double)sizeof(Part) + 8 * KEPT_NUMBERS)
#define KEPT_NUMBERS ((double)sizeof(Numbers) + 8 + TAKEN_BESIDE)

static const char OUT_OF_RANGE[] = "The numbers of the image are out of range.";

static Linear *own_of(const pcai *file) { return file->own; }

static int64_t samples_of(const Header *header) {
  int64_t grid[2];
  grid_of(header, grid);
  return grid[0] * grid[1];
}

/* Slices of a vector's lines. */
static int64_t vector_slices(const Linear *own) {
  int64_t most_entries = 1 << 15;
  return least(own->shape[0], most(1, (own->features + most_entries / 2) / most_entries));
}

static void measure(const Header *header, Linear *own) {
  sample_shape(header, own->shape);
  plane_of(header, own->plane);
  own->features = own->shape[0] * own->shape[1] * own->shape[2];
  if (own->shape[0] * own->shape[1] == 1) {
    /* The bands of a pixel are a line. */
    own->shape[1] = own->features;
    own->shape[2] = 1;
  }
  own->vectors = vector_slices(own);
  own->across = (own->plane[1] + header->slice_columns - 1) / header->slice_columns;
  own->scores = (own->plane[0] + header->slice_lines - 1) / header->slice_lines * own->across;
}

void mask_slice(const Linear *own, int64_t line, int64_t column, Layout *layout) {
  if (!own->missing.measured) return;
  layout->mask = own->missing.measured + line * own->plane[1] + column;
  layout->mask_apart = own->plane[1];
}

/* The planes of a part. */
static Layout layout_of(const pcai *file, const Linear *own, int is_vector, const Part *part) {
  int bands = file->header.method == PCAI_BANDS;
  Layout layout = {.lines = part->stop - part->start, .first = 0, .last = 1};
  if (is_vector) {
    layout.columns = own->shape[1];
    layout.count = own->shape[2] * file->info.k;
    layout.numbers = layout.lines * layout.columns;
    return layout;
  }
  layout.columns = part->right - part->left;
  layout.count = file->info.k;
  layout.numbers =
      least(part->stop * layout.columns, samples_of(&file->header)) - part->start * layout.columns;
  if (!bands) return layout;
  layout.first = layout.last = 4;
  layout.numbers = layout.lines * layout.columns;
  mask_slice(own, part->start, part->left, &layout);
  return layout;
}

double claimed_by_components(const pcai *file) {
  const Header *header = &file->header;
  Linear planned = {0}, *own = &planned;
  measure(header, own);
  double k = (double)file->info.k, samples = (double)samples_of(header), features = (double)own->features;
  double known = (double)(KNOWN * own->shape[2] * (own->shape[0] + AROUND_PLANE)) *
                 (double)(own->shape[1] + AROUND_PLANE);
  double memory = (double)(numbers_of(header) * bytes_of(header)) + SCORE * k * samples;
  memory += (double)own->scores * (KEPT_PART + k * KEPT_NUMBERS);
  double planes = file->residual.data && features > k ? features : k;
  if (!file->info.lent) memory += (k + 1) * (known + ENTRY * features);
  memory += (PLACE + KNOWN * planes) *
            (double)(least(AT_ONCE * header->slice_lines, own->plane[0]) * own->plane[1]);
  double work = k * (samples * features + NUMBER_WORK * (samples + features)) / WORK_PER_PIXEL;
  return work > memory / MEMORY_PER_PIXEL ? work : memory / MEMORY_PER_PIXEL;
}

/* What a part takes while it is decoded. */
static int64_t part_size(const pcai *file, const Linear *own, int is_vector, int64_t lines) {
  Part part = {.stop = lines, .right = file->header.slice_columns};
  Layout layout = layout_of(file, own, is_vector, &part);
  int64_t numbers = 6 * layout.lines * layout.columns * (is_vector ? own->shape[2] : 1);
  return planes_size(&layout) + numbers + 8 * (TAKEN_BESIDE + 8);
}

/* What decoding takes, with so many slices at once. */
static int64_t memory_of(const pcai *file, const Linear *own) {
  const Header *header = &file->header;
  int64_t k = file->info.k, parts = own->vectors + own->scores;
  int64_t each = (int64_t)sizeof(Numbers) + 8 + TAKEN_BESIDE;
  int64_t total =
      (int64_t)sizeof(Linear) + file->data.size + parts * ((int64_t)sizeof(Part) + (k + 8) * each) + 8 * k;
  total += 4 * (k * own->plane[0] * own->plane[1] + (k + 2) * own->features);
  total += least(AT_ONCE, own->scores) * part_size(file, own, 0, least(header->slice_lines, own->plane[0]));
  total += least(AT_ONCE, own->vectors) * part_size(file, own, 1, own->shape[0] / own->vectors + 1);
  return total + corrections_size(file) + missing_size(file) + terms_size(k) + 16 * TAKEN_BESIDE +
         9 * 8 * header->width * header->channels;
}

static int take_parts(pcai *file, Linear *own) {
  int64_t count = own->vectors + own->scores, height = own->shape[0];
  own->parts = take_cleared(file, count * (int64_t)sizeof(Part));
  own->largest_scores = take_cleared(file, 8 * most(file->info.k, 1));
  if (!own->parts || !own->largest_scores) return no_memory(file);
  own->largest_entries = own->largest_scores + file->info.k;
  for (int64_t i = 0; i < count; i++) {
    Part *part = own->parts + i;
    int64_t number = i - own->vectors, line = number / own->across * file->header.slice_lines;
    part->done = -1;
    if (i < own->vectors) {
      part->start = height * i / own->vectors;
      part->stop = height * (i + 1) / own->vectors;
    } else {
      part->start = line;
      part->stop = least(line + file->header.slice_lines, own->plane[0]);
      part->left = number % own->across * file->header.slice_columns;
      part->right = least(part->left + file->header.slice_columns, own->plane[1]);
    }
  }
  return PCAI_OK;
}

static int prepare(pcai *file) {
  Linear planned = {0}, *own;
  measure(&file->header, &planned);
  file->info.parts = planned.vectors + planned.scores;
  file->info.corrections = file->residual.data ? corrections_of(&file->header) : 0;
  file->info.memory = (uint64_t)memory_of(file, &planned);
  if (file->info.memory > file->host.most_memory) return too_large(file);
  file->own = own = take(file, sizeof(Linear));
  if (!own) return no_memory(file);
  *own = planned;
  pcai_make_curves(&own->curves);
  if (is_direct(file)) {
    if (file->info.k) return fault_of(file, PCAI_DAMAGED, "What is coded directly has no components.", -1);
    own->shapes = take(file, sizeof(Shapes));
    if (!own->shapes) return no_memory(file);
    make_shapes(&own->curves, own->shapes);
  }
  int fault = file->missing.data ? read_missing(file, &own->missing) : PCAI_OK;
  return fault ? fault : take_parts(file, own);
}

static void let_go(const pcai *file, Part *part) {
  give_back(file, part->planes);
  give_back(file, part->stream.ends);
  part->planes = NULL;
  part->stream.ends = NULL;
}

/* Reads the planes of a vector, or of one component's scores; finds the largest magnitude and the smallest
 * number. */
static int read_numbers(const pcai *file, Planes *planes, int64_t channels, Numbers *to, int32_t *largest,
                        int32_t *smallest) {
  const Layout *layout = &planes->layout;
  int64_t count = layout->lines * layout->columns * channels;
  int32_t *wide = take(file, 4 * count), low = 0, high = 0;
  if (!wide) return no_memory(file);
  for (int64_t channel = 0; channel < channels; channel++) {
    const int32_t *line = next_plane(planes);
    int32_t *there = wide + channel;
    const uint8_t *mask = layout->mask;
    for (int64_t i = 0; i < layout->lines; i++, line += planes->known.stride, mask += layout->mask_apart) {
      for (int64_t j = 0; j < layout->columns; j++, there += channels) {
        int32_t number = mask[j] ? line[j] : 0;
        *there = number;
        low = number < low ? number : low;
        high = number > high ? number : high;
      }
    }
  }
  *largest = -low > high ? -low : high;
  *smallest = low;
  *to = (Numbers){wide, 1};
  if (*largest > INT16_MAX) return PCAI_OK;
  int16_t *narrow = take(file, 2 * count);
  if (narrow) {
    for (int64_t i = 0; i < count; i++) narrow[i] = (int16_t)wide[i];
    *to = (Numbers){narrow, 0};
    give_back(file, wide);
  }
  return PCAI_OK;
}

/* Raises a maximum that threads share. */
static void raise_to(int32_t *at, int32_t value) {
  int32_t known = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (known < value &&
         !__atomic_compare_exchange_n(at, &known, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

/* Reads the slice of a vector that is coded by itself. */
static int read_single(const pcai *file, Part *part, int64_t slice, Bytes vector, Numbers *to,
                       int32_t *found) {
  const Linear *own = own_of(file);
  Layout layout = layout_of(file, own, 1, part);
  Bytes piece;
  int32_t largest, smallest;
  layout.count = own->shape[2];
  if (!piece_of(vector, own->vectors, slice, &piece)) {
    return fault_of(file, PCAI_DAMAGED, "The mean, or the standard deviations, are damaged.", -1);
  }
  Planes *planes = begin_planes(file, &layout, &own->curves, piece);
  if (!planes) return no_memory(file);
  int fault = read_numbers(file, planes, own->shape[2], to, &largest, &smallest);
  give_back(file, planes);
  if (!fault && found != NULL) raise_to(found, largest);
  if (!fault && to == &part->scale && smallest < 0) {
    return fault_of(file, PCAI_DAMAGED, "The standard deviations are out of range.", -1);
  }
  return fault;
}

/* Decodes what a slice of the vectors has beside the components. */
static int read_beginning(const pcai *file, Part *part, int64_t slice) {
  Linear *own = own_of(file);
  int fault = PCAI_OK;
  if (!part->mean.at) fault = read_single(file, part, slice, file->mean, &part->mean, &own->largest_mean);
  if (!fault && file->header.standardized && !part->scale.at) {
    fault = read_single(file, part, slice, file->scale, &part->scale, &own->largest_scale);
  }
  return fault;
}

/* Makes a part ready to read its planes. */
static int start_part(const pcai *file, Part *part, int64_t slice, int is_vector) {
  const Linear *own = own_of(file);
  Layout layout = layout_of(file, own, is_vector, part);
  if (!part->numbers) part->numbers = take_cleared(file, file->info.k * (int64_t)sizeof(Numbers));
  if (!part->numbers) return no_memory(file);
  int fault = join_pieces(file, is_vector ? own->vectors : own->scores, slice, is_vector, &part->stream);
  if (fault) return fault;
  part->planes = begin_planes(file, &layout, &own->curves, (Bytes){part->stream.bytes, 0});
  return part->planes ? PCAI_OK : no_memory(file);
}

/* Forgets what was read with zeros behind the end of the first components' stream, if those of more
 * components have other bytes there: then the slice must be read again. */
static void forget_guesses(const pcai *file, Part *part, int64_t k) {
  const RangeCoder *coder = &part->planes->coder;
  if (part->stream.whole < k || coder->place <= coder->size || part->stream.ends[k - 1] == coder->size) return;
  for (int64_t i = 0; i < part->done; i++) {
    give_back(file, part->numbers[i].at);
    part->numbers[i].at = NULL;
  }
  part->done = 0;
  let_go(file, part);
}

/* Reads components up to the k-th. */
static int read_components(const pcai *file, Part *part, int64_t slice, int is_vector, int64_t k) {
  Linear *own = own_of(file);
  int32_t *found = is_vector ? own->largest_entries : own->largest_scores, largest, smallest;
  int fault = PCAI_OK;
  if (part->planes) forget_guesses(file, part, k);
  if (!part->planes) fault = start_part(file, part, slice, is_vector);
  if (!fault && part->stream.whole < k) fault = fault_of(file, PCAI_DAMAGED, "A component is damaged.", -1);
  if (!fault) part->planes->coder.size = part->stream.ends[k - 1];
  while (!fault && part->done < k) {
    int64_t channels = is_vector ? own->shape[2] : 1;
    fault = read_numbers(file, part->planes, channels, part->numbers + part->done, &largest, &smallest);
    if (!fault) raise_to(found + part->done++, largest);
  }
  /* What was begun and not kept cannot be gone on with. */
  if (fault || part->done == file->info.k) let_go(file, part);
  return fault;
}

static int decode(pcai *file, int64_t number, int64_t k) {
  Linear *own = own_of(file);
  Part *part = own->parts + number;
  int is_vector = number < own->vectors, fault = PCAI_OK;
  int64_t slice = is_vector ? number : number - own->vectors;
  if (file->info.lent && !file->model) {
    return fault_of(file, PCAI_MODEL, "The image's basis is in a model file, which is not lent.", -1);
  }
  if (part->done < 0) {
    if (is_vector) fault = read_beginning(file, part, slice);
    if (fault) return fault;
    part->done = 0;
  }
  if (k > part->done) fault = read_components(file, part, slice, is_vector, k);
  if (!fault && !sums_are_exact(file, k)) fault = fault_of(file, PCAI_DAMAGED, OUT_OF_RANGE, -1);
  return fault;
}

int sums_are_exact(const pcai *file, int64_t k) {
  const Header *header = &file->header;
  const Linear *own = own_of(file);
  const double exact = 9007199254740992.0;
  int64_t mantissa = header->mantissa, step = header->exponent, bits;
  for (; mantissa % 2 == 0; mantissa /= 2) step++;
  bits = most(most(1, header->value_bits + 1), header->mean_bits);
  for (int64_t j = 0; j < k; j++) {
    bits = most(bits, file->components[j].precision + header->scale_bits - step);
  }
  int32_t scale = header->standardized ? __atomic_load_n(&own->largest_scale, __ATOMIC_RELAXED) : 1;
  int32_t mean = __atomic_load_n(&own->largest_mean, __ATOMIC_RELAXED);
  /* Products and sums of whole numbers: those below 2^53 are exact, and no rounding leads back below it. */
  double total = power_of_two(bits) + (double)mean * power_of_two(bits - header->mean_bits);
  for (int64_t j = 0; j < k; j++) {
    double scores = __atomic_load_n(own->largest_scores + j, __ATOMIC_RELAXED);
    double entries = __atomic_load_n(own->largest_entries + j, __ATOMIC_RELAXED);
    int64_t shift = bits - file->components[j].precision - header->scale_bits + step;
    total += scores * entries * (double)scale * (double)mantissa * power_of_two(shift);
  }
  return total < exact;
}

static int lines_of(const pcai *file, int64_t number, int64_t *start, int64_t *stop) {
  const Header *header = &file->header;
  const Linear *own = own_of(file);
  const Part *part = own->parts + number;
  int64_t each = header->method == PCAI_BLOCKS ? header->block : 1, lines = file->info.lines;
  if (header->method == PCAI_STACK) each = own->plane[1] * header->height;
  *start = number < own->vectors ? 0 : part->start * each;
  *stop = number < own->vectors ? lines : least(part->stop * each, lines);
  return PCAI_OK;
}

/* For Python: how many of the parts are of vectors. */
API int64_t pcai_vectors(const pcai *file) { return own_of(file)->vectors; }

/* For Python: copies the mean, the deviations, or a component's entries or scores, whose parts are decoded. */
API void pcai_numbers(const pcai *file, int64_t kind, int64_t component, int32_t *to) {
  enum { MEAN, SCALE, ENTRIES };
  const Linear *own = own_of(file);
  int is_vector = kind <= ENTRIES;
  int64_t line = is_vector ? own->shape[1] * own->shape[2] : own->plane[1];
  int64_t total = is_vector ? own->features : samples_of(&file->header);
  for (int64_t i = is_vector ? 0 : own->vectors; i < own->vectors + (is_vector ? 0 : own->scores); i++) {
    const Part *part = own->parts + i;
    const Numbers *from = kind == MEAN ? &part->mean : kind == SCALE ? &part->scale : part->numbers + component;
    int64_t left = is_vector ? 0 : part->left, columns = (is_vector ? line : part->right) - left;
    for (int64_t row = part->start, place = 0; row < part->stop; row++) {
      int64_t first = row * line + left, count = least(columns, total - first);
      for (int64_t j = 0; j < count; j++) to[first + j] = number_at(from, place++);
    }
  }
}

/* For Python: tells of each pixel, or of each sample, whether it is missing. */
API void pcai_missing(const pcai *file, uint8_t *to) {
  const Linear *own = own_of(file);
  int64_t pixels = file->header.height * file->header.width, bands = own->missing.gone ? file->header.channels : 1;
  for (int64_t i = 0; i < pixels * bands; i++) {
    to[i] = (uint8_t)is_missing(&own->missing, pixels, i / bands, i % bands);
  }
}

static void close(pcai *file) {
  Linear *own = own_of(file);
  if (!own) return;
  for (int64_t i = 0; own->parts && i < own->vectors + own->scores; i++) {
    Part *part = own->parts + i;
    for (int64_t j = 0; part->numbers && j < file->info.k; j++) give_back(file, part->numbers[j].at);
    give_back(file, part->numbers);
    give_back(file, part->mean.at);
    give_back(file, part->scale.at);
    let_go(file, part);
  }
  give_back(file, own->parts);
  give_back(file, own->largest_scores);
  give_back(file, own->shapes);
  give_back(file, own->missing.measured);
  give_back(file, own->missing.gone);
  give_back(file, own);
}

const Method LINEAR_METHOD = {prepare, decode, NULL, NULL, lines_of, linear_lines, correct_lines, close};
