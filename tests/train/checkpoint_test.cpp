// Checkpoints come back as they were saved; damaged ones are refused by name and the one before is used.
#include "scdcf/train/checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstring>

#include "scdcf/io/model_file.h"
#include "support/device.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"
#include "support/small_disk.h"

namespace {

namespace fs = std::filesystem;
using namespace scdcf;
using scdcf::testing::expect_error;
using train::Checkpoint;
using train::CheckpointFolder;

class CheckpointFile : public scdcf::testing::ScratchFolder {
 protected:
  static Checkpoint sample(int64_t step) {
    Checkpoint checkpoint;
    checkpoint.about = {{"step", step}, {"word", "ä \"quoted\""}};
    // A view of a large buffer, as the parameters of a training network are; and one on the device.
    checkpoint.tensors["weights"]["a.weight"] = torch::arange(1000000.0).narrow(0, 7, 6).view({2, 3});
    checkpoint.tensors["weights"]["b"] = torch::full({}, step, scdcf::testing::on_device(torch::kLong));
    checkpoint.tensors["best_weights"]["b"] = torch::full({3}, 0.5, torch::kHalf);
    return checkpoint;
  }
};

TEST_F(CheckpointFile, comes_back_as_it_was_saved) {
  const auto file = folder_ / "c.safetensors";
  train::save_checkpoint(sample(9), file);
  const auto loaded = train::load_checkpoint(file);
  EXPECT_EQ(loaded.about, sample(9).about);
  EXPECT_TRUE(torch::equal(loaded.tensors.at("weights").at("a.weight"), torch::arange(7.0, 13.0).view({2, 3})));
  EXPECT_EQ(loaded.tensors.at("weights").at("b").item<int64_t>(), 9);
  EXPECT_TRUE(torch::equal(loaded.tensors.at("best_weights").at("b"), sample(9).tensors["best_weights"]["b"]));
  EXPECT_LT(fs::file_size(file), 10000U) << "the whole buffer behind a view was written";
  EXPECT_EQ(names_in(folder_).size(), 1U);
}

TEST_F(CheckpointFile, every_kind_of_damage_is_named) {
  const auto file = folder_ / "c.safetensors";
  const auto refused = [&](const char* why) {
    expect_error([&] { train::load_checkpoint(file); }, "c.safetensors", why);
  };
  refused("no such file");
  train::save_checkpoint(sample(1), file);
  const auto whole = read(file);
  for (const size_t at : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write(file, bytes);
    refused("damaged");
  }
  for (const size_t size : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
    write(file, whole.substr(0, size));
    refused("not a scdcf model");
  }
  write(file, whole);
  EXPECT_NO_THROW(train::load_checkpoint(file));
  expect_error([&] { train::load_checkpoint(folder_); }, folder_.string(), "not a file");
}

TEST_F(CheckpointFile, every_type_of_tensor_comes_back_bit_for_bit) {
  const auto file = folder_ / "c.safetensors";
  Checkpoint checkpoint;
  checkpoint.about = nlohmann::ordered_json::object();
  auto& weights = checkpoint.tensors["weights"];
  for (const auto type : {torch::kBool, torch::kByte, torch::kChar, torch::kShort, torch::kInt, torch::kLong,
                          torch::kHalf, torch::kBFloat16, torch::kFloat, torch::kDouble})
    weights[toString(type)] = torch::randint(0, 2, {5, 3}, torch::kLong).mul(3).to(type).t();
  weights["special"] = torch::tensor({std::nanf("1"), -0.0F, INFINITY, 1e-45F});
  weights["empty"] = torch::empty({0, 4}, torch::kByte);
  train::save_checkpoint(checkpoint, file);
  const auto loaded = train::load_checkpoint(file).tensors.at("weights");
  ASSERT_EQ(loaded.size(), weights.size());
  for (const auto& [name, tensor] : weights) {
    EXPECT_EQ(loaded.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_EQ(loaded.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_EQ(std::memcmp(loaded.at(name).data_ptr(), tensor.contiguous().data_ptr(), tensor.nbytes()), 0) << name;
  }
  weights["complex"] = torch::zeros({1}, torch::kComplexFloat);
  expect_error([&] { train::save_checkpoint(checkpoint, file); }, "\"complex\"", "ComplexFloat");
  weights.erase("complex");
  weights["a/b"] = torch::zeros({1});
  expect_error([&] { train::save_checkpoint(checkpoint, file); }, "\"a/b\"", "without /");
  EXPECT_NO_THROW(train::load_checkpoint(file)) << "what was there before";
}

TEST_F(CheckpointFile, another_kind_of_file_is_refused) {
  const auto file = folder_ / "c.safetensors";
  const auto refused = [&](const std::string& bytes, const char* why) {
    write(file, bytes);
    expect_error([&] { train::load_checkpoint(file); }, "c.safetensors", why);
  };
  refused("", "not a scdcf model");
  refused("not a checkpoint at all", "expected safetensors");
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("format", std::string("scdcf 1"));
  dict.insert("about", std::string("{}"));
  const auto pickle = torch::pickle_save(dict);
  refused({pickle.begin(), pickle.end()}, "expected safetensors");
  refused(io::to_bytes({}), "no \"about\"");
  refused(io::to_bytes({{}, {{"about", "{not json"}}}), "expected JSON");
  refused(io::to_bytes({{}, {{"about", std::string(100000, '[') + std::string(100000, ']')}}}), "100000 deep");
}

TEST_F(CheckpointFile, the_last_two_are_kept_and_the_newest_whole_one_is_found) {
  const CheckpointFolder checkpoints(folder_ / "checkpoints");
  EXPECT_FALSE(checkpoints.newest().has_value());
  for (const int64_t step : {5, 10}) checkpoints.save(sample(step), step);
  write(folder_ / "checkpoints/.step-000000015.safetensors.x7gH2k", "what a killed run left");
  checkpoints.save(sample(15), 15);
  const fs::path last = folder_ / "checkpoints/step-000000015.safetensors",
                 before = folder_ / "checkpoints/step-000000010.safetensors";
  EXPECT_EQ(names_in(folder_ / "checkpoints").size(), 2U);
  EXPECT_EQ(checkpoints.newest()->file, last);
  EXPECT_TRUE(checkpoints.newest()->refused.empty());

  write(last, read(last).substr(0, 100));
  auto found = checkpoints.newest();
  EXPECT_EQ(found->file, before);
  EXPECT_EQ(found->checkpoint.about.at("step"), 10);
  ASSERT_EQ(found->refused.size(), 1U);
  EXPECT_NE(found->refused[0].find(last.string()), std::string::npos);

  checkpoints.save(sample(12), 12);  // the run goes on from 10: what was damaged is in the way no more
  EXPECT_FALSE(fs::exists(last));
  EXPECT_EQ(checkpoints.newest()->checkpoint.about.at("step"), 12);

  for (const auto& path : {before, folder_ / "checkpoints/step-000000012.safetensors"})
    write(path, read(path).substr(1));
  expect_error([&] { checkpoints.newest(); }, "step-000000012.safetensors", "no older one");
}

TEST_F(CheckpointFile, a_full_disk_leaves_nothing_half_written) {
  const CheckpointFolder checkpoints(folder_ / "checkpoints");
  checkpoints.save(sample(1), 1);
  {
    const scdcf::testing::SmallDisk disk(200);
    expect_error([&] { checkpoints.save(sample(2), 2); }, "step-000000002.safetensors");
  }
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints/step-000000002.safetensors"));
  for (const auto& name : names_in(folder_ / "checkpoints")) EXPECT_EQ(name.rfind("step-", 0), 0U) << name;
  EXPECT_EQ(checkpoints.newest()->checkpoint.about.at("step"), 1);
}

TEST_F(CheckpointFile, weights_of_another_network_are_refused_by_name) {
  torch::nn::Linear layer(3, 2), other(4, 2);
  layer->to(scdcf::testing::device());
  auto weights = train::weights_of(*layer);
  EXPECT_EQ(weights.size(), 2U);
  expect_error([&] { train::load_weights(*other, weights, "x.safetensors"); }, "x.safetensors", "\"weight\"", "[2, 3]",
               "[2, 4]");
  weights["surplus"] = torch::zeros({1});
  expect_error([&] { train::load_weights(*layer, weights, "x.safetensors"); }, "x.safetensors", "3 tensors");
  weights.erase("surplus");
  weights.erase("bias");
  expect_error([&] { train::load_weights(*layer, weights, "x.safetensors"); }, "x.safetensors", "\"bias\"");
}

}  // namespace
