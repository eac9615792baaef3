#include "tiles.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <cpl_conv.h>

namespace {

const uint64_t GAP = 1 << 12;       /* bytes that are read with what is on both sides of them */
const uint64_t HEAD = 1 << 16;      /* bytes at the beginning of a file that are read at once; smaller files are read whole */
const uint64_t MOST_FRONT = 1 << 28;
const size_t MOST_MASK = size_t(1) << 31; /* places of masks: a byte each */
const int64_t MOST_SIDE = 1 << 24, MOST_SLICES = 1024;
const size_t SIGNED = 9, RECORD = 9; /* bytes of signature and version, and of a header, before anything else */

uint32_t checksum_of(const std::string &data) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; i++) {
      made[i] = i;
      for (int bit = 0; bit < 8; bit++) made[i] = (made[i] >> 1) ^ (made[i] & 1 ? 0xEDB88320u : 0);
    }
    return made;
  }();
  uint32_t rest = 0xFFFFFFFFu;
  for (char byte : data) rest = (rest >> 8) ^ table[(rest ^ uint8_t(byte)) & 255];
  return ~rest;
}

std::string word_of(uint32_t value) {
  std::string word;
  for (int i = 0; i < 4; i++) word.push_back(char(value >> (8 * i)));
  return word;
}

uint32_t word_at(const std::string &data, size_t place) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value |= uint32_t(uint8_t(data[place + size_t(i)])) << (8 * i);
  return value;
}

std::string number_of(uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes.push_back(char(value & 127 | 128));
  bytes.push_back(char(value));
  return bytes;
}

/* A number at a place, which moves behind it; whether there is one. */
bool read_number(const std::string &data, size_t &place, uint64_t &value) {
  value = 0;
  for (int i = 0; i < 6 && place < data.size(); i++) {
    const uint8_t byte = uint8_t(data[place++]);
    value |= uint64_t(byte & 127) << (7 * i);
    if (byte < 128) return true;
  }
  return false;
}

std::string chunk_of(char kind, const std::string &payload) {
  const std::string chunk = kind + number_of(payload.size()) + payload;
  return chunk + word_of(checksum_of(chunk));
}

}  // namespace

std::unique_ptr<Tiles> Tiles::of(VSILFILE *file, uint64_t size) {
  std::unique_ptr<Tiles> found(new Tiles(file, size));
  if (size > HEAD && found->begin()) return found;
  found->file = nullptr; /* which stays the caller's */
  return nullptr;
}

/* Reads ranges in rising order, neighbours of them together. */
bool Tiles::read(const std::vector<Range> &ranges, std::vector<std::string> &found) const {
  std::vector<Range> together;
  for (const Range &range : ranges) {
    if (range.second < range.first || range.second > size) return false;
    if (!together.empty() && range.first >= together.back().second && range.first - together.back().second <= GAP)
      together.back().second = range.second;
    else together.push_back(range);
  }
  std::vector<std::string> blocks;
  std::vector<void *> places;
  std::vector<vsi_l_offset> offsets;
  std::vector<size_t> sizes;
  for (const Range &range : together) blocks.emplace_back(size_t(range.second - range.first), '\0');
  for (size_t i = 0; i < blocks.size(); i++) {
    if (blocks[i].empty()) continue;
    places.push_back(&blocks[i][0]);
    offsets.push_back(together[i].first);
    sizes.push_back(blocks[i].size());
  }
  if (!places.empty() &&
      VSIFReadMultiRangeL(int(places.size()), places.data(), offsets.data(), sizes.data(), file) != 0)
    return false;
  found.clear();
  for (size_t i = 0, block = 0; i < ranges.size(); i++) {
    while (ranges[i].first < together[block].first || ranges[i].second > together[block].second) block++;
    found.push_back(blocks[block].substr(size_t(ranges[i].first - together[block].first),
                                         size_t(ranges[i].second - ranges[i].first)));
  }
  return true;
}

/* Reads what comes before the numbers, and finds where these are. Whatever is unusual is left to who reads the whole. */
bool Tiles::begin() {
  std::vector<std::string> found;
  if (!read({{0, HEAD}}, found)) return false;
  std::string start = found[0], header, lengths, masked;
  size_t place = SIGNED;
  while (true) {
    size_t payload = place + 1;
    uint64_t length = 0;
    const bool known = place < start.size() && read_number(start, payload, length);
    const char kind = place < start.size() ? start[place] : '\0';
    if (kind && std::strchr("CSGR", kind)) break;
    if (kind && std::strchr("ABTVE", kind)) return false;
    if (!known || payload + length + 4 > start.size()) {
      const uint64_t more = std::max<uint64_t>(2 * start.size(), known ? payload + length + 4 + HEAD : 0);
      if (start.size() >= size || more > MOST_FRONT || !read({{start.size(), std::min(more, size)}}, found)) return false;
      start += found[0];
      continue;
    }
    const std::string content = start.substr(payload, size_t(length));
    if (kind == 'H') header = content;
    if (kind == 'M') mean = content;
    if (kind == 'D') deviations = content;
    if (kind == 'N') masked = content;
    if (kind == 'l') lengths = content;
    place = payload + size_t(length) + 4;
  }
  beginning = start.substr(0, place) + chunk_of('E', number_of(0));
  return read_header(header) && locate(lengths, place) && components() <= samples && (masked.empty() || read_mask(masked));
}

/* Takes the sides from a header, which the library checks (docs/format.md, section 3). */
bool Tiles::read_header(const std::string &payload) {
  size_t place = RECORD;
  uint64_t lines = 0, columns = 0, sides[3] = {0, 0, 0};
  if (payload.size() < RECORD || payload[0] > 1 || !read_number(payload, place, lines)) return false;
  const bool bands = payload[0] == 1;
  if (bands && !read_number(payload, place, columns)) return false;
  if (bands) place += 9;
  if (!bands && (payload[3] & 4) && !read_number(payload, place, sides[0])) return false;
  sides_before = payload.substr(0, std::min(place, payload.size()));
  for (uint64_t &side : sides)
    if (!read_number(payload, place, side) || side < 1 || side > uint64_t(MOST_SIDE)) return false;
  height = int64_t(sides[0]), width = int64_t(sides[1]), channels = int64_t(sides[2]);
  const int64_t block = bands ? 1 : int64_t(payload[1]);
  if (block < 1 || lines > uint64_t(MOST_SIDE) || columns > uint64_t(MOST_SIDE)) return false;
  high = lines ? std::min(int64_t(lines) * block, height) : height;
  wide = columns ? std::min(int64_t(columns), width) : width;
  across = (width + wide - 1) / wide, down = (height + high - 1) / high;
  samples = ((height - (down - 1) * high + block - 1) / block) * ((width - (across - 1) * wide + block - 1) / block);
  return across * down > 1 && across * down <= MOST_SLICES;
}

/* Finds the chunks of components by their lengths, those that a trimmed file has, and corrections. */
bool Tiles::locate(const std::string &lengths, uint64_t place) {
  size_t at = 0;
  std::vector<uint64_t> stops = {place};
  while (at < lengths.size()) {
    uint64_t head = 0, length = 0;
    if (!read_number(lengths, at, head) || !read_number(lengths, at, length) || head > length) return false;
    const uint64_t payload = place + 1 + number_of(length).size();
    if (payload + length + 4 > size) break;
    chunks.push_back({{place, payload + head}, payload + length, {}, {}});
    place = payload + length + 4;
    stops.push_back(place);
  }
  std::vector<std::string> found;
  for (size_t count = 0; count < stops.size(); count++) {
    const std::string end = chunk_of('E', number_of(count));
    if (stops[count] + end.size() != size) continue;
    chunks.resize(count);
    return count > 0 && read({{size - end.size(), size}}, found) && found[0] == end;
  }
  const std::string end = chunk_of('E', number_of(chunks.size()));
  return place + end.size() < size && read({{size - end.size(), size}}, found) && found[0] == end &&
         find_corrections(place, size - end.size());
}

/* Finds where the corrections of each tile are, if nothing else is there. */
bool Tiles::find_corrections(uint64_t place, uint64_t stop) {
  const uint64_t count = uint64_t(across * down);
  uint64_t length = 0, known = 0;
  std::vector<std::string> found;
  if (!read({{place, std::min(stop, place + 1 + 3 * 6 + 4 * count)}}, found)) return false;
  const std::string &data = found[0];
  size_t at = 1;
  if (data[0] != 'R' || !read_number(data, at, length)) return false;
  const uint64_t payload = place + at;
  if (payload + length + 4 != stop || !read_number(data, at, known) || !read_number(data, at, corrections)) return false;
  if (known != chunks.size() || at + 4 * count > data.size()) return false;
  streams = {place + at + 4 * count};
  for (uint64_t i = 0; i < count; i++) streams.push_back(streams.back() + word_at(data, at + size_t(4 * i)));
  return streams.back() == payload + length;
}

/* Reads where nothing was measured (section 5.7). */
bool Tiles::read_mask(const std::string &payload) {
  if (payload.size() < 9) return false;
  before_mask = payload.substr(0, 9);
  const size_t pixels = size_t(height * width), bands = payload[0] == 1 ? size_t(channels) : 1;
  if (pixels > MOST_MASK / bands) return false;
  const size_t bytes = (pixels * bands + 7) / 8;
  size_t inflated = 0;
  try {
    std::vector<uint8_t> bits(bytes);
    mask.resize(pixels * bands);
    if (!CPLZLibInflate(payload.data() + 9, payload.size() - 9, bits.data(), bytes, &inflated) || inflated != bytes)
      return false;
    for (size_t i = 0; i < mask.size(); i++) {
      mask[i] = bits[i / 8] >> (7 - i % 8) & 1;
      if (i % pixels >= size_t(width)) mask[i] ^= mask[i - size_t(width)];
    }
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

/* The mask of a tile, as it stands in a file; nothing if all of it was measured. */
std::string Tiles::mask_of(int64_t top, int64_t bottom, int64_t left, int64_t right) const {
  const size_t rows = size_t(bottom - top), columns = size_t(right - left), pixels = size_t(height * width);
  std::vector<uint8_t> bits((mask.size() / std::max<size_t>(pixels, 1) * rows * columns + 7) / 8);
  bool any = false;
  size_t next = 0;
  for (size_t first = 0; first < mask.size(); first += pixels) {
    for (size_t row = 0; row < rows; row++) {
      const uint8_t *line = mask.data() + first + (size_t(top) + row) * size_t(width) + size_t(left);
      for (size_t column = 0; column < columns; column++, next++) {
        const int bit = line[column] ^ (row ? line[column - size_t(width)] : 0);
        bits[next / 8] |= uint8_t(bit << (7 - next % 8));
        any |= line[column];
      }
    }
  }
  size_t packed = 0;
  void *data = any ? CPLZLibDeflate(bits.data(), bits.size(), 1, nullptr, 0, &packed) : nullptr;
  std::string found = data ? before_mask + std::string(static_cast<char *>(data), packed) : "";
  VSIFree(data);
  return found;
}

/* Reads the beginning of components: their vectors, and how long their pieces are. */
bool Tiles::read_heads(int64_t k) {
  std::vector<Range> ranges;
  std::vector<int64_t> lacking;
  std::vector<std::string> found;
  for (int64_t number = 0; number < k; number++) {
    if (!chunks[size_t(number)].bounds.empty()) continue;
    lacking.push_back(number);
    ranges.push_back(chunks[size_t(number)].head);
  }
  if (ranges.empty()) return true;
  if (!read(ranges, found)) return false;
  for (size_t i = 0; i < lacking.size(); i++)
    if (!parse_head(found[i], lacking[i])) return false;
  return true;
}

bool Tiles::parse_head(const std::string &head, int64_t number) {
  Component &component = chunks[size_t(number)];
  size_t place = 1;
  uint64_t length = 0, named = 0, bytes = 0;
  if (head[0] != 'C' || !read_number(head, place, length) || !read_number(head, place, named)) return false;
  const size_t precision = place++;
  if (named != uint64_t(number) + 1 || !read_number(head, place, bytes) || bytes > head.size() - place) return false;
  place += size_t(bytes);
  component.vector = head.substr(precision, place - precision);
  std::vector<uint64_t> bounds = {component.head.second};
  for (int64_t i = 1; i < across * down; i++) {
    uint64_t piece = 0;
    if (!read_number(head, place, piece)) return false;
    bounds.push_back(bounds.back() + piece);
  }
  if (place != head.size() || bounds.back() > component.stop) return false;
  bounds.push_back(component.stop);
  component.bounds = std::move(bounds);
  return true;
}

std::string Tiles::tile(int64_t row, int64_t column, int64_t k) {
  if (!read_heads(k)) return {};
  const size_t number = size_t(row * across + column);
  std::vector<Range> ranges;
  std::vector<std::string> found;
  for (int64_t i = 0; i < k; i++) {
    const std::vector<uint64_t> &bounds = chunks[size_t(i)].bounds;
    ranges.push_back({bounds[number], bounds[number + 1]});
  }
  const bool corrected = !streams.empty() && k == components();
  if (corrected) ranges.push_back({streams[number], streams[number + 1]});
  if (!read(ranges, found)) return {};
  const int64_t top = row * high, bottom = std::min(top + high, height);
  const int64_t left = column * wide, right = std::min(left + wide, width);
  const std::string sides = number_of(uint64_t(bottom - top)) + number_of(uint64_t(right - left)) + number_of(uint64_t(channels));
  std::string made = beginning.substr(0, SIGNED) + chunk_of('H', sides_before + sides) + chunk_of('M', mean);
  if (!deviations.empty()) made += chunk_of('D', deviations);
  const std::string missing = mask.empty() ? "" : mask_of(top, bottom, left, right);
  if (!missing.empty()) made += chunk_of('N', missing);
  for (int64_t i = 0; i < k; i++)
    made += chunk_of('C', number_of(uint64_t(i) + 1) + chunks[size_t(i)].vector + found[size_t(i)]);
  if (corrected)
    made += chunk_of('R', number_of(uint64_t(k)) + number_of(corrections) + word_of(uint32_t(found.back().size())) + found.back());
  return made + chunk_of('E', number_of(uint64_t(k)));
}
