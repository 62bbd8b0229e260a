#include "scdcf/demo/folder.h"

#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using scdcf::demo::prepare_demo_folder;

class DemoFolder : public scdcf::testing::ScratchFolder {};

TEST_F(DemoFolder, replaces_what_a_demonstration_wrote_and_nothing_else) {
  prepare_demo_folder(folder_ / "demo");
  const std::vector<fs::path> ours = {"report.html",
                                      "explore.html",
                                      "pictures/01.png",
                                      "figures/scores.svg",
                                      "scdcfnet-full/model.safetensors",
                                      "cnn/config.json",
                                      "cnn/metrics.jsonl",
                                      "scdcfnet-full/result.json",
                                      "cnn/checkpoints/step-000000012.safetensors"};
  const std::vector<fs::path> others = {"notes.txt", "scdcfnet-full/thoughts.md", "figures/mine.svg",
                                        "runs/model.safetensors"};
  for (const auto& list : {ours, others})
    for (const auto& file : list) {
      fs::create_directories((folder_ / "demo" / file).parent_path());
      write(folder_ / "demo" / file, "precious");
    }
  prepare_demo_folder(folder_ / "demo");
  for (const auto& file : ours) EXPECT_FALSE(fs::exists(folder_ / "demo" / file)) << file;
  for (const auto& file : others) EXPECT_EQ(read(folder_ / "demo" / file), "precious") << file;
  EXPECT_FALSE(fs::exists(folder_ / "demo" / "cnn")) << "an empty folder stayed";
}

TEST_F(DemoFolder, is_left_alone_while_another_demonstration_works_in_it) {
  const auto lock = prepare_demo_folder(folder_);
  write(folder_ / "report.html", "of the other");
  scdcf::testing::expect_error([&] { prepare_demo_folder(folder_); }, "in use by process");
  EXPECT_EQ(read(folder_ / "report.html"), "of the other");
}

TEST_F(DemoFolder, refuses_a_folder_with_another_ones_run) {
  fs::create_directories(folder_ / "cnn");
  write(folder_ / "cnn" / "model.safetensors", "precious");
  scdcf::testing::expect_error([&] { prepare_demo_folder(folder_); }, "holds a cnn");
  EXPECT_EQ(read(folder_ / "cnn" / "model.safetensors"), "precious");
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{"cnn"});
}

}  // namespace
