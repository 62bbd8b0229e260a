#include "scdcf/core/error.h"
#include "scdcf/pixels/image_codecs.h"

#include <png.h>

#include <csetjmp>
#include <cstring>

namespace scdcf::pixels::codecs {
namespace {

// libpng leaves through longjmp, which runs no destructors. So every function that calls setjmp has plain variables
// only; what owns memory lives in decode_png, which never jumps.
struct PngReader {
  const std::uint8_t* data;
  std::size_t size;
  std::size_t position = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char cause[160] = "damaged";

  PngReader(const files::Bytes& bytes) : data(bytes.data()), size(bytes.size()) {}
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(reader->cause, message, sizeof reader->cause - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}  // what libpng can mend is no error

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->size - reader->position) png_error(png, "truncated");
  std::memcpy(to, reader->data + reader->position, count);
  reader->position += count;
}

bool read_header(PngReader* reader) {
  if (setjmp(png_jmpbuf(reader->png)) != 0) return false;
  png_set_read_fn(reader->png, reader, read_bytes);
  png_set_user_limits(reader->png, kLargestSide, kLargestSide);
  png_set_chunk_malloc_max(reader->png, 1 << 22);
  png_set_chunk_cache_max(reader->png, 128);
  png_read_info(reader->png, reader->info);
  png_set_expand(reader->png);    // palettes, fewer than 8 bits, a transparent colour
  png_set_scale_16(reader->png);  // rounds
  png_set_interlace_handling(reader->png);
  return true;
}

bool update_header(PngReader* reader) {
  if (setjmp(png_jmpbuf(reader->png)) != 0) return false;
  png_read_update_info(reader->png, reader->info);
  return true;
}

bool read_rows(PngReader* reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader->png)) != 0) return false;
  png_read_image(reader->png, rows);
  png_read_end(reader->png, nullptr);
  return true;
}

}  // namespace

Image decode_png(const files::Bytes& bytes, const std::string& name, std::uint8_t ground) {
  PngReader reader(bytes);
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  require(reader.info != nullptr, name, ": libpng could not be started");
  require(read_header(&reader), name, ": PNG: ", reader.cause);
  const std::uint64_t width = png_get_image_width(reader.png, reader.info);
  const std::uint64_t height = png_get_image_height(reader.png, reader.info);
  // deflate makes at most 1032 bytes of one
  const bool plausible = height * png_get_rowbytes(reader.png, reader.info) <= 1032 * std::uint64_t{bytes.size()};
  check_announced_size(width, height, plausible, bytes, name);
  require(update_header(&reader), name, ": PNG: ", reader.cause);

  const std::size_t samples = png_get_channels(reader.png, reader.info);  // 1 grey, 2 with alpha, 3 RGB, 4 with alpha
  const std::size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  require(samples >= 1 && samples <= 4 && row_bytes == samples * width, name, ": PNG: got ", samples,
          " samples a pixel in rows of ", row_bytes, " bytes");
  files::Bytes interleaved(row_bytes * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = interleaved.data() + y * row_bytes;
  require(read_rows(&reader, rows.data()), name, ": PNG: ", reader.cause);

  Image image{samples <= 2 ? 1 : 3, static_cast<int>(height), static_cast<int>(width), {}};
  const std::size_t channels = image.channels, area = height * width;
  image.pixels.resize(channels * area);
  for (std::size_t i = 0; i < area; ++i) {
    const std::uint8_t* pixel = interleaved.data() + i * samples;
    const unsigned opacity = samples == channels ? 255 : pixel[channels];
    for (std::size_t c = 0; c < channels; ++c)
      image.pixels[c * area + i] =
          static_cast<std::uint8_t>((pixel[c] * opacity + ground * (255 - opacity) + 127) / 255);
  }
  return image;
}

files::Bytes encode_png(const Image& image) {
  const std::size_t area = std::size_t{1} * image.height * image.width, channels = image.channels;
  files::Bytes interleaved(area * channels);
  for (std::size_t i = 0; i < area; ++i)
    for (std::size_t c = 0; c < channels; ++c) interleaved[i * channels + c] = image.pixels[c * area + i];
  png_image about{};
  about.version = PNG_IMAGE_VERSION;
  about.width = static_cast<png_uint_32>(image.width);
  about.height = static_cast<png_uint_32>(image.height);
  about.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  files::Bytes bytes(PNG_IMAGE_PNG_SIZE_MAX(about));
  png_alloc_size_t size = bytes.size();
  require(png_image_write_to_memory(&about, bytes.data(), &size, 0, interleaved.data(), 0, nullptr) != 0,
          "image: PNG: ", about.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace scdcf::pixels::codecs
