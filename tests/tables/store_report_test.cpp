// A known store gives known means, deviations and marks.
#include "scdcf/tables/store_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scdcf/models/registry.h"
#include "scdcf/tables/plans.h"
#include "support/fake_runs.h"
#include "support/look_up.h"
#include "support/scratch_folder.h"

namespace {

using namespace scdcf;
using namespace scdcf::tables;
using scdcf::testing::cell;
using scdcf::testing::section;

/// A done record of a planned run.
runs::RunRecord done(const runs::PlannedRun& run, double percent) {
  runs::RunRecord record;
  record.key = runs::key_of(run);
  record.status = "done";
  record.measure = run.measure;
  record.asked = scdcf::train::to_json(run.config);
  record.realisation = run.config.data.realisation;
  record.accuracy = percent / 100;
  record.provenance = {"abc", "0.1.0", "1.13", "a machine"};
  return record;
}

runs::PlannedRun planned(const std::string& model, int realisation, std::int64_t train_size = 2000) {
  runs::PlannedRun run;
  run.config.model.name = model;
  run.config.data.name = "smnist";
  run.config.data.size = 28;
  run.config.data.train_size = train_size;
  run.config.data.realisation = realisation;
  run.config.train.weight_decay = 0;  // as in the tables
  return run;
}

TEST(Summary, is_mean_and_sample_deviation) {
  const auto summary = summarise({1, 2, 3, 4});
  EXPECT_EQ(summary.count, 4);
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(*summary.deviation, std::sqrt(5.0 / 3));
  EXPECT_FALSE(summarise({7}).deviation.has_value());
  EXPECT_EQ(text_of(summary), "2.50 ± 1.29");
  EXPECT_EQ(text_of(summarise({7})), "7.00");
}

TEST(Mark, is_within_from_one_end_of_the_band_to_the_other) {
  const PaperValue paper{95, 0.5};
  const auto mark = [&](double mean) { return mark_of(summarise({mean}), paper); };
  EXPECT_EQ(mark(94.5), Mark::within);
  EXPECT_EQ(mark(95.5), Mark::within);
  EXPECT_EQ(mark(94.49), Mark::below);
  EXPECT_EQ(mark(95.51), Mark::above);
  EXPECT_EQ(mark_of(std::nullopt, paper), Mark::not_run);
  EXPECT_EQ(mark_of(summarise({1}), std::nullopt), Mark::not_in_paper);
}

class Report : public scdcf::testing::ScratchFolder {};

TEST_F(Report, of_a_known_store_has_known_cells) {
  std::vector<runs::RunRecord> records;
  // Table 1, N = 2,000: the paper has 95.01 +- 0.27 for the CNN, 95.87 +- 0.18 for ScDCFNet, 95.06 +- 0.24 for DSS.
  for (const double value : {95.0, 95.2, 95.4})
    records.push_back(done(planned("cnn", static_cast<int>(records.size())), value));
  records.push_back(done(planned("scdcfnet", 0), 96.2));
  records.push_back(done(planned("scdcfnet", 1), 96.0));
  records.push_back(done(planned("dss", 0), 94.0));
  const auto report = make_report(records, {});
  const auto& table = section(report, "Table 1").tables.at(0);
  EXPECT_EQ(table.columns.size(), 6U);
  EXPECT_EQ(table.rows.size(), 8U + 2);
  const auto& cnn = cell(table, "cnn", "N = 2,000");
  EXPECT_EQ(cnn.measured->count, 3);
  EXPECT_NEAR(cnn.measured->mean, 95.2, 1e-9);
  EXPECT_NEAR(*cnn.measured->deviation, 0.2, 1e-9);
  EXPECT_EQ(cnn.paper->mean, 95.01);
  EXPECT_EQ(cnn.mark(), Mark::within);
  EXPECT_EQ(cell(table, "scdcfnet", "N = 2,000").mark(), Mark::above);
  EXPECT_EQ(cell(table, "dss", "N = 2,000").mark(), Mark::below);
  EXPECT_EQ(cell(table, "cnn", "N = 5,000").mark(), Mark::not_run);
  EXPECT_EQ(cell(table, "cnn", "N = 2,000 +").paper->mean, 96.36);
  const auto& text = section(report, "Table 1").text;
  EXPECT_NE(text.find("1 are within"), std::string::npos) << text;
  EXPECT_NE(text.find("1 above, 1 below, 45 not run"), std::string::npos) << text;
  EXPECT_EQ(section(report, "Table 2").text, "Not run: scdcf reproduce sfashion");
  EXPECT_EQ(section(report, "Table 4").text, "Not run: scdcf reproduce stl10");
  EXPECT_EQ(report.made_by, (std::vector<std::string>{"6 runs: scdcf 0.1.0 (abc), LibTorch 1.13, on a machine"}));
}

TEST_F(Report, keeps_runs_of_another_protocol_apart) {
  auto shorter = planned("cnn", 0);
  shorter.config.train.epochs = 5;
  const auto report = make_report({done(planned("cnn", 0), 95), done(shorter, 60)}, {});
  int tables = 0;
  for (const auto& one : report.sections) {
    if (one.title.rfind("Table 1", 0) != 0) continue;
    ++tables;
    const bool short_one = one.text.find("epochs 5") != std::string::npos;
    EXPECT_NEAR(cell(one.tables.at(0), "cnn", "N = 2,000").measured->mean, short_one ? 60 : 95, 1e-9);
  }
  EXPECT_EQ(tables, 2);
}

TEST_F(Report, the_ablation_has_the_full_network_from_table_1) {
  auto smaller = planned("scdcfnet", 0);
  smaller.config.model.modes = 6;
  smaller.config.model.scale_modes = 2;
  const auto report = make_report({done(planned("scdcfnet", 0), 95.9), done(smaller, 95.0)}, {});
  const auto& table = section(report, "Table 3").tables.at(0);
  ASSERT_EQ(table.rows.size(), 10U);
  EXPECT_EQ(table.rows[0].labels, (std::vector<std::string>{"3", "15", "1.00"}));
  EXPECT_NEAR(table.rows[0].cells[0].measured->mean, 95.9, 1e-9);
  EXPECT_EQ(table.rows[6].labels, (std::vector<std::string>{"2", "6", "0.27"}));
  EXPECT_NEAR(table.rows[6].cells[0].measured->mean, 95.0, 1e-9);
  EXPECT_EQ(table.rows[6].cells[0].mark(), Mark::below);
  EXPECT_EQ(cell(section(report, "Table 1").tables.at(0), "scdcfnet", "N = 2,000").measured->count, 1)
      << "the smaller one does not count as ScDCFNet there";
}

TEST_F(Report, of_unseen_scales_averages_over_realisations) {
  std::vector<runs::RunRecord> records;
  for (const int realisation : {0, 1}) {
    auto run = planned("cnn", realisation, 5000);
    run.measure = runs::Measure::scales;
    run.config.data.smallest_factor = 0.8;
    auto record = done(run, 90);
    record.measurements = {{"scales",
                            {{{"from", 0.3}, {"to", 0.4}, {"count", 10}, {"accuracy", 0.2 + 0.2 * realisation}},
                             {{"from", 0.9}, {"to", 1.0}, {"count", 10}, {"accuracy", 0.9}}}}};
    records.push_back(record);
  }
  const auto report = make_report(records, {});
  const auto& table = section(report, "Unseen scales: smnist, trained on factors 0.8 to 1").tables.at(0);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"0.35", "0.95"}));
  EXPECT_NEAR(table.rows.at(0).cells.at(0).measured->mean, 30, 1e-9);
  EXPECT_NEAR(table.rows.at(0).cells.at(1).measured->mean, 90, 1e-9);
  EXPECT_EQ(section(report, "Table 1").tables.size(), 0U) << "a run with another range is no run of Table 1";
}

TEST_F(Report, of_unseen_scales_has_all_planned_networks_in_one_table) {
  PlanOptions options;
  options.models = {"cnn", "scdcfnet", "scdcfnet-full", "pyramid-cnn"};
  options.data = {"smnist"};
  options.realisations = {0};
  std::vector<runs::RunRecord> records;
  for (const auto& run : plan_scale_generalisation(options)) {
    if (run.config.data.smallest_factor != 0.8) continue;
    records.push_back(done(run, 90));
    records.back().measurements = {{"scales", {{{"from", 0.3}, {"to", 0.4}, {"count", 10}, {"accuracy", 0.5}}}}};
  }
  const auto report = make_report(records, {});
  const auto& unseen = section(report, "Unseen scales: smnist, trained on factors 0.8 to 1");
  for (const auto& model : options.models)
    EXPECT_NEAR(cell(unseen.tables.at(0), model, "0.35").measured->mean, 50, 1e-9) << model;
  EXPECT_EQ(unseen.text.find("modes"), std::string::npos) << "nobody asked for other modes: " << unseen.text;
  EXPECT_EQ(unseen.title.find("quick"), std::string::npos) << unseen.title;
  options.quick = true;
  auto quick = done(plan_scale_generalisation(options).front(), 90);
  quick.measurements = records.front().measurements;
  EXPECT_NE(section(make_report({quick}, {}), "Unseen scales").title.find("(quick runs)"), std::string::npos);
}

TEST_F(Report, of_unseen_scales_has_networks_that_were_shown_them_in_the_same_table) {
  PlanOptions options;
  options.realisations = {0};
  std::vector<runs::RunRecord> records;
  for (const auto& run : plan_augmented(options)) {
    records.push_back(done(run, 90));
    records.back().measurements = {{"scales", {{{"from", 0.3}, {"to", 0.4}, {"count", 10}, {"accuracy", 0.5}}}}};
  }
  const auto report = make_report(records, {});
  const auto& unseen = section(report, "Unseen scales: sfashion, trained on factors 0.8 to 1");
  const auto& rows = unseen.tables.at(0).rows;
  EXPECT_EQ(rows.size(), 7U);
  for (const char* name :
       {"cnn", "scdcfnet-full", "pyramid-cnn", "cnn (weight_decay 0.0, scale_octaves 1.585)",
        "scdcfnet (optimizer adamw, learning_rate 0.003, weight_decay 0.5, schedule cosine, epochs 120, "
        "scale_octaves 1.585)"})
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.labels.front() == name; }))
        << name << " of " << rows.at(1).labels.front() << ", " << rows.at(2).labels.front();
}

TEST_F(Report, of_another_recipe_has_what_was_run_alone) {
  auto other = planned("cnn", 0);
  other.config.train.weight_decay = 1e-4;
  const auto report = make_report({done(other, 95)}, {});
  const auto& table1 = section(report, "Table 1");
  EXPECT_NE(table1.text.find("Not quite as in the paper: weight_decay 0.0001."), std::string::npos) << table1.text;
  EXPECT_EQ(table1.tables.at(0).rows.size(), 1U);
  EXPECT_EQ(table1.tables.at(0).columns, (std::vector<std::string>{"N = 2,000"}));
  auto on_gpu = planned("cnn", 0);
  on_gpu.config.train.precision = "tf32";
  const auto tf32 = make_report({done(on_gpu, 95)}, {});
  EXPECT_EQ(section(tf32, "Table 1").text.find("Trained as in the paper, precision tf32. Where"), 0U);
  EXPECT_EQ(section(tf32, "Table 1").tables.at(0).rows.size(), 8U + 2) << "every network of the paper";
}

TEST_F(Report, joins_cost_and_accuracy) {
  std::vector<runs::RunRecord> records = {done(planned("cnn", 0), 95), done(planned("scdcfnet", 0), 96)};
  for (const char* model : {"scdcfnet", "cnn"}) {
    runs::PlannedRun run;
    run.config.model.name = model;
    run.config.data.size = 28;
    run.measure = runs::Measure::cost;
    auto record = done(run, 0);
    record.measurements = {{"parameters", 494549}, {"multiply_adds", 35e6}, {"inference_ms", 0.1},
                           {"training_ms", 0.3},   {"training_bytes", 1e6}, {"batch", 32}};
    records.push_back(record);
  }
  const auto report = make_report(records, {});
  const auto& cost = section(report, "Cost at 28 pixels on a machine");
  EXPECT_EQ(cost.tables.at(0).rows.at(0).labels, (std::vector<std::string>{"cnn", "494,549"}));
  EXPECT_NEAR(cost.tables.at(0).rows.at(1).cells.at(0).measured->mean, 96, 1e-9);
  EXPECT_EQ(cost.pictures.size(), 2U);
}

TEST_F(Report, cost_is_that_of_the_network_whose_accuracy_stands_beside_it) {
  PlanOptions options;
  options.models = {"cnn", "scdcfnet-full"};
  const auto plan = plan_cost(options, "a machine");
  std::vector<runs::RunRecord> records;
  for (const auto& run : plan.accuracy) records.push_back(done(run, 90));
  for (const auto& run : plan.cost) {
    records.push_back(done(run, 0));
    records.back().measurements = {{"parameters", 482506}, {"multiply_adds", 35e6}, {"inference_ms", 0.1},
                                   {"training_ms", 0.3},   {"training_bytes", 1e6}, {"batch", 32}};
  }
  const auto report = make_report(records, {});
  const auto& cost = section(report, "Cost at 28 pixels on a machine").tables.at(0);
  for (const auto& name : options.models)
    EXPECT_NEAR(cell(cost, name, "accuracy (%)").measured->mean, 90, 1e-9) << name;
  for (const auto& run : plan.cost)
    if (run.config.model.name == "scdcfnet-full") {
      auto model = run.config.model;
      model.image_size = 28;
      const auto resolved = models::resolve(model);
      EXPECT_EQ(resolved.smaller, 1) << "all sizes are trained on, none is looked for beyond";
      EXPECT_EQ(resolved.smallest_object, 0.3);
    }
}

TEST_F(Report, tells_what_failed_and_what_was_lost) {
  auto failed = done(planned("cnn", 0), 0), lost = done(planned("dss", 1), 0);
  failed.status = "failed";
  failed.error = "the loss is not finite | <b>";
  lost.status = "lost";
  const auto report = make_report({failed, failed, lost, done(planned("dss", 1), 95)}, {"results.jsonl:3: not JSON"});
  ASSERT_EQ(report.problems.size(), 3U);
  const auto has = [&](const std::string& text) {
    return std::any_of(report.problems.begin(), report.problems.end(),
                       [&](const auto& one) { return one.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("cnn smnist 28 N=2000 realisation 0: failed 2 times: the loss is not finite"));
  EXPECT_TRUE(has("NOT DONE"));
  EXPECT_TRUE(has("killed in the middle once; done since"));
  EXPECT_TRUE(has("results.jsonl:3"));
  EXPECT_EQ(to_html(report).find("<b>;"), std::string::npos) << "what an error says is text";
}

TEST_F(Report, is_written_as_markdown_html_csv_and_plots) {
  std::vector<runs::RunRecord> records;
  for (const std::int64_t train_size : {2000, 5000})
    for (const int realisation : {0, 1})
      records.push_back(done(planned("scdcfnet", realisation, train_size), 95 + realisation * 0.5));
  const auto missing = write_report(make_report(records, {}), folder_);
  const auto markdown = read(folder_ / "report.md"), html = read(folder_ / "report.html"),
             csv = read(folder_ / "tables" / "smnist-28.csv");
  EXPECT_NE(markdown.find("| scdcfnet | 95.25 ± 0.35 (n=2)<br>paper 95.87 ± 0.18, below |"), std::string::npos)
      << markdown;
  EXPECT_NE(html.find("<td class=\"below\"><b>95.25 ± 0.35</b>"), std::string::npos);
  EXPECT_NE(csv.find("scdcfnet,\"N = 2,000\",95.25,0.353553,2,95.87,0.18,below,\n"), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + (8 + 2) * 6);
  for (const char* kind : {".dat", ".gp"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "plots" / ("smnist-28-growth" + std::string(kind))));
  if (missing.empty()) {
    for (const char* kind : {".png", ".svg"})
      EXPECT_GT(read(folder_ / "plots" / ("smnist-28-growth" + std::string(kind))).size(), 1000U);
  }
}

}  // namespace
