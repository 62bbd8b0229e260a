#include "scdcf/data/boxes.h"

#include "scdcf/core/error.h"
#include "scdcf/files/text.h"

namespace scdcf::data {

Boxes parse_boxes(const files::Bytes& text, const std::string& name) {
  const auto lines = files::lines_of(text);
  require(!lines.empty(), name, ": empty");
  const bool with_split = lines[0] == "split,class,file,x0,y0,x1,y1";
  require(with_split || lines[0] == "class,file,x0,y0,x1,y1", name, ": line 1 is \"", files::shown(lines[0]),
          "\", expected [split,]class,file,x0,y0,x1,y1");
  const std::size_t names = with_split ? 3 : 2;
  Boxes boxes;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto fields = files::fields_of(lines[i], ',');
    require(fields.size() == names + 4, name, ": line ", i + 1, ": got ", fields.size(), " fields, expected ",
            names + 4);
    std::string path = fields[0];
    for (std::size_t f = 1; f < names; ++f) path += "/" + fields[f];
    std::int64_t corners[4];
    for (std::size_t c = 0; c < 4; ++c) {
      const auto number = files::number_of(fields[names + c]);
      require(number.has_value(), name, ": line ", i + 1, ": got \"", files::shown(fields[names + c]),
              "\", expected a whole number of pixels");
      corners[c] = *number;
    }
    const Box box{corners[0], corners[1], corners[2], corners[3]};
    require(box.x0 <= box.x1 && box.y0 <= box.y1, name, ": line ", i + 1, ": x1 or y1 is less than x0 or y0");
    require(boxes.emplace(path, box).second, name, ": line ", i + 1, ": ", files::shown(path), " a second time");
  }
  return boxes;
}

}  // namespace scdcf::data
