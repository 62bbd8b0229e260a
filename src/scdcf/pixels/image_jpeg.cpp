#include "scdcf/core/error.h"
#include "scdcf/pixels/image_codecs.h"

// jpeglib.h needs size_t and FILE from before.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>

namespace scdcf::pixels::codecs {
namespace {

constexpr int kMostScans = 100;  // a progressive picture may have thousands, each as slow as the whole

// As in the PNG reader: functions with setjmp own nothing, decode_jpeg owns everything and never jumps.
struct JpegReader {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf leave;
  char cause[JMSG_LENGTH_MAX] = "damaged";

  ~JpegReader() { jpeg_destroy_decompress(&info); }
  JpegReader() = default;
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* reader = static_cast<JpegReader*>(info->client_data);
  (*info->err->format_message)(info, reader->cause);
  std::longjmp(reader->leave, 1);
}

// libjpeg goes on after damage with grey pixels and a warning; here the warning is an error, unless it is about bytes
// that carry no pixels.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) on_error(info);
}

void on_progress(j_common_ptr info) {
  auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number > kMostScans) {
    auto* reader = static_cast<JpegReader*>(info->client_data);
    std::snprintf(reader->cause, sizeof reader->cause, "more than %d scans", kMostScans);
    std::longjmp(reader->leave, 1);
  }
}

bool read_header(JpegReader* reader, const std::uint8_t* data, unsigned long size) {
  if (setjmp(reader->leave) != 0) return false;
  jpeg_create_decompress(&reader->info);
  reader->info.client_data = reader;
  reader->progress.progress_monitor = on_progress;
  reader->info.progress = &reader->progress;
  jpeg_mem_src(&reader->info, data, size);
  jpeg_read_header(&reader->info, TRUE);
  return true;
}

bool start(JpegReader* reader) {
  if (setjmp(reader->leave) != 0) return false;
  reader->info.dct_method = JDCT_ISLOW;  // exact in integers: the same pixels everywhere
  jpeg_start_decompress(&reader->info);
  return true;
}

bool read_rows(JpegReader* reader, std::uint8_t* rows, std::size_t row_bytes) {
  if (setjmp(reader->leave) != 0) return false;
  while (reader->info.output_scanline < reader->info.output_height) {
    JSAMPROW row = rows + reader->info.output_scanline * row_bytes;
    jpeg_read_scanlines(&reader->info, &row, 1);
  }
  jpeg_finish_decompress(&reader->info);
  return true;
}

}  // namespace

Image decode_jpeg(const files::Bytes& bytes, const std::string& name) {
  JpegReader reader;
  reader.info.err = jpeg_std_error(&reader.errors);
  reader.info.client_data = &reader;
  reader.errors.error_exit = on_error;
  reader.errors.emit_message = on_message;
  require(read_header(&reader, bytes.data(), static_cast<unsigned long>(bytes.size())), name, ": JPEG: ", reader.cause);
  const std::uint64_t width = reader.info.image_width, height = reader.info.image_height;
  // Every 8x8 block takes at least a bit, and at most 16 of them are drawn out over 4x4 times their area.
  require(reader.info.arith_code == FALSE, name, ": JPEG: arithmetic coding is not read");
  check_announced_size(width, height, width * height <= 1024 * std::uint64_t{bytes.size()}, bytes, name);
  const bool grey = reader.info.jpeg_color_space == JCS_GRAYSCALE;
  const bool four = reader.info.jpeg_color_space == JCS_CMYK || reader.info.jpeg_color_space == JCS_YCCK;
  reader.info.out_color_space = grey ? JCS_GRAYSCALE : four ? JCS_CMYK : JCS_RGB;
  require(start(&reader), name, ": JPEG: ", reader.cause);
  const std::size_t samples = grey ? 1 : four ? 4 : 3;
  require(reader.info.output_components == static_cast<int>(samples) && reader.info.output_width == width &&
              reader.info.output_height == height,
          name, ": JPEG: got ", reader.info.output_components, " samples a pixel, expected ", samples);

  files::Bytes interleaved(samples * width * height);
  require(read_rows(&reader, interleaved.data(), samples * width), name, ": JPEG: ", reader.cause);
  Image image{grey ? 1 : 3, static_cast<int>(height), static_cast<int>(width), {}};
  const std::size_t channels = image.channels, area = width * height;
  image.pixels.resize(channels * area);
  const bool inverted = four && reader.info.saw_Adobe_marker != FALSE;  // as Adobe writes CMYK: 255 is no ink
  for (std::size_t i = 0; i < area; ++i) {
    const std::uint8_t* pixel = interleaved.data() + i * samples;
    for (std::size_t c = 0; c < channels; ++c) {
      int value = pixel[c];
      if (four) value = inverted ? value * pixel[3] / 255 : (255 - value) * (255 - pixel[3]) / 255;
      image.pixels[c * area + i] = static_cast<std::uint8_t>(value);
    }
  }
  return image;
}

}  // namespace scdcf::pixels::codecs
