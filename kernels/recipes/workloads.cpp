// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/workloads.h"

#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>

#include "kernels/formats/shape.h"

namespace mansard::kernels {
namespace {

struct Sums {
  double with_ffn = 0;
  double with_attention = 0;
  double weights = 0;  // of the matrices in the blocks
};

Sums sums_of(const TransformerModel& model) {
  Sums sums;
  for (const TransformerBlocks& b : model.blocks) {
    if (b.ffn > 0) sums.with_ffn += static_cast<double>(b.count);
    if (b.attention) sums.with_attention += static_cast<double>(b.count);
  }
  for (const LinearShape& layer : model.linear_layers()) {
    sums.weights += static_cast<double>(layer.count) * static_cast<double>(layer.in_features) *
                    static_cast<double>(layer.out_features);
  }
  return sums;
}

constexpr const char* kSuper49b =
    "1xA2.625 5xA5.25 2x-2.625 3xA5.25 1x-3.28125 30xA5.25 1x-1.3125 2x-2.625 1x-1.3125 1x-5.25 "
    "1x-1.3125 1x-2.625 3x-1.3125 1xA5.25 1x-1.3125 2x-1.0 1x-1.3125 3x-1.0 2x-1.3125 2x-0.5 "
    "2x-1.0 2x-0.5 1x-1.0 2x-0.5 9xA5.25";
constexpr const char* kUltra253b =
    "1xA0.4875 1xA0.975 6xA1.4625 1xA1.95 4xNone 3xA1.95 2xA4.875 6xNone 3xA4.875 5xNone 3xA4.875 "
    "1xA2.4375 3xNone 3xA1.95 1x-1.95 1xA4.875 1x-4.875 5xNone 4xA4.875 5xNone 4xA4.875 5xNone "
    "4xA4.875 5xNone 4xA4.875 5xNone 1xA4.875 3xA3.4125 2xNone 1xA2.925 3xA2.4375 2x-2.4375 "
    "1xA2.4375 1xNone 7x-2.4375 1xA2.4375 5xNone 1xA2.925 1xA4.875 1x-4.875 1xA4.875 8xNone "
    "1x-36.5625 8xNone 1x-39.0 8xNone 1x-31.40625 5xNone 1x-27.5625 1x-1.95 1xA1.95 1xA2.4375 "
    "1xNone 2xA2.4375 1xA3.4125 4xA4.875 1xA2.4375";

}  // namespace

std::int64_t searched_ffn(double multiplier, std::int64_t hidden) {
  return round_up(static_cast<std::int64_t>(2 * multiplier * static_cast<double>(hidden) / 3), 256);
}

std::vector<TransformerBlocks> searched_blocks(const std::string& text, std::int64_t hidden) {
  std::vector<TransformerBlocks> blocks;
  std::istringstream in(text);
  std::string part;
  while (in >> part) {
    const char* const end = part.data() + part.size();
    std::int64_t count = 0;
    const char* at = std::from_chars(part.data(), end, count).ptr;
    double multiplier = 0;
    const std::string kind(at < end && *at == 'x' ? at + 1 : end, end);
    const bool nothing = kind == "None";
    const bool is_valid =
        count > 0 && !kind.empty() &&
        (nothing || ((kind.front() == 'A' || kind.front() == '-') &&
                     std::from_chars(kind.data() + 1, kind.data() + kind.size(), multiplier).ptr ==
                         kind.data() + kind.size() &&
                     multiplier >= 0));
    if (!is_valid || kind.size() == 1) {
      throw std::invalid_argument("blocks '" + part +
                                  "': give a number and a kind, such as 3xA5.25 (attention and an "
                                  "FFN multiplier), 2x-2.625 (no attention) or 1xNone");
    }
    blocks.push_back({count, kind.front() == 'A', nothing ? 0 : searched_ffn(multiplier, hidden)});
  }
  return blocks;
}

std::vector<LinearShape> TransformerModel::linear_layers() const {
  std::int64_t with_attention = 0;
  std::map<std::int64_t, std::int64_t> of_width;
  for (const TransformerBlocks& b : blocks) {
    if (b.attention) with_attention += b.count;
    if (b.ffn > 0) of_width[b.ffn] += b.count;
  }
  std::vector<LinearShape> layers = {
      {"qkv", hidden, q_features() + 2 * kv_features(), with_attention},
      {"o", q_features(), hidden, with_attention}};
  const std::string up = architecture == Architecture::llama ? "gate_up" : "up";
  for (const auto& [width, count] : of_width) {
    const std::string suffix = of_width.size() > 1 ? "_" + std::to_string(width) : "";
    layers.push_back({up + suffix, hidden, ffn_inputs(width), count});
    layers.push_back({"down" + suffix, width, hidden, count});
  }
  return layers;
}

double TransformerModel::parameters() const {
  const auto width = static_cast<double>(hidden);
  const Sums sums = sums_of(*this);
  // A norm before each part of a block and one at the end.
  const double norms = sums.with_ffn + sums.with_attention + 1;
  if (architecture == Architecture::llama) {
    return sums.weights + norms * width + 2 * static_cast<double>(vocabulary) * width;
  }
  double biases = 0;
  for (const LinearShape& layer : linear_layers()) {
    biases += static_cast<double>(layer.count) * static_cast<double>(layer.out_features);
  }
  return sums.weights + biases + 2 * norms * width +
         static_cast<double>(vocabulary + positions) * width;
}

double TransformerModel::training_flop_per_token(std::int64_t sequence) const {
  const Sums sums = sums_of(*this);
  const double matrices =
      sums.weights + static_cast<double>(vocabulary) * static_cast<double>(hidden);
  const double attention =
      sums.with_attention * static_cast<double>(sequence) * static_cast<double>(q_features());
  return 6 * matrices + 6 * attention;
}

// Sources: "The Llama 3 Herd of Models" (arXiv 2407.21783), table 3; "Llama 2" (arXiv 2307.09288);
// "Llama-Nemotron: Efficient Reasoning Models" (arXiv 2505.00949) and the configurations published
// with its models; "Language Models are Unsupervised Multitask Learners" (GPT-2) and OpenAI's
// published weights. Nemotron Nano 8B has the architecture of Llama 3.1 8B.
const std::vector<TransformerModel>& transformer_models() {
  static const std::vector<TransformerModel> models = {
      {"llama3-8b", 4096, 32, 8, 128256, {{32, true, 14336}}},
      {"llama3-70b", 8192, 64, 8, 128256, {{80, true, 28672}}},
      {"llama3-405b", 16384, 128, 8, 128256, {{126, true, 53248}}},
      {"llama2-7b", 4096, 32, 32, 32000, {{32, true, 11008}}},
      {"llama2-13b", 5120, 40, 40, 32000, {{40, true, 13824}}},
      {"llama2-70b", 8192, 64, 8, 32000, {{80, true, 28672}}},
      {"nemotron-nano-8b", 4096, 32, 8, 128256, {{32, true, 14336}}},
      {"nemotron-super-49b", 8192, 64, 8, 128256, searched_blocks(kSuper49b, 8192)},
      {"nemotron-ultra-253b", 16384, 128, 8, 128256, searched_blocks(kUltra253b, 16384)},
      {"gpt2-124m", 768, 12, 12, 50257, {{12, true, 3072}}, 64, Architecture::gpt2, 1024},
  };
  return models;
}

const TransformerModel* find_transformer_model(std::string_view name) {
  for (const TransformerModel& model : transformer_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace mansard::kernels
