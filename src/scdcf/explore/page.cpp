#include "scdcf/explore/page.h"

#include "scdcf/core/error.h"
#include "scdcf/explore/page_files.h"
#include "scdcf/files/gzip.h"
#include "scdcf/report/base64.h"
#include "scdcf/report/markup.h"

namespace scdcf::explore {
namespace {

/// Inside a script element nothing may look like its end.
std::string inside_script(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

}  // namespace

std::string packed(const std::string& id, const std::string& bytes) {
  return "<script type=\"application/gzip\" id=\"" + id + "\">" + report::base64(files::gzip(bytes)) + "</script>\n";
}

std::string page_text(const std::string& title, nlohmann::ordered_json data, const std::vector<std::string>& networks,
                      const Runtime& runtime) {
  auto inside = packed("runtime", runtime.script) + packed("wasm", runtime.wasm);
  for (size_t i = 0; i < networks.size(); ++i) {
    const auto id = "network-" + std::to_string(i);
    data.at("networks").at(i)["model"] = id;
    inside += packed(id, networks[i]);
  }
  std::string text;
  const std::string page = kPage;
  for (size_t at = 0; at < page.size();) {  // once, from left to right: what is filled in may itself hold {{
    const auto open = page.find("{{", at), close = page.find("}}", open);
    text += page.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto name = page.substr(open + 2, close - open - 2);
    if (name == "title")
      text += report::markup_escaped(title);
    else if (name == "style")
      text += kStyle;
    else if (name == "data")
      text += inside_script(data.dump());
    else if (name == "packed")
      text += inside;
    else if (name == "script")
      text += kScript;
    else
      detail::fail("page.html: {{", name, "}} is not known");
    at = close + 2;
  }
  return text;
}

}  // namespace scdcf::explore
