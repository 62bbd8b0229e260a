// The runs that each experiment is made of. Realisation by realisation, so that a table that was stopped halfway has
// something in every cell.
#pragma once

#include "scdcf/runs/planned_run.h"
#include "scdcf/tables/plan_options.h"

namespace scdcf::tables {

/// A plan; without runs where the options leave nothing of the experiment.
using Plan = std::vector<runs::PlannedRun>;

/// Tables 1 and 2: eight networks, 28 and 56 pixels, plain and augmented, N_tr = 2,000, 5,000 and 10,000.
Plan plan_digits(const PlanOptions& options, const std::string& data);
/// The networks with a scale axis and the CNN with one block for all: ReLU, average pooling, norm.
Plan plan_pooling(const PlanOptions& options);
/// ScDCFNet with one tap in scale, and with one tap and three planes half an octave apart: about the CNN's cost.
Plan plan_light(const PlanOptions& options);
/// Table 3: ten pairs (K_alpha, K). The pair (3, 15) is the ScDCFNet of Tables 1 and 2: the same runs.
Plan plan_ablation(const PlanOptions& options);
/// How Table 4 is trained; what it says in pixels is for 96 of them and goes with the size.
train::TrainOptions natural_recipe(int size);
/// Table 4: ResNet-16 with seven kinds of convolution.
Plan plan_natural(const PlanOptions& options);
/// Trained on objects of one range of sizes, tested on all.
Plan plan_scale_generalisation(const PlanOptions& options);
/// The same of SFashion at factors 0.8 to 1, beside networks that are shown all sizes by augmentation.
Plan plan_augmented(const PlanOptions& options);
/// Objects anywhere, trained on 17 to 32, 33 to 48 or 49 to 64 pixels of 64, tested on 17 to 64.
Plan plan_stir(const PlanOptions& options);
/// Objects in the middle, trained at 1, 2 or 4 times 28 pixels of 112, tested at 0.5 to 8 times.
Plan plan_large_scale(const PlanOptions& options);
/// ScDCFNet with K = 5 to 25 and the CNN, tested on deformed images.
Plan plan_deformation(const PlanOptions& options);
/// Time, multiply-adds and memory of every network, and the runs that say how accurate it is. `machine` says where.
struct CostPlan {
  Plan accuracy, cost;
};
CostPlan plan_cost(const PlanOptions& options, const std::string& machine);

}  // namespace scdcf::tables
