// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/training_job.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "support/units.h"

namespace mansard::analysis {
namespace {

// Largest count: products of three fit in 64 bits.
constexpr std::int64_t kMaxCount = 1 << 20;

[[noreturn]] void fail_job(const std::string& what) { throw std::runtime_error(what); }

std::string of(std::string_view name, std::int64_t value) {
  return std::string(name) + " " + std::to_string(value);
}

void require_divides(std::int64_t part, std::string_view part_name, std::int64_t whole,
                     std::string_view whole_name) {
  if (whole % part == 0) return;
  fail_job(of(part_name, part) + " does not divide " + of(whole_name, whole));
}

}  // namespace

Precision precision_of(kernels::Recipe recipe) {
  switch (recipe) {
    case kernels::Recipe::bf16:
      return Precision::bf16;
    case kernels::Recipe::fp8:
    case kernels::Recipe::fp8_delayed:
    case kernels::Recipe::fp8_block:
      return Precision::fp8_e4m3;
    case kernels::Recipe::mxfp8:
      return Precision::mxfp8;
    case kernels::Recipe::nvfp4:
      return Precision::nvfp4;
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return Precision::bf16;
}

std::vector<kernels::TransformerBlocks> layers_of(const kernels::TransformerModel& model) {
  std::vector<kernels::TransformerBlocks> layers;
  for (const kernels::TransformerBlocks& blocks : model.blocks) {
    kernels::TransformerBlocks one = blocks;
    one.count = 1;
    layers.insert(layers.end(), static_cast<std::size_t>(blocks.count), one);
  }
  return layers;
}

std::vector<std::vector<std::size_t>> pipeline_chunks(const TrainingJob& job) {
  const std::size_t layers = layers_of(job.model).size();
  const auto chunks = static_cast<std::size_t>(job.pipeline * job.virtual_pipeline);
  const bool even = layers % chunks == 0;
  if (!even && (layers + 2) % chunks != 0) {
    fail_job(std::to_string(layers) + " layers of " + job.model.name + " cannot be split into " +
             std::to_string(chunks) + " equal pieces (pipeline " + std::to_string(job.pipeline) +
             " x virtual " + std::to_string(job.virtual_pipeline) +
             "), not even with embedding and head counted as one layer each");
  }
  const std::size_t slots = (even ? layers : layers + 2) / chunks;
  std::vector<std::vector<std::size_t>> out(chunks);
  std::size_t next = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    const bool outer = !even && (c == 0 || c + 1 == chunks);
    for (std::size_t i = outer ? 1 : 0; i < slots; ++i) out[c].push_back(next++);
  }
  return out;
}

std::vector<std::vector<std::size_t>> pipeline_stages(const TrainingJob& job) {
  std::vector<std::vector<std::size_t>> stages(static_cast<std::size_t>(job.pipeline));
  const auto chunks = pipeline_chunks(job);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    std::vector<std::size_t>& stage = stages[c % stages.size()];
    stage.insert(stage.end(), chunks[c].begin(), chunks[c].end());
  }
  return stages;
}

double parameters_of_block(const kernels::TransformerModel& model,
                           const kernels::TransformerBlocks& block) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto q = static_cast<double>(model.q_features());
  const auto kv = static_cast<double>(model.kv_features());
  double parameters = 0;
  if (block.attention) parameters += hidden * (2 * q + 2 * kv) + hidden;
  if (block.ffn > 0) parameters += 3 * hidden * static_cast<double>(block.ffn) + hidden;
  return parameters;
}

std::vector<double> parameters_of_stages(const TrainingJob& job) {
  const std::vector<kernels::TransformerBlocks> layers = layers_of(job.model);
  const auto hidden = static_cast<double>(job.model.hidden);
  const double outer = static_cast<double>(job.model.vocabulary) * hidden;
  std::vector<double> parameters;
  for (const std::vector<std::size_t>& stage : pipeline_stages(job)) {
    double sum = 0;
    for (const std::size_t layer : stage) sum += parameters_of_block(job.model, layers[layer]);
    parameters.push_back(sum);
  }
  parameters.front() += outer;
  parameters.back() += outer + hidden;
  for (double& sum : parameters) sum /= static_cast<double>(job.tensor);
  return parameters;
}

double parameters_of_rank(const TrainingJob& job) {
  return std::ranges::max(parameters_of_stages(job));
}

std::string layout_text(const TrainingJob& j) {
  std::string text = format_number_of(j.gpus, "GPU");
  const auto add = [&](const char* name, std::int64_t value) {
    if (value > 1) text += std::string(", ") + name + " " + std::to_string(value);
  };
  add("tensor", j.tensor);
  add("pipeline", j.pipeline);
  add("virtual", j.virtual_pipeline);
  add("context", j.context);
  add("data", j.data());
  if (j.fully_sharded) text += ", fully sharded";
  return text;
}

void set_recompute(TrainingJob& job, std::string_view text) {
  job.recompute_layers = 0;
  if (text == "none") {
    job.recompute = Recompute::none;
  } else if (text == "selective") {
    job.recompute = Recompute::selective;
  } else if (text == "full") {
    job.recompute = Recompute::full;
  } else if (text.starts_with("full:")) {
    const std::string_view digits = text.substr(5);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), job.recompute_layers);
    if (error != std::errc() || end != digits.data() + digits.size() || job.recompute_layers < 1) {
      fail_job("recompute '" + std::string(text) + "': 'full:' needs a number of layers");
    }
    job.recompute = Recompute::full;
  } else {
    fail_job("recompute '" + std::string(text) + "': expected none, selective, full or full:N");
  }
}

void require_possible(const TrainingJob& job, const TargetMachine& machine) {
  if (job.recipe == kernels::Recipe::mor_tensor || job.recipe == kernels::Recipe::mor_block) {
    fail_job(
        "recipe " + std::string(to_string(job.recipe)) +
        " is not modeled: its formats depend on the data, and no GPU multiplies their mixture. "
        "'mansard run layer' and 'mansard train' run it");
  }
  const Precision precision = precision_of(job.recipe);
  if (machine.peak(precision) <= 0) {
    fail_job(machine.name + " has no published " + std::string(info(precision).label) +
             " rate; 'mansard show \"" + machine.name + "\"' lists its formats");
  }
  for (const auto& [name, value] :
       {std::pair("gpus", job.gpus), std::pair("global batch", job.global_batch),
        std::pair("micro-batch", job.micro_batch), std::pair("sequence", job.sequence),
        std::pair("tensor parallel", job.tensor), std::pair("pipeline parallel", job.pipeline),
        std::pair("virtual pipeline", job.virtual_pipeline),
        std::pair("context parallel", job.context)}) {
    if (value < 1 || value > kMaxCount) {
      fail_job(of(name, value) + ": must be between 1 and " + std::to_string(kMaxCount));
    }
  }
  require_divides(job.tensor * job.pipeline * job.context,
                  "tensor x pipeline x context parallel =", job.gpus, "gpus =");
  require_divides(job.data() * job.micro_batch, "data parallel x micro-batch =", job.global_batch,
                  "global batch =");
  require_divides(job.tensor, "tensor parallel", job.model.kv_heads, "key and value heads:");
  require_divides(job.tensor * job.context, "tensor x context parallel =", job.sequence,
                  "sequence =");
  if (job.virtual_pipeline > 1 && job.pipeline == 1) {
    fail_job("a virtual pipeline of " + std::to_string(job.virtual_pipeline) +
             " needs pipeline parallel above 1");
  }
  if (job.virtual_pipeline > 1 && job.micro_batches() % job.pipeline != 0) {
    fail_job("an interleaved pipeline needs a multiple of pipeline parallel = " +
             std::to_string(job.pipeline) + " micro-batches, not " +
             std::to_string(job.micro_batches()));
  }
  if (job.fully_sharded && job.pipeline > 1) {
    fail_job("fully sharded parameters with pipeline parallel are not supported");
  }
  const auto stages = pipeline_stages(job);
  const auto fewest = static_cast<std::int64_t>(
      std::ranges::min_element(stages, {}, &std::vector<std::size_t>::size)->size());
  for (const auto& [name, layers] : {std::pair("recompute full:", job.recompute_layers),
                                     std::pair("offload ", job.offload_layers)}) {
    if (layers < 0 || layers > fewest) {
      fail_job(name + std::to_string(layers) + ": a pipeline stage has " + std::to_string(fewest) +
               " layers");
    }
  }
}

}  // namespace mansard::analysis
