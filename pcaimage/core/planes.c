/* Planes of whole numbers, slice by slice.
 *
 * Of all planes of a slice only those are held by which later ones are predicted: places for the very first,
 * and for a few others, of which the last ones move to the front when there is no place left. */
#include "planes.h"

#include "bands.h"

/* Contexts of models and of biases, as bands_around.h numbers them. */
enum {
  MODELS = FAR_MODELS + 26,
  BIASES = 24 * 9,
  FIRST_WIDTH = 46 * 16,
  MOST_ACTIVE = 4095
};

/* Places for planes beside the very first, and how many of them stay. */
enum { WINDOW = 12, KEPT = 4 };

SHARED(KnownPlanes);
SHARED(Acquired);

API void pcai_bands_read(int64_t plane, int64_t start, int64_t stop, const uint8_t *mask, int64_t columns,
                         const KnownPlanes *known, const Equations *fit, const Acquired *learned,
                         RangeCoder *coder) {
  code_strips(plane, start, stop, NULL, mask, columns, *known, *fit, *learned, 0, coder, 1, NULL);
}

static int64_t slots_of(const Layout *layout) { return least(layout->count, layout->first + WINDOW); }

static int64_t area_of(const Layout *layout) {
  return (layout->lines + 2 * BORDER) * (layout->columns + 2 * BORDER);
}

static int64_t strips_of(const Layout *layout) {
  return least((layout->columns + STRIP - 1) / STRIP, STRIPS);
}

static int64_t most_inputs(const Layout *layout) {
  return 2 + OWN_PLACES + 2 * least(layout->first + layout->last, layout->count - 1);
}

/* Sums of the equations of a strip: those of inputs and target, in blocks on and below the diagonal. */
static int64_t sums_of(int64_t inputs) { return 8 * ((inputs + 4) / 4) * ((inputs + 4) / 4 + 1); }

/* The parts of the memory of planes, each of a multiple of 64 bytes. */
enum { SUMS, WEIGHTS, NUMBERS, ERRORS, ACTIVITY, MIXING, DISTRIBUTED, EXPERIENCE, EXPECTED, MISSED, MASK, PARTS };

static void sizes_of(const Layout *layout, int64_t sizes[PARTS]) {
  int64_t inputs = most_inputs(layout), strips = strips_of(layout), area = area_of(layout);
  sizes[SUMS] = 4 * strips * sums_of(inputs);
  sizes[WEIGHTS] = 4 * strips * inputs;
  sizes[NUMBERS] = 4 * slots_of(layout) * area;
  sizes[ERRORS] = sizes[ACTIVITY] = 4 * area;
  sizes[MIXING] = 4 * 4 * (SIZES / 3);
  sizes[DISTRIBUTED] = 2 * DISTRIBUTIONS * SYMBOLS;
  sizes[EXPERIENCE] = 4 * MODELS;
  sizes[EXPECTED] = 8 * SIZES;
  sizes[MISSED] = 8 * BIASES;
  sizes[MASK] = layout->mask ? 0 : layout->lines * layout->columns;
  for (int i = 0; i < PARTS; i++) sizes[i] = (sizes[i] + 63) / 64 * 64;
}

int64_t planes_size(const Layout *layout) {
  int64_t sizes[PARTS], size = (int64_t)sizeof(Planes) + 64 + TAKEN_BESIDE;
  sizes_of(layout, sizes);
  for (int i = 0; i < PARTS; i++) size += sizes[i];
  return size;
}

Planes *begin_planes(const pcai *file, const Layout *layout, const CurveTables *curves, Bytes stream) {
  int64_t sizes[PARTS];
  uint8_t *parts[PARTS], *memory = take_cleared(file, planes_size(layout) - TAKEN_BESIDE);
  if (!memory) return NULL;
  Planes *planes = (Planes *)(void *)memory;
  sizes_of(layout, sizes);
  memory += (sizeof(Planes) + 63) / 64 * 64;
  for (int i = 0; i < PARTS; memory += sizes[i++]) parts[i] = memory;
  planes->layout = *layout;
  planes->slots = slots_of(layout);
  planes->known =
      (KnownPlanes){(int32_t *)(void *)parts[NUMBERS], (int32_t *)(void *)parts[ERRORS],
                    (int32_t *)(void *)parts[ACTIVITY], area_of(layout), layout->columns + 2 * BORDER};
  planes->fit = (Equations){.places = planes->places,
                            .strips = strips_of(layout),
                            .sums = (int32_t *)(void *)parts[SUMS],
                            .weights = (int32_t *)(void *)parts[WEIGHTS]};
  planes->learned = (Acquired){.distributions = (uint16_t *)(void *)parts[DISTRIBUTED],
                               .weights = (int32_t *)(void *)parts[MIXING],
                               .models = (uint32_t *)(void *)parts[EXPERIENCE],
                               .widths = (int32_t *)(void *)parts[EXPECTED],
                               .biases = (int32_t *)(void *)parts[MISSED],
                               .first = curves->first,
                               .rates = curves->rates};
  for (int i = 0; i < 4 * (SIZES / 3); i++) planes->learned.weights[i] = ONE / MIXED;
  for (int i = 0; i < MODELS; i++) planes->learned.models[i] = 1u << 31;
  for (int i = 0; i < SIZES; i++) planes->learned.widths[2 * i] = FIRST_WIDTH;
  if (!layout->mask) {
    memset(parts[MASK], 1, (size_t)layout->numbers);
    planes->layout.mask = parts[MASK];
  }
  planes->coder =
      (RangeCoder){.range = RANGE_FULL, .size = stream.size, .data = (uint8_t *)(uintptr_t)stream.data};
  return planes;
}

/* Makes a place for the next plane. */
static void make_place(Planes *planes) {
  const KnownPlanes *known = &planes->known;
  if (planes->slot < planes->slots) return;
  int64_t to = planes->layout.first * known->area, from = (planes->slots - KEPT) * known->area;
  size_t size = (size_t)(KEPT * known->area) * sizeof(int32_t);
  memmove(known->planes + to, known->planes + from, size);
  planes->slot = planes->layout.first + KEPT;
}

/* Sets up the equations of the next plane: they start afresh. */
static void begin_equations(Planes *planes) {
  Equations *fit = &planes->fit;
  int64_t slot = planes->slot, others = 0, area = planes->known.area;
  for (int64_t i = 0; i < slot; i++) {
    if (i < planes->layout.first || i >= slot - planes->layout.last) {
      planes->places[others++] = (i - slot) * area;
    }
  }
  fit->others = others;
  fit->inputs = 2 + OWN_PLACES + 2 * others;
  memset(fit->sums, 0, (size_t)(4 * fit->strips * sums_of(fit->inputs)));
  memset(fit->weights, 0, (size_t)(4 * fit->strips * fit->inputs));
}

const int32_t *next_plane(Planes *planes) {
  const KnownPlanes *known = &planes->known;
  const Layout *layout = &planes->layout;
  int64_t strips = layout->lines * ((layout->columns + STRIP - 1) / STRIP), slot;
  if (!planes->started) pcai_range_start_reading(&planes->coder);
  planes->started = 1;
  make_place(planes);
  begin_equations(planes);
  slot = planes->slot++;
  pcai_bands_read(slot, 0, strips, layout->mask, layout->columns, known, &planes->fit, &planes->learned,
                  &planes->coder);
  int32_t *activity = (int32_t *)(uintptr_t)known->activity;
  const int32_t *errors = known->errors;
  for (int64_t i = 0; i < known->area; i++) {
    int32_t error = errors[i] < MOST_ACTIVE ? errors[i] : MOST_ACTIVE;
    activity[i] += error - ((activity[i] * 5) >> 5);
  }
  return known->planes + slot * known->area + BORDER * known->stride + BORDER;
}
