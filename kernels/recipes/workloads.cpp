// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/workloads.h"

namespace mansard {

std::vector<LinearShape> TransformerModel::linear_layers() const {
  const std::int64_t q = heads * kHeadSize;
  const std::int64_t kv = kv_heads * kHeadSize;
  return {{"qkv", hidden, q + 2 * kv},
          {"o", q, hidden},
          {"gate_up", hidden, 2 * ffn},
          {"down", ffn, hidden}};
}

namespace {
double weights_of_block(const TransformerModel& model) {
  double weights = 0;
  for (const LinearShape& layer : model.linear_layers()) {
    weights += static_cast<double>(layer.in_features) * static_cast<double>(layer.out_features);
  }
  return weights;
}
}  // namespace

double TransformerModel::parameters() const {
  const auto width = static_cast<double>(hidden);
  // Two norms a block and one at the end; embedding and head are separate.
  return static_cast<double>(blocks) * (weights_of_block(*this) + 2 * width) + width +
         2 * static_cast<double>(vocabulary) * width;
}

double TransformerModel::training_flop_per_token(std::int64_t sequence) const {
  const double matrices = static_cast<double>(blocks) * weights_of_block(*this) +
                          static_cast<double>(vocabulary) * static_cast<double>(hidden);
  const double attention = static_cast<double>(blocks) * static_cast<double>(sequence) *
                           static_cast<double>(heads * kHeadSize);
  return 6 * matrices + 6 * attention;
}

// Source: "The Llama 3 Herd of Models" (arXiv 2407.21783), table 3.
const std::vector<TransformerModel>& transformer_models() {
  static const std::vector<TransformerModel> models = {
      {"llama3-8b", 32, 4096, 32, 8, 14336, 128256},
      {"llama3-70b", 80, 8192, 64, 8, 28672, 128256},
      {"llama3-405b", 126, 16384, 128, 8, 53248, 128256},
  };
  return models;
}

const TransformerModel* find_transformer_model(std::string_view name) {
  for (const TransformerModel& model : transformer_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace mansard
