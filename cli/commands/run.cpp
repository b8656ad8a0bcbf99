// SPDX-License-Identifier: Apache-2.0
// Runs linear layers in a recipe, or one kernel of the registry, and prints what they achieve. All
// work carries annotations, so that `mansard profile -- mansard run ...` explains it.
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/measured_columns.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/run_layers.h"
#include "empirical_roofline/measure/launch_timer.h"
#include "kernels/annotation/range.h"
#include "kernels/recipes/recipe.h"

namespace mansard::cli {
namespace {

// Adds the annotation to every launch of another kernel.
class AnnotatedKernel : public kernels::PreparedKernel {
 public:
  AnnotatedKernel(const kernels::KernelSpec& spec, std::unique_ptr<kernels::PreparedKernel> kernel)
      : kernel_(std::move(kernel)) {
    const kernels::Work w = kernel_->work();
    annotation_.name = spec.name;
    annotation_.flop = w.flop;
    annotation_.bytes = w.bytes;
    annotation_.precision = spec.precision;
    text_ = to_text(annotation_);
  }
  const kernels::WorkAnnotation& annotation() const { return annotation_; }
  kernels::Work work() const override { return kernel_->work(); }
  void launch(void* stream) override {
    const kernels::AnnotatedRange range(text_);
    kernel_->launch(stream);
  }
  std::string verify() override { return kernel_->verify(); }
  double elapsed_device_s() override { return kernel_->elapsed_device_s(); }
  std::map<std::string, std::string> parameters() const override { return kernel_->parameters(); }

 private:
  std::unique_ptr<kernels::PreparedKernel> kernel_;
  kernels::WorkAnnotation annotation_;
  std::string text_;
};

const kernels::KernelSpec& find_kernel(const std::string& name) {
  if (const kernels::KernelSpec* spec = kernels::kernel_registry().find(name)) return *spec;
  std::vector<std::string> known = {"layer"};
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all())
    known.push_back(spec.name);
  throw UsageError("there is no kernel '" + name + "'." + did_you_mean(name, known) +
                   " 'mansard list kernels ceilings' shows them all.");
}

int run_kernel(const RunOptions& o) {
  const kernels::KernelSpec& spec = find_kernel(o.what);
  const std::string own = spec.target == kernels::Target::cuda ? "gpu" : "cpu";
  if (o.device != "auto" && o.device != own) {
    throw UsageError("'" + spec.name + "' runs on the " + own + " only; leave --device out");
  }
  const kernels::DeviceInfo device = cli::choose_device(own);
  const std::string reason = spec.unsupported ? spec.unsupported(device) : "";
  if (!reason.empty()) {
    throw std::runtime_error("cannot run '" + spec.name + "' on " + device.name + ": " + reason);
  }
  const RoofColumns roof(o.machine, device);
  kernels::PrepareOptions prepare;
  prepare.pattern = *kernels::parse_data_pattern(o.pattern);
  if (!o.shape.empty()) prepare.shape = parse_shape(o.shape);
  AnnotatedKernel kernel(spec, spec.prepare(device, prepare));
  if (!o.no_verify) {
    const std::string fault = kernel.verify();
    if (!fault.empty()) throw std::runtime_error("'" + spec.name + "' computes wrongly: " + fault);
  }
  const std::unique_ptr<roofline::LaunchTimer> timer = roofline::make_timer(spec, device);
  const int warmup = o.warmup >= 0 ? o.warmup : 5;
  const int steps = o.steps > 0 ? o.steps : 50;
  for (int i = 0; i < warmup; ++i) timer->time_s(kernel);
  std::vector<double> times_s;
  for (int i = 0; i < steps; ++i) times_s.push_back(timer->time_s(kernel));

  const kernels::Work work = kernel.work();
  double bytes = 0;
  for (const auto& [level, count] : work.bytes) bytes += count;
  analysis::Table table{
      "kernel", "One launch", {{"kernel", "kernel", analysis::CellFormat::text, "", "Name."}}, {}};
  add_measured_columns(table, roof);
  table.rows = {{spec.name}};
  append_measured(table.rows.front(), {times_s, work.flop, bytes, {kernel.annotation()}}, roof);
  analysis::Table parameters{"parameters", "Parameters", {}, {}};
  parameters.columns = {
      {"name", "name", analysis::CellFormat::text, "", "Parameter."},
      {"value", "value", analysis::CellFormat::text, "", "What the kernel chose."}};
  for (const auto& [name, value] : kernel.parameters()) parameters.rows.push_back({name, value});
  analysis::Finding finding;
  finding.id = "run_kernel";
  finding.title = spec.name + " on " + device.name;
  finding.summary = spec.summary + ". " + std::to_string(steps) + " launches after " +
                    std::to_string(warmup) + " to warm up" +
                    (o.no_verify ? ", not verified." : ", verified.");
  finding.tables = {table, parameters};
  std::cout << reports::render({finding}, format_of(o.format), render_options());
  suggest_next("mansard profile -o run.sqlite -- " + invocation());
  return exit_ok;
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const kernels::Recipe recipe : kernels::kRecipes) names.emplace_back(to_string(recipe));
  return names;
}

}  // namespace

void register_run(CommandRegistry& registry) {
  Command command;
  command.name = "run";
  command.summary = "Run linear layers in a recipe, or one kernel, and time them";
  command.order = 20;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<RunOptions>();
    app.add_option("what", o->what, "'layer', or a kernel of 'mansard list'")
        ->capture_default_str();
    app.add_option("--recipe", o->recipe, "Number formats of the layers, and how they are scaled")
        ->check(CLI::IsMember(recipe_names()))
        ->capture_default_str();
    app.add_option("--device", o->device, "auto: the first GPU if there is one")
        ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
        ->capture_default_str();
    auto* preset = app.add_option("--preset", o->preset,
                                  "Layers of a model, MODEL or MODEL:LAYER (llama3-8b:down)");
    preset->capture_default_str();
    app.add_option("--shape", o->shape,
                   "One layer as TOKENSxOUTxIN, or a kernel's own shape as ROWSxCOLS")
        ->excludes(preset);
    app.add_option("--machine", o->machine,
                   "Machine model of this machine: show the least time its ceilings allow");
    app.add_option("--tokens", o->tokens,
                   "Rows of the activations of a micro-batch [8192; on a CPU 128]")
        ->check(above_zero())
        ->excludes("--shape");
    app.add_option("--micro-batches", o->micro_batches,
                   "Of a step; later ones add to dW and reuse the first one's quantized weights")
        ->check(above_zero())
        ->capture_default_str();
    app.add_flag(
        "--keep-operands", o->keep_operands,
        "Quantize in the warm-up alone: what a step takes that finds its operands quantized");
    app.add_flag("--graph", o->graph,
                 "Replay steps as a CUDA graph (GPU); NVTX ranges in them exist at capture only");
    app.add_option("--steps", o->steps, "Timed steps or launches")->check(above_zero());
    app.add_option("--warmup", o->warmup, "Untimed ones before them")->check(zero_or_more());
    app.add_option("--pattern", o->pattern, "Data; it changes a GPU's power and so its clock")
        ->check(CLI::IsMember({"zeros", "random_uniform", "random_normal"}))
        ->capture_default_str();
    auto* verify = app.add_flag("--verify", o->verify,
                                "Check sampled results of the layers first (kernels always are)");
    app.add_flag("--no-verify", o->no_verify, "Time a kernel without checking it")
        ->excludes(verify);
    add_format_option(app, o->format);
    return [o] { return o->what == "layer" ? run_layers(*o) : run_kernel(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
