#include "scdcf/train/recipe.h"

#include "scdcf/models/registry.h"

namespace scdcf::train {

RunConfig with_recipe(RunConfig config) {
  if (!models::find_model(config.model.name).fits_objects) return config;
  auto& train = config.train;
  train.optimizer = "adamw";
  train.learning_rate = 3e-3;
  train.weight_decay = 3;  // times the rate: a hundred steps forget. See docs/notebook.md
  train.schedule = "cosine";
  train.warm_up = 50;
  train.epochs = 32;
  if (data::ground_of(config.data.name) == 0) config.data.normalisation = "black";
  return config;
}

}  // namespace scdcf::train
