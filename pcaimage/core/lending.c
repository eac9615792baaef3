/* Models: files whose basis others use without storing it (format.md, section 4.3). */
#include "file.h"

enum { ID = 16 };

/* SHA-256: FIPS 180-4. */
typedef struct {
  uint32_t state[8];
  uint8_t block[64];
  uint64_t size;
} Digest;

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void digest_block(Digest *digest) {
  static const uint32_t ROUNDS[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t words[64], s[8];
  memcpy(s, digest->state, sizeof s);
  for (int i = 0; i < 16; i++) {
    const uint8_t *at = digest->block + 4 * i;
    words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + words[i - 7] +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 64; i++) {
    uint32_t first = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + ROUNDS[i] + words[i];
    uint32_t second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof s[0]);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; i++) digest->state[i] += s[i];
}

static void add_bytes(Digest *digest, const uint8_t *data, int64_t size) {
  for (int64_t i = 0; i < size; i++) {
    digest->block[digest->size++ % 64] = data[i];
    if (digest->size % 64 == 0) digest_block(digest);
  }
}

static void add_byte(Digest *digest, int64_t byte) {
  uint8_t value = (uint8_t)byte;
  add_bytes(digest, &value, 1);
}

static void add_number(Digest *digest, int64_t number) {
  for (; number > 127; number >>= 7) add_byte(digest, (number & 127) | 128);
  add_byte(digest, number);
}

static void add_payload(Digest *digest, Bytes bytes) {
  add_number(digest, bytes.size);
  add_bytes(digest, bytes.data, bytes.size);
}

static void finish_digest(Digest *digest, uint8_t id[ID]) {
  uint64_t bits = 8 * digest->size;
  add_byte(digest, 128);
  while (digest->size % 64 != 56) add_byte(digest, 0);
  for (int i = 56; i >= 0; i -= 8) add_byte(digest, (int64_t)(bits >> i & 255));
  for (int i = 0; i < ID; i++) id[i] = (uint8_t)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
}

static void id_of(const pcai *model, uint8_t id[ID]) {
  const Header *header = &model->header;
  Digest digest = {
      {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
      {0},
      0};
  const int64_t fields[6] = {header->method,    header->type,       header->standardized,
                             header->mean_bits, header->scale_bits, header->value_bits};
  int64_t shape[3];
  sample_shape(header, shape);
  for (int i = 0; i < 6; i++) add_byte(&digest, fields[i]);
  for (int i = 0; i < 3; i++) add_number(&digest, shape[i]);
  add_number(&digest, model->info.k);
  add_payload(&digest, model->mean);
  add_payload(&digest, model->scale);
  for (int64_t i = 0; i < model->info.k; i++) {
    add_byte(&digest, model->components[i].precision);
    add_payload(&digest, model->components[i].vector);
  }
  finish_digest(&digest, id);
}

/* Whether an image can use the basis of a model, in the same units. */
static int is_compatible(const Header *a, const Header *b) {
  int64_t first[3], second[3];
  sample_shape(a, first);
  sample_shape(b, second);
  return a->method == b->method && a->block == b->block && a->type == b->type &&
         a->standardized == b->standardized && a->mean_bits == b->mean_bits &&
         a->scale_bits == b->scale_bits && a->value_bits == b->value_bits && first[0] == second[0] &&
         first[1] == second[1] && first[2] == second[2];
}

static const char *find_fault(const pcai *file, const pcai *model) {
  uint8_t id[ID];
  int same = 1;
  if (file->fault || model->fault) return "The file, or the model, could not be opened.";
  if (!file->info.lent) return "The image has its own basis, and needs no model.";
  if (model->header.method == PCAI_PHOTO)
    return "Only images in blocks, bands or a stack have a basis to give to others.";
  if (model->info.lent) return "The model has no basis of its own; that is in another model file.";
  if (!model->info.k) return "The model has no components.";
  id_of(model, id);
  for (int i = 0; i < ID; i++) same &= id[i] == file->info.model[i];
  if (!same || model->info.k != file->model_components)
    return "The image's basis is in another model than this one.";
  if (!is_compatible(&file->header, &model->header) || file->info.k > model->info.k) {
    return "The image does not fit the model that it names.";
  }
  return NULL;
}

API int pcai_lend(pcai *file, const pcai *model) {
  const char *reason = find_fault(file, model);
  if (reason) return fault_of(file, PCAI_MODEL, reason, -1);
  file->mean = model->mean;
  file->scale = model->scale;
  for (int64_t i = 0; i < file->info.k; i++) {
    file->components[i].precision = model->components[i].precision;
    file->components[i].vector = model->components[i].vector;
  }
  file->model = model;
  return PCAI_OK;
}
