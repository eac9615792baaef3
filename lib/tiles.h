/* Files in tiles, of which GDAL's driver reads only what a window needs. */
#ifndef PCAI_TILES_H
#define PCAI_TILES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cpl_vsi.h>

/* What is at the beginning of a file, up to the numbers; where those of each tile are; and tiles as files of their own, as
 * docs/format.md, section 7, has them. */
class Tiles {
 public:
  /* Reads the beginning of a file; none if all of it must be read. */
  static std::unique_ptr<Tiles> of(VSILFILE *file, uint64_t size);

  ~Tiles() {
    if (file) VSIFCloseL(file);
  }
  Tiles(const Tiles &) = delete;
  Tiles &operator=(const Tiles &) = delete;

  /* All but the numbers, as a file: an image without components. */
  const std::string &front() const { return beginning; }
  int64_t components() const { return int64_t(chunks.size()); }

  /* The sides of the image, and of all tiles but the last ones. */
  int64_t height = 0, width = 0, high = 0, wide = 0;

  /* Whether tiles of a smaller picture are those of the whole, each by itself. */
  bool fits(int64_t reduction) const {
    return (across == 1 || wide % reduction == 0) && (down == 1 || high % reduction == 0);
  }

  /* Makes a tile the file of an image, of the first components; nothing if its bytes cannot be read. */
  std::string tile(int64_t row, int64_t column, int64_t k);

 private:
  typedef std::pair<uint64_t, uint64_t> Range;
  struct Component {
    Range head;    /* its chunk up to the pieces of tiles */
    uint64_t stop; /* of its payload */
    std::string vector;
    std::vector<uint64_t> bounds; /* of pieces, once the head was read */
  };

  Tiles(VSILFILE *opened, uint64_t bytes) : size(bytes), file(opened) {}

  bool begin();
  bool read_header(const std::string &payload);
  bool locate(const std::string &lengths, uint64_t place);
  bool find_corrections(uint64_t place, uint64_t stop);
  bool read_mask(const std::string &payload);
  bool read_heads(int64_t k);
  bool parse_head(const std::string &head, int64_t number);
  std::string mask_of(int64_t top, int64_t bottom, int64_t left, int64_t right) const;
  bool read(const std::vector<Range> &ranges, std::vector<std::string> &found) const;

  uint64_t size;
  std::string beginning, sides_before, mean, deviations;
  int64_t channels = 0, across = 0, down = 0;
  int64_t samples = 0; /* of the smallest tile: no image has more components */
  std::vector<Component> chunks;
  uint64_t corrections = 0; /* their kind */
  std::vector<uint64_t> streams; /* where the corrections of each tile begin, and the last ones end; none without any */
  std::string before_mask;
  std::vector<uint8_t> mask; /* a byte for each pixel, in each band that has a mask of its own */
  VSILFILE *file;
};

#endif
