/* A plug-in of Qt for image formats: .pcai files in programs of KDE and others that read pictures by QImageReader. */
#include "rgba.h"

#include <QImageIOHandler>
#include <QImageIOPlugin>
#include <QVariant>

namespace {

class Handler : public QImageIOHandler {
 public:
  ~Handler() override {
    if (opened) close_shown(&shown);
  }

  static bool isOurs(QIODevice *device) { return device && device->peek(8) == QByteArray("\x89PCAI\r\n\x1a", 8); }

  bool canRead() const override {
    if (opened) return shown.info && next < shown.info->images;
    if (!isOurs(device())) return false;
    setFormat("pcai");
    return true;
  }

  bool read(QImage *image) override {
    if (!open() || next >= shown.info->images) return false;
    const QSize size = scaled.isValid() ? scaled : whole();
    const int64_t reduction = reduction_for(&shown, size.width(), size.height());
    QImage made;
    const QSize sides(int(reduced_side(shown.info->width, reduction)), int(reduced_side(shown.info->height, reduction)));
    const auto format = shown.info->alpha ? QImage::Format_RGBA8888 : QImage::Format_RGBX8888;
    if (!allocateImage(sides, format, &made)) return false;
    if (paint_shown(&shown, next++, reduction, made.bits(), size_t(made.bytesPerLine()))) return false;
    *image = made.size() == size ? made : made.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    return true;
  }

  bool supportsOption(ImageOption option) const override {
    return option == Size || option == ScaledSize || option == ImageFormat;
  }

  QVariant option(ImageOption option) const override {
    if (option == ScaledSize) return scaled;
    if (!const_cast<Handler *>(this)->open()) return {};
    if (option == Size) return whole();
    if (option == ImageFormat) return shown.info->alpha ? QImage::Format_RGBA8888 : QImage::Format_RGBX8888;
    return {};
  }

  void setOption(ImageOption option, const QVariant &value) override {
    if (option == ScaledSize) scaled = value.toSize();
  }

  int imageCount() const override { return const_cast<Handler *>(this)->open() ? int(shown.info->images) : 0; }
  int currentImageNumber() const override { return int(next) - 1; }
  bool jumpToNextImage() override { return jumpToImage(int(next) + 1); }

  bool jumpToImage(int number) override {
    if (!open() || number < 0 || number >= shown.info->images) return false;
    next = number;
    return true;
  }

 private:
  QSize whole() const { return {int(shown.info->width), int(shown.info->height)}; }

  /* Opens the file once; whether it can be read. */
  bool open() {
    if (!opened) {
      if (!isOurs(device())) return false;
      content = device()->readAll();
      isGood = open_shown(&shown, content.constData(), size_t(content.size())) == nullptr;
      opened = true;
    }
    return isGood && shown.info->width < (1 << 29) && shown.info->height < (1 << 29);
  }

  Shown shown{};
  QByteArray content;
  QSize scaled;
  bool opened = false, isGood = false;
  int64_t next = 0;
};

}  // namespace

class PcaiPlugin : public QImageIOPlugin {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID "org.qt-project.Qt.QImageIOHandlerFactoryInterface" FILE "qt.json")

 public:
  Capabilities capabilities(QIODevice *device, const QByteArray &format) const override {
    if (format == "pcai" || (format.isEmpty() && device && device->isReadable() && Handler::isOurs(device))) return CanRead;
    return {};
  }

  QImageIOHandler *create(QIODevice *device, const QByteArray &format) const override {
    auto *handler = new Handler;
    handler->setDevice(device);
    handler->setFormat(format.isEmpty() ? QByteArray("pcai") : format);
    return handler;
  }
};

#include "qt.moc"
