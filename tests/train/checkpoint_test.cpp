// Checkpoints come back as they were saved; damaged ones are refused by name and the one before is used.
#include "scdcf/train/checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/files/sha256.h"
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
    checkpoint.tensors["best_weights"] = {};
    return checkpoint;
  }
  /// A sum that fits, so that nothing but the content is wrong.
  static void write_with_sum(const fs::path& file, const std::string& bytes) {
    write(file, bytes);
    files::Sha256 hash;
    hash.add(bytes.data(), bytes.size());
    write(file.string() + ".sha256", hash.hex() + "  x\n");
  }
};

TEST_F(CheckpointFile, comes_back_as_it_was_saved) {
  const auto file = folder_ / "c.pt";
  train::save_checkpoint(sample(9), file);
  const auto loaded = train::load_checkpoint(file);
  EXPECT_EQ(loaded.about, sample(9).about);
  EXPECT_TRUE(torch::equal(loaded.tensors.at("weights").at("a.weight"), torch::arange(7.0, 13.0).view({2, 3})));
  EXPECT_EQ(loaded.tensors.at("weights").at("b").item<int64_t>(), 9);
  EXPECT_TRUE(loaded.tensors.at("best_weights").empty());
  EXPECT_LT(fs::file_size(file), 10000U) << "the whole buffer behind a view was written";
  EXPECT_EQ(names_in(folder_).size(), 1U);
}

TEST_F(CheckpointFile, every_kind_of_damage_is_named) {
  const auto file = folder_ / "c.pt";
  const auto refused = [&](const char* why) { expect_error([&] { train::load_checkpoint(file); }, "c.pt", why); };
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
    refused("is no model of scdcf");
  }
  write(file, whole);
  EXPECT_NO_THROW(train::load_checkpoint(file));
  expect_error([&] { train::load_checkpoint(folder_); }, folder_.string(), "not a file");
}

TEST_F(CheckpointFile, of_earlier_versions_has_its_sum_beside_it) {
  const auto file = folder_ / "c.pt";
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("format", std::string("scdcf 1"));
  dict.insert("about", std::string("{}"));
  const auto bytes = torch::pickle_save(dict);
  write(file, {bytes.begin(), bytes.end()});
  expect_error([&] { train::load_checkpoint(file); }, "c.pt", "is no model of scdcf");
  write_with_sum(file, {bytes.begin(), bytes.end()});
  EXPECT_NO_THROW(train::load_checkpoint(file));
  write(file.string() + ".sha256", std::string(64, '0') + "  c.pt\n");
  expect_error([&] { train::load_checkpoint(file); }, "c.pt", "is damaged");
  train::save_checkpoint(sample(1), file);  // which the old sum does not fit
  EXPECT_EQ(train::load_checkpoint(file).about, sample(1).about);
  EXPECT_EQ(names_in(folder_).size(), 1U);
}

/// The elements of a storage, and the sizes and strides of a tensor, stand in the pickle as small numbers.
TEST_F(CheckpointFile, tensors_that_reach_beyond_their_records_are_refused) {
  const auto file = folder_ / "c.pt";
  Checkpoint checkpoint;
  checkpoint.about = {{"step", 1}};
  checkpoint.tensors["weights"]["a"] = torch::ones({5, 7});
  train::save_checkpoint(checkpoint, file);
  const auto whole = read(file);
  const auto refused = [&](const std::string& written, const std::string& instead) {
    auto bytes = whole;
    ASSERT_NE(bytes.find(written), std::string::npos);
    bytes.replace(bytes.find(written), written.size(), instead);
    write_with_sum(file, bytes.substr(0, bytes.size() - 64 - 14));  // not the sum it carries
    expect_error([&] { train::load_checkpoint(file); }, "c.pt");
    write(file, whole);
    EXPECT_NO_THROW(train::load_checkpoint(file));
  };
  refused("K\x23t", "K\xfft");              // 255 elements in a record of 35
  refused("(K\x05K\x07t", "(K\x06K\x07t");  // a row more
  refused("(K\x07K\x01t", "(K\x09K\x01t");  // rows further apart
  refused("(K\x07K\x01t", "(K\xffK\x01t");  // much further
  refused("K\x23tQ", "K\x23t.");            // an end in the middle
  refused("FloatStorage", "OtherStorage");
  refused("_rebuild_tensor_v2", "_rebuild_tensor_v9");
}

TEST_F(CheckpointFile, a_description_nested_without_end_is_refused) {
  const auto file = folder_ / "c.pt";
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("format", std::string("scdcf 1"));
  dict.insert("about", std::string(100000, '[') + std::string(100000, ']'));
  const auto bytes = torch::pickle_save(dict);
  write_with_sum(file, {bytes.begin(), bytes.end()});
  expect_error([&] { train::load_checkpoint(file); }, "c.pt", "100000 deep", "at most 64");
}

TEST_F(CheckpointFile, another_kind_of_file_is_refused_even_with_a_sum_that_fits) {
  const auto file = folder_ / "c.pt";
  const auto refused = [&](const std::string& bytes) {
    write_with_sum(file, bytes);
    expect_error([&] { train::load_checkpoint(file); }, "c.pt");
  };
  refused("");
  refused("not a checkpoint at all");
  train::save_checkpoint(sample(1), file);
  refused(read(file).substr(0, 300));
  const auto pickled = [](const c10::IValue& value) {
    const auto bytes = torch::pickle_save(value);
    return std::string(bytes.begin(), bytes.end());
  };
  refused(pickled(torch::ones({2})));
  refused(pickled(std::string("scdcf 1")));
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  refused(pickled(dict));
  dict.insert("format", std::string("scdcf 0"));
  refused(pickled(dict));
  dict.insert_or_assign("format", std::string("scdcf 1"));
  dict.insert("about", std::string("{not json"));
  refused(pickled(dict));
  dict.insert_or_assign("about", 3);
  refused(pickled(dict));
}

TEST_F(CheckpointFile, the_last_two_are_kept_and_the_newest_whole_one_is_found) {
  const CheckpointFolder checkpoints(folder_ / "checkpoints");
  EXPECT_FALSE(checkpoints.newest().has_value());
  for (const int64_t step : {5, 10}) checkpoints.save(sample(step), step);
  write(folder_ / "checkpoints/.step-000000015.pt.x7gH2k", "what a killed run left");
  checkpoints.save(sample(15), 15);
  const fs::path last = folder_ / "checkpoints/step-000000015.pt", before = folder_ / "checkpoints/step-000000010.pt";
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

  for (const auto& path : {before, folder_ / "checkpoints/step-000000012.pt"}) write(path, read(path).substr(1));
  expect_error([&] { checkpoints.newest(); }, "step-000000012.pt", "no older one");
}

TEST_F(CheckpointFile, a_full_disk_leaves_nothing_half_written) {
  const CheckpointFolder checkpoints(folder_ / "checkpoints");
  checkpoints.save(sample(1), 1);
  {
    const scdcf::testing::SmallDisk disk(500);
    expect_error([&] { checkpoints.save(sample(2), 2); }, "step-000000002.pt");
  }
  EXPECT_FALSE(fs::exists(folder_ / "checkpoints/step-000000002.pt"));
  for (const auto& name : names_in(folder_ / "checkpoints")) EXPECT_EQ(name.rfind("step-", 0), 0U) << name;
  EXPECT_EQ(checkpoints.newest()->checkpoint.about.at("step"), 1);
}

TEST_F(CheckpointFile, weights_of_another_network_are_refused_by_name) {
  torch::nn::Linear layer(3, 2), other(4, 2);
  layer->to(scdcf::testing::device());
  auto weights = train::weights_of(*layer);
  EXPECT_EQ(weights.size(), 2U);
  expect_error([&] { train::load_weights(*other, weights, "x.pt"); }, "x.pt", "\"weight\"", "[2, 3]", "[2, 4]");
  weights["surplus"] = torch::zeros({1});
  expect_error([&] { train::load_weights(*layer, weights, "x.pt"); }, "x.pt", "3 tensors");
  weights.erase("surplus");
  weights.erase("bias");
  expect_error([&] { train::load_weights(*layer, weights, "x.pt"); }, "x.pt", "\"bias\"");
}

}  // namespace
