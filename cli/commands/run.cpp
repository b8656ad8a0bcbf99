// SPDX-License-Identifier: Apache-2.0
// `mansard run`: runs and times linear layers in a precision recipe, or one kernel of the registry.
// All work is annotated, so that `mansard profile -- mansard run ...` can compute its SOL time.
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
#include "support/units.h"

namespace mansard::cli {
namespace {

// Wraps a kernel and annotates each launch.
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
  throw UsageError("unknown kernel '" + name + "'." + did_you_mean(name, known) +
                   " 'mansard list kernels ceilings' lists all.");
}

int run_kernel(const RunOptions& o) {
  const kernels::KernelSpec& spec = find_kernel(o.what);
  const std::string own = spec.target == kernels::Target::cuda ? "gpu" : "cpu";
  if (o.device != "auto" && o.device != own) {
    throw UsageError("'" + spec.name + "' runs only on the " + own + "; leave --device out");
  }
  const kernels::DeviceInfo device = cli::choose_device(own);
  const std::string reason = spec.unsupported ? spec.unsupported(device) : "";
  if (!reason.empty()) {
    throw std::runtime_error("cannot run '" + spec.name + "' on " + device.name + ": " + reason);
  }
  const SolColumns roof(o.machine, device);
  kernels::PrepareOptions prepare;
  prepare.pattern = *kernels::parse_data_pattern(o.pattern);
  if (!o.shape.empty()) prepare.shape = parse_shape(o.shape);
  AnnotatedKernel kernel(spec, spec.prepare(device, prepare));
  if (!o.no_verify) {
    const std::string fault = kernel.verify();
    if (!fault.empty())
      throw std::runtime_error("'" + spec.name + "' computes a wrong result: " + fault);
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
  analysis::Table table{"kernel",
                        "One launch",
                        {{"kernel", "kernel", analysis::CellFormat::text, "", "Kernel name."}},
                        {}};
  add_measured_columns(table, roof);
  table.rows = {{spec.name}};
  append_measured(table.rows.front(), {times_s, work.flop, bytes, {kernel.annotation()}}, roof);
  analysis::Table parameters{"parameters", "Parameters", {}, {}};
  parameters.columns = {
      {"name", "name", analysis::CellFormat::text, "", "Parameter name."},
      {"value", "value", analysis::CellFormat::text, "", "Value chosen by the kernel."}};
  for (const auto& [name, value] : kernel.parameters()) parameters.rows.push_back({name, value});
  analysis::Finding finding;
  finding.id = "run_kernel";
  finding.title = spec.name + " on " + device.name;
  finding.summary = spec.summary + ". " + format_whole(steps) + " launches after " +
                    format_whole(warmup) + " warm-up launches" +
                    (o.no_verify ? "; results not verified." : "; results verified.");
  finding.tables = {table, parameters};
  std::cout << reports::render({finding}, format_of(o.format), render_options());
  suggest_profiling("run.sqlite");
  return exit_ok;
}

}  // namespace

void register_run(CommandRegistry& registry) {
  Command command;
  command.name = "run";
  command.summary = "Run and time linear layers in a precision recipe, or a single kernel";
  command.order = 20;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<RunOptions>();
    app.add_option("what", o->what,
                   "'layer', or the name of a kernel (see 'mansard list kernels ceilings')")
        ->capture_default_str();
    app.add_option("--recipe", o->recipe,
                   "Precision recipe of the layers: number formats and scaling")
        ->check(CLI::IsMember(kernels::recipe_names()))
        ->capture_default_str();
    app.add_option("--device", o->device, "Device to run on; auto: the first GPU if there is one")
        ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
        ->capture_default_str();
    auto* preset = app.add_option(
        "--preset", o->preset, "Layers of a model: MODEL or MODEL:LAYER, such as llama3-8b:down");
    preset->capture_default_str();
    app.add_option("--shape", o->shape,
                   "Shape of a single layer (TOKENSxOUTxIN) or of a kernel (ROWSxCOLS)")
        ->excludes(preset);
    app.add_option("--machine", o->machine,
                   "Machine model of this machine, to show SOL time and SOL %");
    app.add_option(
           "--tokens", o->tokens,
           "Tokens per micro-batch (rows of the activations) [default: 8192; on a CPU: 128]")
        ->check(above_zero())
        ->excludes("--shape");
    app.add_option(
           "--micro-batches", o->micro_batches,
           "Micro-batches per step; later ones accumulate dW and reuse the quantized weights")
        ->check(above_zero())
        ->capture_default_str();
    app.add_flag("--reuse-quantized", o->reuse_quantized,
                 "Quantize only in the warm-up, to time steps with already quantized operands");
    app.add_flag("--graph", o->graph,
                 "Replay steps as a CUDA graph (GPU); NVTX ranges inside appear only at capture");
    app.add_option("--steps", o->steps,
                   "Timed steps or launches [default: 20 layer steps (CPU: 3), 50 kernel launches]")
        ->check(above_zero());
    app.add_option(
           "--warmup", o->warmup,
           "Untimed steps or launches before them [default: 3 layer steps (CPU: 1), 5 launches]")
        ->check(zero_or_more());
    app.add_option("--pattern", o->pattern,
                   "Operand data, which affects a GPU's power and so its clock")
        ->check(CLI::IsMember({"zeros", "random_uniform", "random_normal"}))
        ->capture_default_str();
    auto* verify =
        app.add_flag("--verify", o->verify,
                     "Verify sampled results of the layers first (kernels: see --no-verify)");
    app.add_flag("--no-verify", o->no_verify, "Time a kernel without verifying its result")
        ->excludes(verify);
    add_format_option(app, o->format);
    return [o] { return o->what == "layer" ? run_layers(*o) : run_kernel(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
