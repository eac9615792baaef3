/* A driver of GDAL: .pcai files in QGIS, gdal_translate, rasterio and all else that reads rasters by it.
 *
 * Bands are channels, those of a stack's images one after the other, and opacity is the last one. Only the parts
 * that a window needs are decoded, and of files in tiles only those are read, too; halves, quarters and eighths are
 * overviews, which cost less than the whole.
 */
#include "rgba.h"
#include "tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <cpl_json.h>
#include <cpl_string.h>
#include <gdal_pam.h>

namespace {

const char SIGNATURE[] = "\x89PCAI\r\n\x1a";
const int STRIP = 64;                        /* lines that are made together */
const vsi_l_offset LONGEST = 1ull << 34;     /* bytes of a file */
const size_t MOST_TEXT = 1 << 24;            /* of metadata, when inflated (docs/bands.md) */
const uint64_t PLAUSIBLE = 80000000;         /* bytes of pixels that any file may claim (docs/reliability.md), and for */
const uint64_t PIXELS_PER_BYTE = 256;        /* each of its bytes */

struct File {
  std::vector<uint8_t> data;
  Shown shown{};
  int64_t k = 0;
  std::vector<bool> decoded = {};
  std::unique_ptr<Tiles> tiles = {}; /* if not all of it was read: then data are its beginning */

  ~File() { close_shown(&shown); }

  const char *reason() const { return pcai_reason(shown.file, nullptr); }

  /* Decodes the parts that take part in lines. */
  bool decode(int64_t start, int64_t stop) {
    for (int64_t part = 0; part < shown.info->parts; part++) {
      int64_t first = 0, last = 0;
      if (decoded[size_t(part)] || pcai_lines_of(shown.file, part, &first, &last)) continue;
      if (first >= stop || last <= start) continue;
      if (pcai_decode(shown.file, part, k)) return false;
      decoded[size_t(part)] = true;
    }
    return true;
  }

  bool lines(int64_t start, int64_t stop, int64_t reduction, void *to, size_t apart) {
    const int64_t total = shown.info->lines, tall = shown.info->height, rows = reduced_side(tall, reduction);
    const int64_t first = start / rows * tall + start % rows * reduction;
    const int64_t last = (stop - 1) / rows * tall + ((stop - 1) % rows + 1) * reduction;
    if (!decode(first, std::min(last, total))) return false;
    int fault = pcai_lines(shown.file, k, start, stop, reduction, to, apart);
    if (fault == PCAI_UNREADY && decode(0, total))
      fault = pcai_lines(shown.file, k, start, stop, reduction, to, apart);
    return !fault;
  }

  /* The whole payload of an ancillary chunk; empty if there is none. */
  std::string chunk(char kind) const {
    const pcai_chunk *chunks = nullptr;
    const int64_t count = pcai_chunks(shown.file, &chunks);
    for (int64_t i = 0; i < count; i++) {
      if (chunks[i].kind == kind)
        return std::string(data.begin() + chunks[i].payload, data.begin() + chunks[i].stop - 4);
    }
    return {};
  }

  /* The text of a chunk whose zlib stream begins at a place. */
  std::string text(char kind, size_t place) const {
    const std::string packed = chunk(kind);
    if (packed.size() <= place) return {};
    std::string found(MOST_TEXT, '\0');
    size_t size = 0;
    if (!CPLZLibInflate(packed.data() + place, packed.size() - place, &found[0], found.size(), &size)) return {};
    found.resize(size);
    return found;
  }
};

GDALDataType type_of(const pcai_info *info) {
  switch (info->type) {
    case PCAI_U8: return GDT_Byte;
    case PCAI_U16: return GDT_UInt16;
    case PCAI_I16: return GDT_Int16;
    default: return GDT_Float32;
  }
}

class Dataset final : public GDALPamDataset {
 public:
  Dataset(std::shared_ptr<File> opened, int64_t reduced);

  static int Identify(GDALOpenInfo *info) {
    return info->nHeaderBytes >= 8 && !memcmp(info->pabyHeader, SIGNATURE, 8);
  }
  static GDALDataset *Open(GDALOpenInfo *info);

  const OGRSpatialReference *GetSpatialRef() const override {
    return reference.IsEmpty() ? GDALPamDataset::GetSpatialRef() : &reference;
  }
  CPLErr GetGeoTransform(double *six) override {
    if (!has_transform) return GDALPamDataset::GetGeoTransform(six);
    std::copy(transform, transform + 6, six);
    return CE_None;
  }

  const uint8_t *made(int64_t line);
  CPLErr read_tile(int column, int row, int band, void *to);
  void describe();

  std::shared_ptr<File> file;
  const int64_t reduction, rows, number; /* of bytes of a number */
  const size_t apart;
  std::vector<std::unique_ptr<Dataset>> smaller;

 private:
  bool make(int64_t line);
  const char *make_tile(int column, int row);
  void copy_channel(int64_t channel, int columns, int lines, int64_t block, void *to) const;
  void locate(const CPLJSONObject &about);
  bool lies_as(const std::string &name, const std::string &content, const char *driver);
  void describe_bands(const CPLJSONObject &about);

  std::vector<uint8_t> strip;
  int64_t from = 0, to = 0; /* the lines in it */
  int at_column = -1, at_row = -1; /* or the tile */
  OGRSpatialReference reference;
  bool has_transform = false;
  double transform[6] = {0, 1, 0, 0, 0, 1};
};

class Plane : public GDALPamRasterBand {
 public:
  Plane(Dataset *owner, int band, int lines) {
    const Tiles *tiles = owner->file->tiles.get();
    poDS = owner;
    nBand = band;
    nRasterXSize = owner->GetRasterXSize();
    nRasterYSize = owner->GetRasterYSize();
    eDataType = type_of(owner->file->shown.info);
    nBlockXSize = tiles ? int(reduced_side(tiles->wide, owner->reduction)) : nRasterXSize;
    nBlockYSize = tiles ? int(reduced_side(tiles->high, owner->reduction)) : std::min(lines, nRasterYSize);
  }
};

class Band final : public Plane {
 public:
  Band(Dataset *owner, int band, int64_t image, int64_t channel)
      : Plane(owner, band, STRIP), image(image), channel(channel) {}

  CPLErr IReadBlock(int column, int row, void *to) override {
    Dataset *owner = static_cast<Dataset *>(poDS);
    if (owner->file->tiles) return owner->read_tile(column, row, nBand, to);
    const int64_t number = owner->number, channels = owner->file->shown.info->channels;
    const int stop = std::min((row + 1) * nBlockYSize, nRasterYSize);
    uint8_t *next = static_cast<uint8_t *>(to);
    for (int y = row * nBlockYSize; y < stop; y++) {
      const uint8_t *line = owner->made(image * owner->rows + y);
      if (!line) return CE_Failure;
      for (int x = 0; x < nRasterXSize; x++, next += number)
        memcpy(next, line + (x * channels + channel) * number, size_t(number));
    }
    return CE_None;
  }

  GDALColorInterp GetColorInterpretation() override {
    const pcai_info *info = static_cast<Dataset *>(poDS)->file->shown.info;
    if (info->type > PCAI_U16 || info->channels == 2 || info->channels > 4 || info->images > 1) return GCI_Undefined;
    return info->channels == 1 ? GCI_GrayIndex : channel < 3 ? GDALColorInterp(GCI_RedBand + channel) : GCI_Undefined;
  }

  double GetNoDataValue(int *known) override {
    if (known) *known = has_nodata;
    return nodata;
  }
  double GetScale(int *known) override {
    if (known) *known = has_scale;
    return scale;
  }
  double GetOffset(int *known) override {
    if (known) *known = has_scale;
    return offset;
  }
  const char *GetUnitType() override { return unit.c_str(); }

  int GetOverviewCount() override {
    const auto &smaller = static_cast<Dataset *>(poDS)->smaller;
    return smaller.empty() ? GDALPamRasterBand::GetOverviewCount() : int(smaller.size());
  }
  GDALRasterBand *GetOverview(int level) override {
    const auto &smaller = static_cast<Dataset *>(poDS)->smaller;
    if (smaller.empty()) return GDALPamRasterBand::GetOverview(level);
    return level < 0 || size_t(level) >= smaller.size() ? nullptr : smaller[size_t(level)]->GetRasterBand(nBand);
  }

  /* What the file says is no change that GDAL would keep beside it. */
  void own(const char *name, const std::string &value, const char *domain = "") {
    GDALMajorObject::SetMetadataItem(name, value.c_str(), domain);
  }
  void named(const std::string &text) { GDALMajorObject::SetDescription(text.c_str()); }

  bool has_nodata = false, has_scale = false;
  double nodata = 0, scale = 1, offset = 0;
  std::string unit;

 private:
  const int64_t image, channel;
};

class Opacity final : public Plane {
 public:
  Opacity(Dataset *owner, int band) : Plane(owner, band, INT32_MAX) {}

  CPLErr IReadBlock(int, int, void *to) override {
    const File &file = *static_cast<Dataset *>(poDS)->file;
    if (!pcai_alpha(file.shown.file, to)) return CE_None;
    CPLError(CE_Failure, CPLE_FileIO, "%s", file.reason());
    return CE_Failure;
  }

  GDALColorInterp GetColorInterpretation() override { return GCI_AlphaBand; }
};

Dataset::Dataset(std::shared_ptr<File> opened, int64_t reduced)
    : file(std::move(opened)),
      reduction(reduced),
      rows(reduced_side(file->shown.info->height, reduced)),
      number(GDALGetDataTypeSizeBytes(type_of(file->shown.info))),
      apart(size_t(reduced_side(file->shown.info->width, reduced) * file->shown.info->channels * number)) {
  const pcai_info *info = file->shown.info;
  nRasterXSize = int(reduced_side(info->width, reduced));
  nRasterYSize = int(rows);
  for (int64_t band = 0; band < info->images * info->channels; band++)
    SetBand(int(band) + 1, new Band(this, int(band) + 1, band / info->channels, band % info->channels));
  GDALMajorObject::SetMetadataItem("INTERLEAVE", "PIXEL", "IMAGE_STRUCTURE");
  GDALMajorObject::SetMetadataItem("COMPRESSION", "PCA", "IMAGE_STRUCTURE");
  GDALMajorObject::SetMetadataItem("COMPONENTS", CPLSPrintf("%d", int(file->k)), "IMAGE_STRUCTURE");
}

/* A line of all channels; none if it cannot be decoded. */
const uint8_t *Dataset::made(int64_t line) {
  if ((line < from || line >= to) && !make(line)) {
    from = to = 0;
    CPLError(CE_Failure, CPLE_FileIO, "%s", file->reason());
    return nullptr;
  }
  return strip.data() + size_t(line - from) * apart;
}

/* Makes the lines that are corrected together with one, or a strip. */
bool Dataset::make(int64_t line) {
  const pcai_info *info = file->shown.info;
  const bool corrected = info->corrections && reduction == 1 && file->k == info->k;
  int64_t part = 0;
  from = line / rows * rows + line % rows / STRIP * STRIP;
  to = std::min(from + STRIP, (line / rows + 1) * rows);
  for (; corrected && part < info->corrections; part++) {
    if (pcai_corrected(file->shown.file, part, &from, &to)) return false;
    if (line >= from && line < to) break;
  }
  strip.resize(size_t(to - from) * apart);
  return file->lines(from, to, reduction, strip.data(), apart) &&
         !(corrected && pcai_correct(file->shown.file, part, strip.data(), apart));
}

/* Decodes a tile with all its channels; returns a sentence on what is wrong. */
const char *Dataset::make_tile(int column, int row) {
  static const char UNREAD[] = "A part of the file cannot be read, or is not where the file says.";
  const std::string data = file->tiles->tile(row, column, file->k);
  if (data.empty()) return UNREAD;
  Shown shown;
  const char *fault = open_claiming(&shown, data.data(), data.size(), file->shown.host.most_unbacked);
  const pcai_info *info = fault ? nullptr : shown.info;
  bool failed = false;
  for (int64_t part = 0; info && part < info->parts && !failed; part++)
    failed = pcai_decode(shown.file, part, info->k) != PCAI_OK;
  if (info && !failed) {
    const int64_t lines = reduced_side(info->height, reduction);
    const size_t line = size_t(reduced_side(info->width, reduction) * info->channels * number);
    strip.resize(size_t(lines) * line);
    failed = pcai_lines(shown.file, info->k, 0, lines, reduction, strip.data(), line) ||
             (info->corrections && reduction == 1 && pcai_correct(shown.file, 0, strip.data(), line));
  }
  if (failed) fault = pcai_reason(shown.file, nullptr);
  close_shown(&shown);
  return fault;
}

void Dataset::copy_channel(int64_t channel, int columns, int lines, int64_t block, void *to) const {
  const int64_t channels = file->shown.info->channels;
  const uint8_t *from = strip.data() + channel * number;
  for (int y = 0; y < lines; y++) {
    uint8_t *next = static_cast<uint8_t *>(to) + y * block * number;
    for (int x = 0; x < columns; x++, next += number, from += channels * number) memcpy(next, from, size_t(number));
  }
}

/* Gives a band's part of a tile, and those of all others to GDAL's cache: they were decoded with it. */
CPLErr Dataset::read_tile(int column, int row, int band, void *to) {
  int wide = 0, high = 0, columns = 0, lines = 0;
  GetRasterBand(band)->GetBlockSize(&wide, &high);
  GetRasterBand(band)->GetActualBlockSize(column, row, &columns, &lines);
  const bool fresh = column != at_column || row != at_row;
  if (fresh) {
    at_column = at_row = -1;
    const char *fault = make_tile(column, row);
    if (!fault && int64_t(strip.size()) != int64_t(columns) * lines * file->shown.info->channels * number)
      fault = "The file's tiles have other sides than it says.";
    if (fault) {
      CPLError(CE_Failure, CPLE_FileIO, "%s", fault);
      return CE_Failure;
    }
    at_column = column, at_row = row;
  }
  copy_channel(band - 1, columns, lines, wide, to);
  if (!fresh || int64_t(strip.size()) > GDALGetCacheMax64() / 4) return CE_None;
  for (int other = 1; other <= GetRasterCount(); other++) {
    GDALRasterBlock *block = other == band ? nullptr : GetRasterBand(other)->GetLockedBlockRef(column, row, TRUE);
    if (!block) continue;
    copy_channel(other - 1, columns, lines, wide, block->GetDataRef());
    block->DropLock();
  }
  return CE_None;
}

/* Writes a file into memory, which must stay as long as it does. */
void put(const std::string &name, const std::string &content) {
  GByte *bytes = const_cast<GByte *>(reinterpret_cast<const GByte *>(content.data()));
  VSIFCloseL(VSIFileFromMemBuffer(name.c_str(), bytes, content.size(), FALSE));
}

void append(std::string &to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) to.push_back(char(value >> (8 * i)));
}

/* A TIFF of one pixel with some tags. */
std::string tiff_with(const CPLJSONArray &tags) {
  struct Entry {
    unsigned code, kind, count;
    std::string value;
  };
  std::vector<Entry> entries;
  for (unsigned code : {256u, 257u, 277u, 278u, 279u}) entries.push_back({code, 3, 1, std::string("\1\0", 2)});
  entries.push_back({258, 3, 1, std::string("\10\0", 2)});
  entries.push_back({259, 3, 1, std::string("\1\0", 2)});
  entries.push_back({262, 3, 1, std::string("\1\0", 2)});
  entries.push_back({273, 4, 1, std::string("\0\0\0\0", 4)});
  for (int i = 0; i < tags.Size(); i++) {
    const CPLJSONArray tag = tags[i].ToArray();
    if (tag.Size() != 4 || tag[0].ToInteger() < 33550) continue;
    std::string text = tag[3].ToString();
    const int size = CPLBase64DecodeInPlace(reinterpret_cast<GByte *>(&text[0]));
    if (size <= 0 || tag[2].ToLong() > size || tag[2].ToLong() * 8 < size) continue; /* a value has 1 to 8 bytes */
    entries.push_back({unsigned(tag[0].ToInteger()), unsigned(tag[1].ToInteger()), unsigned(tag[2].ToInteger()),
                       text.substr(0, size_t(size))});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.code < b.code; });
  std::string file("II\x2a\0\x8\0\0\0", 8), values;
  append(file, entries.size(), 2);
  const size_t begin = 8 + 2 + 12 * entries.size() + 4;
  for (Entry &entry : entries) {
    append(file, entry.code, 2);
    append(file, entry.kind, 2);
    append(file, entry.count, 4);
    entry.value.resize(std::max<size_t>(4, entry.value.size() + entry.value.size() % 2));
    if (entry.value.size() > 4) append(file, begin + values.size(), 4);
    else file += entry.value;
    if (entry.value.size() > 4) values += entry.value;
  }
  append(file, 0, 4);
  return file + values + std::string(4, '\0');
}

/* The header of an ENVI file with some fields: of two pixels, as GDAL looks at no shorter file. */
std::string envi_with(const CPLJSONArray &fields) {
  std::string text = "ENVI\nsamples = 2\nlines = 1\nbands = 1\ndata type = 1\ninterleave = bsq\nbyte order = 0\n";
  for (int i = 0; i < fields.Size(); i++) {
    const CPLJSONArray field = fields[i].ToArray();
    const std::string name = field.Size() == 2 ? field[0].ToString() : "";
    if (name == "map info" || name == "coordinate system string" || name == "projection info")
      text += name + " = " + field[1].ToString() + "\n";
  }
  return text;
}

/* Takes over where a picture in memory lies, as one of GDAL's own drivers reads it. */
bool Dataset::lies_as(const std::string &name, const std::string &content, const char *driver) {
  put(name, content);
  const char *drivers[] = {driver, nullptr};
  /* Whoever reads by HTTP lets GDAL look for no files beside an image, but a header in memory is to be found. */
  const CPLConfigOptionSetter looking("GDAL_DISABLE_READDIR_ON_OPEN", "NO", false);
  CPLPushErrorHandler(CPLQuietErrorHandler);
  std::unique_ptr<GDALDataset> found(
      GDALDataset::Open(name.c_str(), GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers));
  CPLPopErrorHandler();
  if (found) {
    has_transform = found->GetGeoTransform(transform) == CE_None;
    if (found->GetSpatialRef()) reference = *found->GetSpatialRef();
    if (found->GetMetadata("RPC")) GDALMajorObject::SetMetadata(found->GetMetadata("RPC"), "RPC");
  }
  found.reset();
  VSIUnlink(name.c_str());
  return has_transform || !reference.IsEmpty();
}

void Dataset::locate(const CPLJSONObject &about) {
  const std::string name = CPLSPrintf("/vsimem/pcai-%p", static_cast<void *>(this));
  const CPLJSONArray tags = about.GetArray("tags"), fields = about.GetArray("fields");
  if (tags.IsValid() && tags.Size() && lies_as(name + ".tif", tiff_with(tags), "GTiff")) return;
  if (!fields.IsValid() || !fields.Size()) return;
  const std::string header = envi_with(fields);
  put(name + ".hdr", header);
  lies_as(name + ".dat", std::string(2, '\0'), "ENVI");
  VSIUnlink((name + ".hdr").c_str());
}

/* The number of a list, by band; NaN where there is none. */
double entry_of(const CPLJSONArray &list, int64_t place) {
  return list.IsValid() && place < list.Size() ? list[int(place)].ToDouble() : std::nan("");
}

void Dataset::describe_bands(const CPLJSONObject &about) {
  const pcai_info *info = file->shown.info;
  const CPLJSONArray names = about.GetArray("names"), waves = about.GetArray("wavelengths");
  const CPLJSONArray widths = about.GetArray("widths"), scales = about.GetArray("scales"), offsets = about.GetArray("offsets");
  const std::string unit = about.GetString("unit"), nodata = about.GetString("nodata");
  const double micrometres = unit == "nm" ? 1e-3 : unit == "\u00b5m" ? 1 : 0;
  for (int64_t number = 0; number < info->images * info->channels; number++) {
    Band *band = static_cast<Band *>(GetRasterBand(int(number) + 1));
    const int64_t channel = number % info->channels;
    band->has_nodata = !nodata.empty() || info->type == PCAI_F32;
    band->nodata = nodata.empty() ? std::nan("") : CPLAtof(nodata.c_str());
    band->has_scale = (scales.IsValid() && scales.Size()) || (offsets.IsValid() && offsets.Size());
    const double scale = entry_of(scales, channel), offset = entry_of(offsets, channel);
    band->scale = std::isnan(scale) ? 1 : scale;
    band->offset = std::isnan(offset) ? 0 : offset;
    band->unit = about.GetString("value_unit");
    const double wave = entry_of(waves, channel), width = entry_of(widths, channel);
    std::string text = names.IsValid() && channel < names.Size() ? names[int(channel)].ToString() : "";
    if (!std::isnan(wave)) {
      const std::string value = CPLSPrintf("%.15g", wave);
      band->own("wavelength", value);
      band->own("wavelength_units", unit == "nm" ? "Nanometers" : micrometres ? "Micrometers" : unit);
      if (micrometres) band->own("CENTRAL_WAVELENGTH_UM", CPLSPrintf("%.15g", wave * micrometres), "IMAGERY");
      if (micrometres && !std::isnan(width)) band->own("FWHM_UM", CPLSPrintf("%.15g", width * micrometres), "IMAGERY");
      if (text.empty()) text = value + (unit.empty() ? "" : " " + unit);
    }
    band->named(text);
  }
}

/* Tells what the file knows beside its numbers. */
void Dataset::describe() {
  CPLJSONDocument document;
  const std::string bands = file->text('b', 1), packet = file->text('r', 0);
  CPLPushErrorHandler(CPLQuietErrorHandler);
  const bool read = !bands.empty() && document.LoadMemory(bands);
  CPLPopErrorHandler();
  const CPLJSONObject about = read ? document.GetRoot() : CPLJSONObject();
  describe_bands(about);
  locate(about);
  if (!packet.empty()) {
    const char *texts[] = {packet.c_str(), nullptr};
    GDALMajorObject::SetMetadata(const_cast<char **>(texts), "xml:XMP");
  }
}

/* Reads a file; whether that was possible. */
bool read_all(VSILFILE *file, vsi_l_offset size, std::vector<uint8_t> &data) {
  if (size > LONGEST) return false;
  try {
    data.resize(size_t(size));
  } catch (const std::bad_alloc &) {
    CPLError(CE_Failure, CPLE_OutOfMemory, "There is not enough memory for the file.");
    return false;
  }
  VSIFSeekL(file, 0, SEEK_SET);
  return VSIFReadL(data.data(), 1, data.size(), file) == data.size();
}

GDALDataset *Dataset::Open(GDALOpenInfo *info) {
  if (!Identify(info) || !info->fpL) return nullptr;
  if (info->eAccess == GA_Update) {
    CPLError(CE_Failure, CPLE_NotSupported, "%s: .pcai files are only read.", info->pszFilename);
    return nullptr;
  }
  auto file = std::make_shared<File>();
  VSIFSeekL(info->fpL, 0, SEEK_END);
  const vsi_l_offset size = VSIFTellL(info->fpL);
  file->tiles = Tiles::of(info->fpL, size);
  if (file->tiles) {
    info->fpL = nullptr; /* it is the tiles' now */
    const std::string &front = file->tiles->front();
    file->data.assign(front.begin(), front.end());
  } else if (!read_all(info->fpL, size, file->data)) {
    return nullptr;
  }
  /* What a file may claim is as much as its length makes plausible, however little of it is read. */
  const uint64_t unbacked = file->tiles ? PLAUSIBLE + PIXELS_PER_BYTE * size : PLAUSIBLE;
  const char *fault = open_claiming(&file->shown, file->data.data(), file->data.size(), unbacked);
  const pcai_info *about = fault ? nullptr : file->shown.info;
  if (about && (std::max(about->width, about->height) > INT32_MAX || about->images * about->channels >= 65536))
    fault = "It is larger than what GDAL reads.";
  if (fault) {
    CPLError(CE_Failure, CPLE_AppDefined, "%s: %s", info->pszFilename, fault);
    return nullptr;
  }
  const int64_t components = file->tiles ? file->tiles->components() : about->k;
  file->k = std::min<int64_t>(components, CPLAtoGIntBig(CSLFetchNameValueDef(info->papszOpenOptions, "K", "0")));
  if (file->k < 1) file->k = components;
  file->decoded.resize(size_t(about->parts));
  std::unique_ptr<Dataset> found(new Dataset(file, 1));
  found->describe();
  if (about->alpha) found->SetBand(int(about->channels) + 1, new Opacity(found.get(), int(about->channels) + 1));
  const bool missing = static_cast<Band *>(found->GetRasterBand(1))->has_nodata;
  for (int64_t reduction = 2; reduction <= 8 && !missing && !about->alpha; reduction *= 2)
    if (!file->tiles || file->tiles->fits(reduction)) found->smaller.emplace_back(new Dataset(file, reduction));
  found->SetDescription(info->pszFilename);
  found->TryLoadXML();
  if (found->smaller.empty()) found->oOvManager.Initialize(found.get(), info->pszFilename); /* those of gdaladdo -ro */
  return found.release();
}

}  // namespace

extern "C" CPL_DLL void GDALRegister_PCAI() {
  if (!GDAL_CHECK_VERSION("PCAI") || GDALGetDriverByName("PCAI")) return;
  auto *driver = new GDALDriver;
  driver->SetDescription("PCAI");
  driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
  driver->SetMetadataItem(GDAL_DCAP_VIRTUALIO, "YES");
  driver->SetMetadataItem(GDAL_DMD_LONGNAME, "Image compressed by principal component analysis");
  driver->SetMetadataItem(GDAL_DMD_EXTENSION, "pcai");
  driver->SetMetadataItem(GDAL_DMD_MIMETYPE, "image/x-pcaimage");
  driver->SetMetadataItem(GDAL_DMD_OPENOPTIONLIST,
                          "<OpenOptionList><Option name='K' type='int' min='1' "
                          "description='Number of components to decode; all by default'/></OpenOptionList>");
  driver->pfnIdentify = Dataset::Identify;
  driver->pfnOpen = Dataset::Open;
  GetGDALDriverManager()->RegisterDriver(driver);
}
