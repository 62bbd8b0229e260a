// The paper's figures and tables, computed anew: what `scdcf reproduce` runs.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scdcf/report/table.h"

namespace scdcf::figures {

/// How auto-encoders are trained; what is empty, 0 or negative stands for the figure's own.
struct AutoEncoderTraining {
  std::string optimizer;     ///< adam, adamw or sgd (Nesterov momentum)
  double learning_rate = 0;  ///< in the first epoch
  double momentum = -1;      ///< of sgd
  int seeds = 0;             ///< trainings of each, from other weights
  int test_images = -1;      ///< 0 for all
  bool is_own() const {
    return optimizer.empty() && learning_rate == 0 && momentum < 0 && seeds == 0 && test_images < 0;
  }
};

struct FigureOptions {
  bool quick = false;          ///< small sizes: tens of seconds on two cores, to see that everything works
  std::string device = "cpu";  ///< cpu, cuda or cuda:N
  std::filesystem::path out;   ///< an experiment writes into out/NAME; what several share lies beside these folders
  std::string data;      ///< digits to use: mnist, fashion, glyphs; empty for mnist where it is found, else glyphs
  std::string data_dir;  ///< looked in first
  int64_t runs = 1;      ///< trainings at a time, sharing a GPU
  std::string precision = "float32";  ///< of trainings: float32; on a GPU also tf32 and bfloat16
  AutoEncoderTraining autoencoders;   ///< of Figures 4 and 5
  std::function<void(const std::string&)> note = [](const std::string&) {};  ///< told a line now and then

  std::filesystem::path folder(const std::string& name) const { return out / name; }
};

/// What the paper says of a figure or table, what was found here, and whether the two agree.
struct Statement {
  std::string paper, ours;
  bool agrees = false;
};

/// What an experiment found. The program prints it and writes it to out/NAME/numbers.json.
struct Reproduction {
  std::string setting;  ///< what was computed, on which data, how many
  report::Table table{std::vector<std::string>{}};
  std::vector<Statement> statements;
  std::vector<std::filesystem::path> pictures;
  std::string missing_picture;     ///< why a picture was not drawn; empty where all were
  nlohmann::ordered_json details;  ///< further numbers, for numbers.json alone
};

struct Figure {
  std::string name;  ///< "equivariance"
  std::string what;  ///< "Figure 2: feature maps of a rescaled image"
  std::string time;  ///< "1 minute on two cores"
  std::function<Reproduction(const FigureOptions&)> run;
};

/// Figures 2 to 5.
Reproduction reproduce_equivariance(const FigureOptions& options);
Reproduction reproduce_depth(const FigureOptions& options);
Reproduction reproduce_reconstruction(const FigureOptions& options);
Reproduction reproduce_reconstruction_error(const FigureOptions& options);

/// All that can be reproduced, in the paper's order.
std::vector<Figure> figures();

}  // namespace scdcf::figures
