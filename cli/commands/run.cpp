// SPDX-License-Identifier: Apache-2.0
// Runs linear layers in a recipe, or one kernel of the registry, and prints what they achieve. All
// work carries annotations, so that `mansard profile -- mansard run ...` explains it.
#include <charconv>
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/roof_columns.h"
#include "empirical_roofline/measure/launch_timer.h"
#include "empirical_roofline/measure/statistics.h"
#include "kernels/annotation/range.h"
#include "kernels/recipes/training_step.h"
#include "kernels/recipes/workloads.h"

namespace mansard {
namespace {

struct Options {
  std::string what = "layer";
  std::string recipe = "bf16";
  std::string device = "auto";
  std::string preset = "llama3-8b";
  std::string shape;
  std::string pattern = "random_normal";
  std::string format = "table";
  std::string machine;
  std::int64_t tokens = 0;  // 0: by device
  int steps = 0;
  int warmup = -1;
  bool verify = false;
  bool no_verify = false;
};

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    const bool separated = next == end || (*next == 'x' && next + 1 < end);
    if (error != std::errc{} || size <= 0 || !separated) {
      throw UsageError("'" + text + "' is no shape: write positive sizes with x between them, as " +
                       "8192x4096");
    }
    sizes.push_back(size);
    at = next == end ? end : next + 1;
  }
  return sizes;
}

DeviceInfo choose_device(const std::string& wish) {
  const std::vector<DeviceInfo> gpus = cuda_devices();
  if (wish == "gpu" && gpus.empty()) {
    throw std::runtime_error("cannot run on a GPU: " + cuda_unavailable_reason());
  }
  return wish == "cpu" || gpus.empty() ? host_device() : gpus.front();
}

// ---- Linear layers ---------------------------------------------------------------------------

// "llama3-8b" or "llama3-8b:down".
std::vector<LinearShape> preset_layers(const std::string& preset) {
  const std::size_t colon = preset.find(':');
  const std::string model_name = preset.substr(0, colon);
  std::vector<std::string> known;
  for (const TransformerModel& model : transformer_models()) known.push_back(model.name);
  const TransformerModel* model = find_transformer_model(model_name);
  if (model == nullptr) {
    throw UsageError("there is no preset '" + model_name + "'." + did_you_mean(model_name, known));
  }
  std::vector<LinearShape> layers = model->linear_layers();
  if (colon == std::string::npos) return layers;
  const std::string wanted = preset.substr(colon + 1);
  known.clear();
  for (const LinearShape& layer : layers) {
    if (layer.name == wanted) return {layer};
    known.push_back(layer.name);
  }
  throw UsageError("preset '" + model_name + "' has no layer '" + wanted + "'." +
                   did_you_mean(wanted, known));
}

std::vector<LinearProblem> layer_problems(const Options& o, Target target) {
  const DataPattern pattern = *parse_data_pattern(o.pattern);
  if (!o.shape.empty()) {
    const std::vector<std::int64_t> s = parse_shape(o.shape);
    if (s.size() != 3) throw UsageError("a layer's shape is TOKENSxOUTxIN, as 8192x6144x4096");
    return {{"linear", s[0], s[2], s[1], pattern, 1}};
  }
  // On a CPU a step of the whole preset then takes seconds.
  const std::int64_t tokens = o.tokens > 0 ? o.tokens : target == Target::cuda ? 8192 : 128;
  std::vector<LinearProblem> problems;
  for (const LinearShape& layer : preset_layers(o.preset)) {
    problems.push_back(
        {layer.name, tokens, layer.in_features, layer.out_features, pattern, problems.size() + 1});
  }
  return problems;
}

const std::vector<Column>& measured_columns() {
  static const std::vector<Column> columns = {
      {"time_s", "time", CellFormat::quantity, "s", "Median over the timed steps."},
      {"spread", "spread", CellFormat::fraction, "", "Interquartile range over the median."},
      {"flop", "work", CellFormat::quantity, "FLOP", "Floating-point operations of the GEMMs."},
      {"flop_per_s", "rate", CellFormat::quantity, "FLOP/s", "Work over time."},
      {"bytes", "traffic", CellFormat::quantity, "B",
       "Bytes that the operations must move: each operand of each once."},
      {"bytes_per_s", "bandwidth", CellFormat::quantity, "B/s", "Traffic over time."},
  };
  return columns;
}

void append_measured(std::vector<Cell>& row, const std::vector<double>& times_s, double flop,
                     double bytes, const RoofColumns& roof,
                     const std::vector<WorkAnnotation>& work) {
  const double time_s = median(times_s);
  const auto known = [](double value) { return value > 0 ? Cell(value) : Cell(); };
  row.insert(row.end(), {Cell(time_s), times_s.size() > 1 ? Cell(relative_spread(times_s)) : Cell(),
                         known(flop), known(flop / time_s), known(bytes), known(bytes / time_s)});
  const std::vector<Cell> of_roof = roof.cells(work, time_s);
  row.insert(row.end(), of_roof.begin(), of_roof.end());
}

void add_measured_columns(Table& table, const RoofColumns& roof) {
  for (const std::vector<Column>& more : {measured_columns(), roof.columns()}) {
    table.columns.insert(table.columns.end(), more.begin(), more.end());
  }
}

std::vector<WorkAnnotation> work_of(const PassPlan& plan) {
  std::vector<WorkAnnotation> work;
  for (const Operation& operation : plan.operations) work.push_back(operation.work);
  return work;
}

Table layer_table(const TrainingStep& step, const std::vector<StepTime>& times,
                  const RoofColumns& roof) {
  Table table{"passes", "Time of each pass", {}, {}};
  table.columns = {{"layer", "layer", CellFormat::text, "", "Linear layer."},
                   {"pass", "pass", CellFormat::text, "", "fprop, dgrad or wgrad."},
                   {"gemm", "GEMM", CellFormat::text, "", "Rows x columns x reduction."},
                   {"operations", "ops", CellFormat::count, "", "Operations, the GEMM included."}};
  add_measured_columns(table, roof);
  std::vector<WorkAnnotation> all_work;
  double total_flop = 0;
  double total_bytes = 0;
  std::int64_t total_operations = 0;
  for (std::size_t i = 0; i < times.front().passes.size(); ++i) {
    const PassTime& which = times.front().passes[i];
    const LinearLayer& layer = step.layers()[which.layer];
    const PassPlan& plan = layer.plan(which.pass);
    std::vector<double> times_s;
    for (const StepTime& t : times) times_s.push_back(t.passes[i].time_s);
    const auto operations = static_cast<std::int64_t>(plan.operations.size());
    std::vector<Cell> row = {layer.problem().name, std::string(to_string(which.pass)),
                             plan.operations.back().work.shape, operations};
    const std::vector<WorkAnnotation> work = work_of(plan);
    append_measured(row, times_s, plan.flop(), plan.bytes(), roof, work);
    all_work.insert(all_work.end(), work.begin(), work.end());
    table.rows.push_back(std::move(row));
    total_flop += plan.flop();
    total_bytes += plan.bytes();
    total_operations += operations;
  }
  std::vector<double> times_s;
  for (const StepTime& t : times) times_s.push_back(t.time_s);
  std::vector<Cell> row = {std::string("all"), std::string("step"), Cell(), total_operations};
  append_measured(row, times_s, total_flop, total_bytes, roof, all_work);
  table.rows.push_back(std::move(row));
  return table;
}

int run_layers(const Options& o) {
  const Recipe recipe = *parse_recipe(o.recipe);
  const DeviceInfo device = choose_device(o.device);
  const bool gpu = device.target == Target::cuda;
  const RoofColumns roof(o.machine, device);
  const std::vector<LinearProblem> problems = layer_problems(o, device.target);
  const std::unique_ptr<Backend> backend = make_backend(device);
  TrainingStep step(problems, recipe, *backend);
  const int warmup = o.warmup >= 0 ? o.warmup : gpu ? 3 : 1;
  const int steps = o.steps > 0 ? o.steps : gpu ? 20 : 3;
  for (int i = 0; i < warmup; ++i) step.run("warm-up " + std::to_string(i));
  if (o.verify) {
    constexpr int kSamples = 64;
    std::string faults;
    for (const std::string& fault : step.verify(kSamples, 1)) faults += "\n  " + fault;
    if (!faults.empty()) throw std::runtime_error("the results are wrong:" + faults);
    say("verified " + std::to_string(kSamples) + " elements of each pass against FP64");
  }
  std::vector<StepTime> times;
  for (int i = 0; i < steps; ++i) times.push_back(step.run("step " + std::to_string(i)));

  const Precision executed = backend->gemm_precision(step.layers().front().plan(Pass::fprop).gemm);
  Finding finding;
  finding.id = "run_layer";
  finding.title = "Linear layers, recipe " + o.recipe + ", on " + device.name;
  finding.summary = std::to_string(steps) + " steps of " + std::to_string(problems.front().tokens) +
                    " tokens after " + std::to_string(warmup) + " to warm up, data " + o.pattern +
                    "; the GEMMs execute in " + std::string(info(executed).label) + ".";
  finding.tables = {layer_table(step, times, roof)};
  std::cout << render({finding}, format_of(o.format), {.width = output_width()});
  suggest_next("mansard profile -o run.sqlite -- " + invocation());
  return exit_ok;
}

// ---- One kernel --------------------------------------------------------------------------------

// Adds the annotation to every launch of another kernel.
class AnnotatedKernel : public PreparedKernel {
 public:
  AnnotatedKernel(const KernelSpec& spec, std::unique_ptr<PreparedKernel> kernel)
      : kernel_(std::move(kernel)) {
    const Work w = kernel_->work();
    annotation_.name = spec.name;
    annotation_.flop = w.flop;
    annotation_.bytes = w.bytes;
    annotation_.precision = spec.precision;
    text_ = to_text(annotation_);
  }
  const WorkAnnotation& annotation() const { return annotation_; }
  Work work() const override { return kernel_->work(); }
  void launch(void* stream) override {
    const AnnotatedRange range(text_);
    kernel_->launch(stream);
  }
  std::string verify() override { return kernel_->verify(); }
  double elapsed_device_s() override { return kernel_->elapsed_device_s(); }
  std::map<std::string, std::string> parameters() const override { return kernel_->parameters(); }

 private:
  std::unique_ptr<PreparedKernel> kernel_;
  WorkAnnotation annotation_;
  std::string text_;
};

const KernelSpec& find_kernel(const std::string& name) {
  if (const KernelSpec* spec = kernel_registry().find(name)) return *spec;
  std::vector<std::string> known = {"layer"};
  for (const KernelSpec& spec : kernel_registry().all()) known.push_back(spec.name);
  throw UsageError("there is no kernel '" + name + "'." + did_you_mean(name, known) +
                   " 'mansard list kernels ceilings' shows them all.");
}

int run_kernel(const Options& o) {
  const KernelSpec& spec = find_kernel(o.what);
  const std::string own = spec.target == Target::cuda ? "gpu" : "cpu";
  if (o.device != "auto" && o.device != own) {
    throw UsageError("'" + spec.name + "' runs on the " + own + " only; leave --device out");
  }
  const DeviceInfo device = choose_device(own);
  const std::string reason = spec.unsupported ? spec.unsupported(device) : "";
  if (!reason.empty()) {
    throw std::runtime_error("cannot run '" + spec.name + "' on " + device.name + ": " + reason);
  }
  const RoofColumns roof(o.machine, device);
  PrepareOptions prepare;
  prepare.pattern = *parse_data_pattern(o.pattern);
  if (!o.shape.empty()) prepare.shape = parse_shape(o.shape);
  AnnotatedKernel kernel(spec, spec.prepare(device, prepare));
  if (!o.no_verify) {
    const std::string fault = kernel.verify();
    if (!fault.empty()) throw std::runtime_error("'" + spec.name + "' computes wrongly: " + fault);
  }
  const std::unique_ptr<LaunchTimer> timer = make_timer(spec, device);
  const int warmup = o.warmup >= 0 ? o.warmup : 5;
  const int steps = o.steps > 0 ? o.steps : 50;
  for (int i = 0; i < warmup; ++i) timer->time_s(kernel);
  std::vector<double> times_s;
  for (int i = 0; i < steps; ++i) times_s.push_back(timer->time_s(kernel));

  const Work work = kernel.work();
  double bytes = 0;
  for (const auto& [level, count] : work.bytes) bytes += count;
  Table table{"kernel", "One launch", {{"kernel", "kernel", CellFormat::text, "", "Name."}}, {}};
  add_measured_columns(table, roof);
  table.rows = {{spec.name}};
  append_measured(table.rows.front(), times_s, work.flop, bytes, roof, {kernel.annotation()});
  Table parameters{"parameters", "Parameters", {}, {}};
  parameters.columns = {{"name", "name", CellFormat::text, "", "Parameter."},
                        {"value", "value", CellFormat::text, "", "What the kernel chose."}};
  for (const auto& [name, value] : kernel.parameters()) parameters.rows.push_back({name, value});
  Finding finding;
  finding.id = "run_kernel";
  finding.title = spec.name + " on " + device.name;
  finding.summary = spec.summary + ". " + std::to_string(steps) + " launches after " +
                    std::to_string(warmup) + " to warm up" +
                    (o.no_verify ? ", not verified." : ", verified.");
  finding.tables = {table, parameters};
  std::cout << render({finding}, format_of(o.format), {.width = output_width()});
  suggest_next("mansard profile -o run.sqlite -- " + invocation());
  return exit_ok;
}

}  // namespace

void register_run(CommandRegistry& registry) {
  Command command;
  command.name = "run";
  command.summary = "Run linear layers in a recipe, or one kernel, and time them";
  command.order = 20;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<Options>();
    app.add_option("what", o->what, "'layer', or a kernel of 'mansard list'")
        ->capture_default_str();
    app.add_option("--recipe", o->recipe, "Number formats of the layers")
        ->check(CLI::IsMember({"bf16", "fp8", "nvfp4"}))
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
    app.add_option("--tokens", o->tokens, "Rows of the activations [8192; on a CPU 128]")
        ->check(CLI::PositiveNumber)
        ->excludes("--shape");
    app.add_option("--steps", o->steps, "Timed steps or launches")->check(CLI::PositiveNumber);
    app.add_option("--warmup", o->warmup, "Untimed ones before them")
        ->check(CLI::NonNegativeNumber);
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

}  // namespace mansard
