// The page's own files, as they stand in page/.
#pragma once

namespace scdcf::explore {

extern const char* const kPage;    ///< with {{title}}, {{style}}, {{data}}, {{packed}} and {{script}} to fill in
extern const char* const kStyle;   ///< CSS
extern const char* const kScript;  ///< JavaScript, all files of it in their order

}  // namespace scdcf::explore
