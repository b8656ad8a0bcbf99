// SPDX-License-Identifier: Apache-2.0
#include "cli/run_layers.h"

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/measured_columns.h"
#include "cli/output.h"
#include "kernels/recipes/training_step.h"
#include "kernels/recipes/workloads.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

// "llama3-8b" or "llama3-8b:down".
std::vector<kernels::LinearShape> preset_layers(const std::string& preset) {
  const std::size_t colon = preset.find(':');
  const std::string model_name = preset.substr(0, colon);
  std::vector<std::string> known;
  for (const kernels::TransformerModel& model : kernels::transformer_models())
    known.push_back(model.name);
  const kernels::TransformerModel* model = kernels::find_transformer_model(model_name);
  if (model == nullptr) {
    throw UsageError("unknown preset '" + model_name + "'." + did_you_mean(model_name, known));
  }
  std::vector<kernels::LinearShape> layers = model->linear_layers();
  if (colon == std::string::npos) return layers;
  const std::string wanted = preset.substr(colon + 1);
  known.clear();
  for (const kernels::LinearShape& layer : layers) {
    if (layer.name == wanted) return {layer};
    known.push_back(layer.name);
  }
  throw UsageError("preset '" + model_name + "' has no layer '" + wanted + "'." +
                   did_you_mean(wanted, known));
}

std::vector<kernels::LinearProblem> layer_problems(const RunOptions& o, kernels::Target target) {
  const kernels::DataPattern pattern = *kernels::parse_data_pattern(o.pattern);
  if (!o.shape.empty()) {
    const std::vector<std::int64_t> s = parse_shape(o.shape);
    if (s.size() != 3)
      throw UsageError("the shape of a layer is TOKENSxOUTxIN, such as 8192x6144x4096");
    return {{"linear", s[0], s[2], s[1], pattern, 1}};
  }
  // 128 tokens on a CPU: a step of the whole preset takes seconds.
  const std::int64_t tokens = o.tokens > 0                      ? o.tokens
                              : target == kernels::Target::cuda ? 8192
                                                                : 128;
  std::vector<kernels::LinearProblem> problems;
  for (const kernels::LinearShape& layer : preset_layers(o.preset)) {
    problems.push_back(
        {layer.name, tokens, layer.in_features, layer.out_features, pattern, problems.size() + 1});
  }
  return problems;
}

// One pass of a layer, over all micro-batches of a step; or the whole step.
struct Row {
  Measured measured;
  std::int64_t operations = 0;

  void add(const kernels::PassPlan& plan, bool reuse_quantized) {
    for (const kernels::Operation& operation : plan.operations) {
      if (reuse_quantized && kernels::quantizes(operation)) continue;
      measured.flop += operation.work.flop;
      for (const auto& [level, bytes] : operation.work.bytes) measured.bytes += bytes;
      measured.work.push_back(operation.work);
      ++operations;
    }
  }
};

analysis::Table layer_table(const kernels::TrainingStep& step,
                            const std::vector<kernels::StepTime>& times, const SolColumns& roof,
                            bool reuse_quantized) {
  const int micro_batches = step.micro_batches();
  analysis::Table table{"passes",
                        micro_batches == 1 ? "Time of each pass"
                                           : "Time of each pass, total of " +
                                                 std::to_string(micro_batches) + " micro-batches",
                        {},
                        {}};
  table.columns = {
      {"layer", "layer", analysis::CellFormat::text, "", "Linear layer."},
      {"pass", "pass", analysis::CellFormat::text, "", "fprop, dgrad or wgrad."},
      {"gemm", "GEMM", analysis::CellFormat::text, "", "Rows x columns x reduction dimension."},
      {"operations", "ops", analysis::CellFormat::count, "",
       "Number of operations, including the GEMM."}};
  add_measured_columns(table, roof);
  const std::vector<kernels::PassTime>& passes = times.front().passes;
  const std::size_t per_micro_batch = passes.size() / static_cast<std::size_t>(micro_batches);
  Row all;
  for (std::size_t i = 0; i < per_micro_batch; ++i) {
    const kernels::LinearLayer& layer = step.layers()[passes[i].layer];
    Row row;
    row.measured.times_s.resize(times.size());
    for (std::size_t at = i; at < passes.size(); at += per_micro_batch) {
      const kernels::PassPlan& plan = layer.plan(passes[at].pass, passes[at].which);
      row.add(plan, reuse_quantized);
      all.add(plan, reuse_quantized);
      for (std::size_t s = 0; s < times.size(); ++s) {
        row.measured.times_s[s] += times[s].passes[at].time_s;
      }
    }
    table.rows.push_back({layer.problem().name, std::string(to_string(passes[i].pass)),
                          row.measured.work.back().shape, row.operations});
    append_measured(table.rows.back(), row.measured, roof);
  }
  for (const kernels::StepTime& t : times) all.measured.times_s.push_back(t.time_s);
  table.rows.push_back({std::string("all"), std::string("step"), analysis::Cell(), all.operations});
  append_measured(table.rows.back(), all.measured, roof);
  return table;
}

void verify(const kernels::TrainingStep& step) {
  constexpr int kSamples = 64;
  std::string faults;
  for (const std::string& fault : step.verify(kSamples, 1)) faults += "\n  " + fault;
  if (!faults.empty()) throw std::runtime_error("wrong results:" + faults);
  say("verified " + std::to_string(kSamples) + " elements of each pass against FP64");
}

}  // namespace

int run_layers(const RunOptions& o) {
  const kernels::Recipe recipe = *kernels::parse_recipe(o.recipe);
  const kernels::DeviceInfo device = cli::choose_device(o.device);
  const bool gpu = device.target == kernels::Target::cuda;
  if (o.graph && !gpu) {
    throw UsageError("--graph needs a GPU, not " + device.name +
                     ": leave it out, or run with --device gpu");
  }
  const SolColumns roof(o.machine, device);
  const std::vector<kernels::LinearProblem> problems = layer_problems(o, device.target);
  const std::unique_ptr<kernels::Backend> backend = kernels::make_backend(device);
  kernels::TrainingStep step(problems, recipe, *backend, o.micro_batches);
  const int warmup = o.warmup >= 0 ? o.warmup : gpu ? 3 : 1;
  if (o.reuse_quantized && warmup == 0) {
    throw UsageError("--reuse-quantized needs a warm-up step to quantize the operands: --warmup 1");
  }
  const int steps = o.steps > 0 ? o.steps : gpu ? 20 : 3;
  for (int i = 0; i < warmup; ++i) step.run("warm-up " + std::to_string(i));
  if (o.verify) verify(step);
  if (o.reuse_quantized) step.reuse_quantized();
  if (o.graph) step.record();
  std::vector<kernels::StepTime> times;
  for (int i = 0; i < steps; ++i) times.push_back(step.run("step " + std::to_string(i)));

  const Precision executed =
      backend->gemm_precision(step.layers().front().plan(kernels::Pass::fprop).gemm);
  const std::string micro_batches =
      o.micro_batches > 1 ? std::to_string(o.micro_batches) + " micro-batches of " : "";
  analysis::Finding finding;
  finding.id = "run_layer";
  finding.title = "Linear layers, recipe " + o.recipe + ", on " + device.name;
  finding.summary = format_whole(steps) + " steps of " + micro_batches +
                    format_whole(problems.front().tokens) + " tokens" +
                    (o.graph ? ", replayed as a CUDA graph, after " : " after ") +
                    format_whole(warmup) + " warm-up steps; data: " + o.pattern +
                    (o.reuse_quantized ? ", quantized only in the warm-up; " : "; ") +
                    format_si(static_cast<double>(step.memory_bytes()), "B") +
                    " of memory; GEMMs execute in " + std::string(info(executed).label) + ".";
  finding.tables = {layer_table(step, times, roof, o.reuse_quantized)};
  std::cout << reports::render({finding}, format_of(o.format), render_options());
  suggest_profiling("run.sqlite");
  return exit_ok;
}

}  // namespace mansard::cli
