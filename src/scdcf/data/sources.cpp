#include "scdcf/data/sources.h"

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"

namespace scdcf::data {
namespace {

constexpr auto kContent = SourceFile::Digest::content;
constexpr std::int64_t kTextFile = 1 << 20;  // the most a text file of an archive may have

Source mnist() {
  return {"mnist",
          {"https://ossci-datasets.s3.amazonaws.com/mnist", "https://storage.googleapis.com/cvdf-datasets/mnist"},
          {{"train-images-idx3-ubyte.gz",
            47040016,
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            kContent,
            {}},
           {"train-labels-idx1-ubyte.gz",
            60008,
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            kContent,
            {}},
           {"t10k-images-idx3-ubyte.gz",
            7840016,
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            kContent,
            {}},
           {"t10k-labels-idx1-ubyte.gz",
            10008,
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            kContent,
            {}}}};
}

Source fashion() {
  return {"fashion",
          {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
           "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion"},
          {{"train-images-idx3-ubyte.gz",
            47040016,
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            kContent,
            {}},
           {"train-labels-idx1-ubyte.gz",
            60008,
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            kContent,
            {}},
           {"t10k-images-idx3-ubyte.gz",
            7840016,
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            kContent,
            {}},
           {"t10k-labels-idx1-ubyte.gz",
            10008,
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            kContent,
            {}}}};
}

/// Without unlabeled_X.bin: 2.8 GB of pictures that nothing here learns from.
Source stl10() {
  constexpr std::int64_t picture = std::int64_t{3} * 96 * 96;
  return {"stl10",
          {"http://ai.stanford.edu/~acoates/stl10", "https://cs.stanford.edu/~acoates/stl10"},
          {{"stl10_binary.tar.gz",
            2640397119,
            "f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866",
            SourceFile::Digest::file,
            {{"train_X.bin", 5000 * picture, 0},
             {"train_y.bin", 5000, 0},
             {"test_X.bin", 8000 * picture, 0},
             {"test_y.bin", 8000, 0},
             {"class_names.txt", 0, kTextFile},
             {"fold_indices.txt", 0, kTextFile}}}}};
}

}  // namespace

const std::vector<Source>& known_sources() {
  static const std::vector<Source> sources = {mnist(), fashion(), stl10()};
  return sources;
}

const Source& known_source(const std::string& name) {
  for (const auto& source : known_sources())
    if (source.name == name) return source;
  detail::fail("got \"", name, "\", expected one of ",
               joined(known_sources(), ", ", [](const Source& source) { return source.name; }));
}

}  // namespace scdcf::data
