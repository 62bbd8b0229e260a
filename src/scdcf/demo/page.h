// The page of a demonstration.
#pragma once

#include <filesystem>

#include "scdcf/demo/findings.h"

namespace scdcf::demo {

/// Writes FOLDER/report.html, which holds all its pictures, and FOLDER/figures. Returns an empty string, or why plots
/// are missing; their numbers then stand in the page's tables alone.
std::string write_demo_page(const DemoFindings& findings, const std::filesystem::path& folder);

}  // namespace scdcf::demo
