#include "tables.h"

/* Names, types and numbers of all arrays; those of networks end in the digit of their group. */
typedef struct {
  char name[20], type[3];
  int64_t count;
} TableKind;

enum { ANY = -1 }; /* trained models of rows */

static const TableKind KINDS[] = {
    {"basis", "i2", 64},
    {"order", "u1", 3 * PLACES},
    {"prediction", "i2", 3 * 64 * 8},
    {"own", "i2", PLACES * PLACES},
    {"side", "i2", PLACES * PLACES},
    {"corner", "i2", PLACES * PLACES},
    {"causal", "i2", 4 * PLACES},
    {"level", "i2", PLACES},
    {"sign_target", "i2", PLACES * 4 * 8},
    {"sign_weight", "i2", PLACES * 4 * 8},
    {"logits", "i2", 65536},
    {"probabilities", "u2", 5631},
    {"rates", "u2", 1024},
    {"bins", "u1", 8192},
    {"shrink_gains", "i2", SHRINK_GRADES * 2 * 3 * SHRINK_GAINS},
    {"scores_trained", "u1", SCORES_ROWS},
    {"scores_logits", "i1", ANY},
    {"scores_counts", "u1", ANY},
    {"scores_weights", "i4", 1280 * 5},
    {"scores_more", "i4", 1536 * 5},
    {"signs_logits", "i2", 6928},
    {"signs_counts", "u1", 6928},
    {"signs_weights", "i4", 64 * 6},
    {"signs_more", "i4", 6},
    {"means_trained", "u1", MEANS_ROWS},
    {"means_logits", "i1", ANY},
    {"means_counts", "u1", ANY},
    {"means_weights", "i4", 1920 * 6},
    {"means_more", "i4", 96 * 6},
    {"mean_signs_logits", "i2", 9720},
    {"mean_signs_counts", "u1", 9720},
    {"escapes_logits", "i2", 72},
    {"escapes_counts", "u1", 72},
};

/* What is expected of an array, by its number. */
static TableKind kind_of(int number) {
  if (number >= TABLE_SCORES_TRAINED) return KINDS[number - 3 * NETWORK_GROUPS];
  if (number < TABLE_HIDDEN) return KINDS[number];
  int group = (number - TABLE_HIDDEN) % NETWORK_GROUPS, layer = (number - TABLE_HIDDEN) / NETWORK_GROUPS;
  Layers layers = layers_of(group);
  TableKind kinds[3] = {{"hidden_0", "i2", layers.units * layers.known},
                        {"thresholds_0", "i2", layers.units},
                        {"outputs_0", "i2", layers.results * layers.units}};
  TableKind kind = kinds[layer];
  int end = 0;
  while (kind.name[end + 1]) end++;
  kind.name[end] = (char)('0' + group);
  kind.count *= NETWORK_KINDS;
  return kind;
}

static int is_named(const uint8_t *name, int64_t length, const char *wanted) {
  int64_t same = 0;
  while (same < length && wanted[same] && (uint8_t)wanted[same] == name[same]) same++;
  return same == length && !wanted[same];
}

/* Whether there are as many trained models as rows are said to have. */
static int has_rows(const Tables *tables, int table, int64_t rows, const int64_t *counts) {
  int64_t total = 0;
  for (int64_t i = 0; i < rows; i++) total += tables->data[table][i];
  return counts[table + 1] == total && counts[table + 2] == total;
}

int find_tables(Tables *tables, int first, int last, const uint8_t *data, int64_t size) {
  int64_t counts[N_TABLES] = {0};
  int found = 0;
  for (int i = first; i < last; i++) tables->data[i] = NULL;
  for (int64_t place = 0; place < size;) {
    int64_t length = data[place], head = place + 1 + length, axes = head + 2 < size ? data[head + 2] : 0;
    if (head + 3 + 4 * axes > size) return 0;
    int64_t bytes = (int64_t)data[head + 1] - '0', begin = head + 3 + 4 * axes, count = 1;
    if (bytes < 1 || bytes > 8) return 0;
    for (int64_t axis = 0; axis < axes; axis++) {
      int64_t side = (uint32_t)i32_at(data + head + 3, axis);
      if (side > 0 && count > size / side) return 0;
      count *= side;
    }
    if (count * bytes > size - begin) return 0;
    for (int i = first; i < last; i++) {
      TableKind kind = kind_of(i);
      if (!is_named(data + place + 1, length, kind.name)) continue;
      if (!is_named(data + head, 2, kind.type) || (kind.count != ANY && kind.count != count)) return 0;
      found += !tables->data[i];
      tables->data[i] = data + begin;
      counts[i] = count;
    }
    place = begin + count * bytes;
  }
  if (found < last - first) return 0;
  return last <= TABLE_SCORES_TRAINED || (has_rows(tables, TABLE_SCORES_TRAINED, SCORES_ROWS, counts) &&
                                        has_rows(tables, TABLE_MEANS_TRAINED, MEANS_ROWS, counts));
}
