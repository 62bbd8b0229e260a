// Model files come back as they were written; everything else is refused in one line.
#include "scdcf/io/model_file.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/expect_error.h"
#include "support/fuzz.h"
#include "support/model_file.h"

namespace scdcf::io {
namespace {

using testing::expect_error;
using testing::metadata;
using testing::model_file;
using testing::with_sum;

ModelFile sample() {
  return {{{"bias", torch::tensor({0.5, -1.0, 2.0}).to(torch::kHalf)},
           {"mask", torch::tensor({1, 0, 1}).to(torch::kBool)},
           {"none", torch::empty({0, 7}, torch::kInt)},
           {"steps", torch::full({}, int64_t{1} << 40)},
           {"weight", torch::arange(6.0F).view({3, 2}).t()}},
          {{"about", R"({"word":"a \"quoted\" back\\slash"})"}, {"empty", ""}}};
}

TEST(ModelFileTest, comes_back_as_it_was_written) {
  const auto bytes = to_bytes(sample());
  const auto got = from_bytes(bytes, "a file");
  EXPECT_EQ(got.metadata, sample().metadata);
  EXPECT_EQ(got.tensors.size(), 5U);
  for (const auto& [name, tensor] : sample().tensors) {
    EXPECT_EQ(got.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(got.tensors.at(name), tensor)) << name;
  }
  EXPECT_EQ(to_bytes(got), bytes);
  EXPECT_TRUE(from_bytes(to_bytes({}), "a file").tensors.empty());
}

TEST(ModelFileTest, the_bytes_are_those_of_the_format) {
  const auto header =
      metadata(R"(,"about":"x")") +
      R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})";
  const auto a = torch::tensor({5, 6}, torch::kByte), b = torch::tensor({1.0F});
  EXPECT_EQ(to_bytes({{{"a", a}, {"b", b}}, {{"about", "x"}}}), model_file(header, std::string("\0\0\x80\x3f\5\6", 6)));
}

TEST(ModelFileTest, every_flipped_bit_and_every_cut_is_refused) {
  const auto bytes = to_bytes(sample());
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    auto flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    ASSERT_THROW(from_bytes(flipped, "a file"), Error) << "bit " << i % 8 << " of byte " << i / 8;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_THROW(from_bytes(bytes.substr(0, size), "a file"), Error) << size;
  expect_error([&] { from_bytes(bytes + '\0', "a file"); }, "a file", "tensors end at byte");
  expect_error([&] { from_bytes(bytes.substr(0, bytes.size() - 1), "a file"); }, "a file", "cut off");
  auto data_flipped = bytes;
  data_flipped.back() = static_cast<char>(data_flipped.back() ^ 1);
  expect_error([&] { from_bytes(data_flipped, "a file"); }, "a file: is damaged: its SHA-256 differs");
}

/// With a sum that fits, so that nothing but the header's word is wrong.
TEST(ModelFileTest, headers_that_lie_are_refused) {
  const auto refused = [](const std::string& file, const char* why) {
    expect_error([&] { from_bytes(with_sum(file), "a file"); }, "a file: ", why);
  };
  const auto tensor = [](const std::string& name, const std::string& about) {
    return ",\"" + name + "\":{" + about + "}";
  };
  const auto refused_tensors = [&](const std::string& tensors, const char* why) {
    refused(model_file(metadata() + tensors + "}", "12345678"), why);
  };
  const std::string whole = tensor("a", R"("dtype":"F32","shape":[2],"data_offsets":[0,8])");
  EXPECT_EQ(from_bytes(model_file(metadata() + whole + "}", "12345678"), "a file").tensors.at("a").numel(), 2);

  refused("", "got another kind of file");
  refused("PK\3\4 a zip archive", "got another kind of file");
  refused("\x80\2}q\1.", "got another kind of file");
  refused(std::string(8, '\xff') + "{}", "got a header of 18446744073709551615 bytes in a file of 10");
  refused(std::string("\5\0\0\0\0\0\0\0{}   ", 13), "got a header of 5 bytes");
  refused(model_file("{}", ""), "at byte 8, expected {\"__metadata__\":{\"scdcf_format\":\"");
  refused(model_file(R"({"__metadata__":{"format":"pt"}})", ""), "at byte 8");
  auto newer = metadata();
  newer.replace(newer.find("\"1\""), 3, "\"2\"");
  refused(model_file(newer + "}", ""), "got a model file of format \"2\", expected \"1\"");
  refused(model_file(metadata(R"(,"a":"1","a":"2")") + "}", ""), "\"a\" stands twice");
  refused(model_file(metadata(R"(,"scdcf_format":"1")") + "}", ""), "\"scdcf_format\" stands twice");
  refused(model_file(metadata(R"(,"a":"\u0061")") + "}", ""), "expected \\\" or \\\\");
  refused(model_file(metadata(R"(,"a":{"b":"c"})") + "}", ""), "expected :\"");
  refused(model_file(metadata(",\"a\":\"\xc3\xa4\"") + "}", ""), "printable ASCII");
  refused(model_file(metadata() + "}" + std::string(8, '\n'), ""), "printable ASCII");
  refused(model_file(metadata() + "} {}", ""), "expected  ");
  refused(model_file(metadata(R"(,"a":")"), ""), "expected the end of a text");

  refused_tensors("", "its tensors end at byte 0 of 8");
  refused_tensors(whole + tensor("a", R"("dtype":"F32","shape":[0],"data_offsets":[8,8])"), "\"a\": stands twice");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[3],"data_offsets":[0,12])"), "ends at byte 12 of 8");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), "expected 0");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[1],"data_offsets":[8,4])"), "expected 0");
  refused_tensors(whole + tensor("b", R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), "expected 8");
  refused_tensors(tensor("a", R"("dtype":"U8","shape":[2],"data_offsets":[0,2])") +
                      tensor("b", R"("dtype":"F32","shape":[1],"data_offsets":[2,6])"),
                  "tensor \"b\": begins at byte 2, expected a multiple of 4");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "got 8 bytes, expected 12");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[0],"data_offsets":[0,8])"), "got 8 bytes, expected 0");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])"), "too large");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[0,999999999999999999,9],"data_offsets":[0,0])"), "too large");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[9999999999999999999],"data_offsets":[0,8])"), "18 digits");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "expected a number");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[02],"data_offsets":[0,8])"), "expected a number");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), "expected ,");
  refused_tensors(tensor("a", R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8])"),
                  "at most 16 dimensions");
  refused_tensors(tensor("a", R"("dtype":"F4","shape":[16],"data_offsets":[0,8])"), "got unknown dtype F4");
  refused_tensors(tensor("a", R"("dtype":"BOOL","shape":[8],"data_offsets":[0,8])"), "truth value other than 0 and 1");
  refused_tensors(tensor("a", R"("shape":[2],"dtype":"F32","data_offsets":[0,8])"), "expected :{\"dtype\":\"");
  refused_tensors(tensor("a", R"("dtype": "F32","shape":[2],"data_offsets":[0,8])"), "expected :{\"dtype\":\"");
  refused_tensors(tensor(std::string(600, 'a'), R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), "end of a text");
  refused_tensors(",\"a\":" + std::string(100000, '['), "expected :{\"dtype\":\"");
}

TEST(ModelFileTest, what_could_not_be_read_is_not_written) {
  const auto refused = [](const ModelFile& file, const char* why) {
    expect_error([&] { to_bytes(file); }, "model file: ", why);
  };
  const auto one = torch::ones({1});
  refused({{}, {{"sha256", "mine"}}}, "metadata \"sha256\"");
  refused({{}, {{"a", "line\nbreak"}}}, "of printable ASCII");
  refused({{{"gr\xc3\xb6\xc3\x9f\x65", one}}, {}}, "of printable ASCII");
  refused({{{std::string(513, 'a'), one}}, {}}, "513 letters, expected at most 512");
  refused({{{"a", torch::ones(std::vector<int64_t>(17, 1))}}, {}}, "17 dimensions");
  refused({{{"a", one.to(torch::kComplexFloat)}}, {}}, "tensor \"a\": got CPUComplexFloatType");
  refused({{{"a", one.to_sparse()}}, {}}, "tensor \"a\": got SparseCPUFloatType");
  refused({{{"a", one.to(torch::kMeta)}}, {}}, "tensor \"a\"");
}

TEST(Fuzz, model_file) {
  testing::fuzz(to_bytes(sample()), [](const std::string& bytes) {
    const auto file = with_sum(bytes);
    const auto got = from_bytes(file, "a file");
    std::size_t used = 0;
    for (const auto& [name, tensor] : got.tensors) used += tensor.nbytes();
    ASSERT_LT(used, file.size()) << "more elements than the file has";
    const auto again = to_bytes(got);
    ASSERT_EQ(to_bytes(from_bytes(again, "again")), again);
  });
}

}  // namespace
}  // namespace scdcf::io
