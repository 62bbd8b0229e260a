// PNG and JPEG of every kind that the readers meet, made with the libraries' own encoders.
#pragma once

// jpeglib.h needs size_t and FILE from before.
// clang-format off
#include <cstddef>
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <cstdlib>

#include "support/samples.h"

namespace scdcf::testing {

/// rows: as PNG wants them, `depth` bits a sample, in the order of `color_type`.
inline files::Bytes png(int color_type, int depth, int height, int width, const files::Bytes& rows,
                        bool interlaced = false) {
  files::Bytes result;
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(writer);
  png_set_write_fn(
      writer, &result,
      [](png_structp p, png_bytep data, std::size_t count) {
        auto* bytes = static_cast<files::Bytes*>(png_get_io_ptr(p));
        bytes->insert(bytes->end(), data, data + count);
      },
      [](png_structp) {});
  png_set_IHDR(writer, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), depth, color_type,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (color_type == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[4] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9}};
    const png_byte opacity[4] = {255, 255, 255, 0};
    png_set_PLTE(writer, info, palette, 4);
    png_set_tRNS(writer, info, opacity, 4, nullptr);
  }
  png_write_info(writer, info);
  const std::size_t row_bytes = png_get_rowbytes(writer, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data()) + static_cast<std::size_t>(y) * row_bytes);
  png_write_image(writer, pointers.data());
  png_write_end(writer, nullptr);
  png_destroy_write_struct(&writer, &info);
  return result;
}

enum class JpegKind { baseline, progressive, cmyk };

inline files::Bytes jpeg(const pixels::Image& image, JpegKind kind = JpegKind::baseline) {
  jpeg_compress_struct writer{};
  jpeg_error_mgr errors{};
  writer.err = jpeg_std_error(&errors);
  jpeg_create_compress(&writer);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&writer, &buffer, &size);
  writer.image_width = static_cast<JDIMENSION>(image.width);
  writer.image_height = static_cast<JDIMENSION>(image.height);
  const bool cmyk = kind == JpegKind::cmyk;
  writer.input_components = cmyk ? 4 : image.channels;
  writer.in_color_space = cmyk ? JCS_CMYK : image.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&writer);
  jpeg_set_quality(&writer, 95, TRUE);
  if (kind == JpegKind::progressive) jpeg_simple_progression(&writer);
  jpeg_start_compress(&writer, TRUE);
  for (int y = 0; y < image.height; ++y) {
    files::Bytes row;
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < image.channels; ++c)
        row.push_back(image.pixels[static_cast<std::size_t>((c * image.height + y) * image.width + x)]);
      if (cmyk) row.push_back(255);  // as Adobe writes it: no black ink
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&writer, &pointer, 1);
  }
  jpeg_finish_compress(&writer);
  jpeg_destroy_compress(&writer);
  files::Bytes result(buffer, buffer + size);
  std::free(buffer);
  return result;
}

/// A JPEG with an EXIF segment that says how the camera was held, in front of all others.
inline files::Bytes with_orientation(const files::Bytes& jpeg, int orientation, bool little_endian) {
  const auto value = static_cast<std::uint8_t>(orientation);
  const files::Bytes big = {'M', 'M', 0, 42, 0, 0, 0,     8, 0, 1, 0x01, 0x12, 0,
                            3,   0,   0, 0,  1, 0, value, 0, 0, 0, 0,    0,    0};
  const files::Bytes small = {'I', 'I', 42, 0, 8, 0,     0, 0, 1, 0, 0x12, 0x01, 3,
                              0,   1,   0,  0, 0, value, 0, 0, 0, 0, 0,    0,    0};
  files::Bytes result = {0xFF, 0xD8, 0xFF, 0xE1, 0, 2 + 6 + 26, 'E', 'x', 'i', 'f', 0, 0};
  for (const auto byte : little_endian ? small : big) result.push_back(byte);
  for (std::size_t i = 2; i < jpeg.size(); ++i) result.push_back(jpeg[i]);
  return result;
}

}  // namespace scdcf::testing
