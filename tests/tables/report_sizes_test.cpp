// A known store of runs on sets of many sizes gives known means, with what others have published beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scdcf/tables/plans.h"
#include "scdcf/tables/published_sizes.h"
#include "scdcf/tables/store_report.h"
#include "support/look_up.h"

namespace {

using namespace scdcf;
using namespace scdcf::tables;
using scdcf::testing::cell;
using scdcf::testing::section;

/// Of a planned run: sizes as shares of the image, and accuracies.
runs::RunRecord tested(const runs::PlannedRun& run, const std::vector<std::pair<double, double>>& accuracies) {
  runs::RunRecord record;
  record.key = runs::key_of(run);
  record.status = "done";
  record.measure = run.measure;
  record.asked = train::to_json(run.config);
  record.realisation = run.config.data.realisation;
  auto groups = nlohmann::ordered_json::array();
  for (const auto& [size, accuracy] : accuracies) {
    const double stored = static_cast<float>(size);  // as sets have them
    groups.push_back({{"from", stored}, {"to", stored}, {"count", accuracy < 0 ? 0 : 10}, {"accuracy", accuracy}});
  }
  record.measurements = {{"scales", groups}};
  return record;
}

/// The runs of a network and a scenario (its smallest size, or its scale).
Plan part(const Plan& plan, const std::string& model, double scenario, const std::string& data) {
  Plan some;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(some), [&](const auto& run) {
    const auto& options = run.config.data;
    return run.config.model.name == model && options.name == data &&
           (options.smallest_size == scenario || options.train_scale == scenario);
  });
  return some;
}

class StirReport : public ::testing::Test {
 protected:
  StirReport() {
    const auto full = part(plan_stir({}), "scdcfnet-full", 33, "stir-mnist");
    const auto cnn = part(plan_stir({}), "cnn", 33, "stir-mnist");
    // 33 and 48 px are seen in training, 17, 32 and 64 px are not; nothing was tested at 49.
    for (const double more : {0.0, 0.02})
      records.push_back(tested(full.at(more > 0 ? 1 : 0), {{17 / 64.0, 0.90 + more},
                                                           {32 / 64.0, 0.94 + more},
                                                           {33 / 64.0, 0.96 + more},
                                                           {48 / 64.0, 0.98 + more},
                                                           {49 / 64.0, -1},
                                                           {64 / 64.0, 0.95 + more}}));
    records.push_back(tested(cnn.at(0), {{17 / 64.0, 0.5}, {33 / 64.0, 0.9}}));
  }
  std::vector<runs::RunRecord> records;
};

TEST_F(StirReport, has_means_over_unseen_and_over_all_sizes) {
  const auto report = make_report(records, {});
  const auto& table = section(report, "STIR: stir-mnist, trained on 33 to 48 px").tables.at(0);
  const auto& unseen = *cell(table, "scdcfnet-full", "unseen sizes").measured;
  EXPECT_EQ(unseen.count, 2);
  EXPECT_NEAR(unseen.mean, (90 + 94 + 95) / 3.0 + 1, 1e-9);
  EXPECT_NEAR(*unseen.deviation, std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(cell(table, "scdcfnet-full", "all sizes").measured->mean, (90 + 94 + 96 + 98 + 95) / 5.0 + 1, 1e-9);
  EXPECT_NEAR(cell(table, "scdcfnet-full", "17 px").measured->mean, 91, 1e-9);
  EXPECT_NEAR(cell(table, "cnn", "unseen sizes").measured->mean, 50, 1e-9);
  EXPECT_FALSE(cell(table, "cnn", "64 px").measured.has_value());
  const auto& plot = section(report, "STIR: stir-mnist, trained on 33 to 48 px").pictures.at(0).plot;
  ASSERT_EQ(plot.series.size(), 3U);
  EXPECT_EQ(plot.series[1].x, (std::vector<double>{17, 32, 33, 48, 64}));
  EXPECT_NEAR(plot.series[1].y[4], 96, 1e-9);
  EXPECT_EQ(plot.series[2].y, (std::vector<double>{90.8, 90.8})) << "the best that was published on this scenario";
}

TEST_F(StirReport, has_the_published_numbers_of_its_scenario_marked_as_such) {
  const auto report = make_report(records, {});
  const auto& own = section(report, "STIR: stir-mnist, trained on 33 to 48 px");
  EXPECT_EQ(own.tables.at(0).rows.size(), 2U + 9);
  EXPECT_EQ(cell(own.tables.at(0), "SESN (published)", "unseen sizes").text, "84.3");
  EXPECT_EQ(cell(own.tables.at(0), "SESN (published)", "17 px").text, "–");
  for (const char* part : {"Altstidl et al. 2023", "two convolutions, of 16 and 32 channels", "rebuilt"})
    EXPECT_NE(own.text.find(part), std::string::npos) << own.text;
  EXPECT_NE(own.text.find("by their own recipe."), std::string::npos) << "as planned: " << own.text;
  EXPECT_EQ(std::count_if(report.sections.begin(), report.sections.end(),
                          [](const auto& one) { return one.title.rfind("Unseen scales", 0) == 0; }),
            0)
      << "that is the other experiment";
}

TEST_F(StirReport, other_sets_and_protocols_stand_apart) {
  auto fashion = part(plan_stir({}), "cnn", 33, "stir-fashion").front(),
       shorter = part(plan_stir({}), "cnn", 33, "stir-mnist").front();
  shorter.config.train.epochs = 3;
  const auto report =
      make_report({tested(fashion, {{17 / 64.0, 0.5}}), tested(shorter, {{17 / 64.0, 0.4}}), records.back()}, {});
  EXPECT_EQ(section(report, "STIR: stir-fashion, trained on 33 to 48 px").tables.at(0).rows.size(), 1U)
      << "nobody has published on it";
  EXPECT_EQ(std::count_if(report.sections.begin(), report.sections.end(),
                          [](const auto& one) { return one.title == "STIR: stir-mnist, trained on 33 to 48 px"; }),
            2);
}

TEST(LargeScaleReport, has_every_half_octave_and_riesznet_where_it_was_trained_alike) {
  const auto plan = plan_large_scale({});
  std::vector<runs::RunRecord> records;
  for (const double scale : {1.0, 2.0})
    records.push_back(tested(part(plan, "scdcfnet-full", scale, "mnist-large-scale").front(),
                             {{0.125, 0.9}, {0.25, 0.99}, {0.25 * std::exp2(0.25), 0.98}, {0.5, 0.97}, {2, 0.6}}));
  const auto report = make_report(records, {});
  const auto& at_1 = section(report, "Large scale: mnist-large-scale, trained at s = 1");
  const auto& table = at_1.tables.at(0);
  EXPECT_EQ(table.columns.size(), 2U + 9);
  EXPECT_NEAR(cell(table, "scdcfnet-full", "unseen sizes").measured->mean, (90 + 98 + 97 + 60) / 4.0, 1e-9);
  EXPECT_NEAR(cell(table, "scdcfnet-full", "s = 8").measured->mean, 60, 1e-9);
  EXPECT_EQ(cell(table, "RieszNet (published)", "s = 0.5").text, "96.34");
  EXPECT_EQ(cell(table, "RieszNet (published)", "s = 8").text, "51.82");
  EXPECT_EQ(cell(table, "RieszNet (published)", "s = 1.41").text, "–");
  ASSERT_EQ(at_1.pictures.at(0).plot.series.size(), 2U);
  EXPECT_EQ(at_1.pictures.at(0).plot.series[0].x.size(), 5U) << "the plot has every size";
  const auto& at_2 = section(report, "Large scale: mnist-large-scale, trained at s = 2");
  EXPECT_EQ(at_2.tables.at(0).rows.size(), 1U);
  EXPECT_NE(at_1.text.find("Published: RieszNet"), std::string::npos);
  EXPECT_EQ(at_2.text.find("Published"), std::string::npos) << "nobody has published on it: " << at_2.text;
  EXPECT_NEAR(cell(at_2.tables.at(0), "scdcfnet-full", "unseen sizes").measured->mean, (90 + 99 + 98 + 60) / 4.0, 1e-9);
}

TEST(PublishedSizes, have_a_number_for_every_scenario) {
  EXPECT_EQ(published_stir().size(), 9U);
  for (const auto& row : published_stir()) EXPECT_EQ(row.unseen.size(), stir_scenarios().size()) << row.network;
  for (const auto& row : published_large_scale()) EXPECT_EQ(row.scales.size(), row.accuracies.size()) << row.network;
}

}  // namespace
