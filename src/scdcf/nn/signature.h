// What the coefficients of a layer are for: saved beside them, compared when they are loaded.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace scdcf::nn {

/// The name of the buffer that holds it, here and in Python: text as bytes.
constexpr const char* kSignature = "signature";

bool is_signature(const std::string& buffer);
at::Tensor signature_buffer(const std::string& text);
/// Refuses coefficients for another grid or basis; `subject` begins the message.
void check_signature(const at::Tensor& got, const at::Tensor& expected, const std::string& subject);

}  // namespace scdcf::nn
