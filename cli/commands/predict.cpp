// SPDX-License-Identifier: Apache-2.0
// `mansard predict`: step time of a training job on any machine, with a breakdown.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "analyzer/goodput/goodput_finding.h"
#include "analyzer/predict/job_choice.h"
#include "analyzer/predict/prediction_findings.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/goodput_options.h"
#include "cli/input_guard.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/print_findings.h"
#include "cli/write_file.h"
#include "reports/formats/overview.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

struct PredictOptions {
  std::string model = "llama3-8b";
  bool model_given = false;
  std::string machine = "gb200";
  std::string recipe = "nvfp4";
  std::string against;
  analysis::JobRequest job;
  GoodputOptions goodput;
  std::vector<std::string> settings;
  bool list_assumptions = false;
  bool list_data = false;
  bool published = false;
  std::string format = "table";
  std::string output;
  bool force = false;
  bool all = false;
};

template <typename List, typename NameOf>
[[noreturn]] void unknown(const char* kind, const std::string& word, const List& list,
                          NameOf name_of) {
  std::vector<std::string> names;
  std::string all;
  for (const auto& entry : list) {
    names.emplace_back(name_of(entry));
    all += (all.empty() ? "" : ", ") + names.back();
  }
  throw UsageError(std::string("unknown ") + kind + " '" + word + "'." + did_you_mean(word, names) +
                   " Choose from " + all + ".");
}

kernels::Recipe recipe_of(const std::string& word) {
  if (const std::optional<kernels::Recipe> recipe = kernels::parse_recipe(word)) return *recipe;
  unknown("recipe", word, kernels::kRecipes,
          [](kernels::Recipe r) { return std::string(to_string(r)); });
}

analysis::TargetMachine machine_of(const std::string& word) {
  if (std::filesystem::is_regular_file(word))
    return analysis::target_machine_of(roofline::load_machine_model(word));
  if (std::optional<analysis::TargetMachine> machine = analysis::find_target_machine(word))
    return *machine;
  if (word.ends_with(".json"))
    throw std::runtime_error("machine model '" + word + "': no such file");
  unknown("machine", word, analysis::target_machine_names(),
          [](const std::string& name) { return name; });
}

const kernels::TransformerModel& known_model(const std::string& word) {
  if (const kernels::TransformerModel* model = kernels::find_transformer_model(word)) {
    if (model->architecture == kernels::Architecture::llama) return *model;
    throw UsageError("cannot predict '" + word +
                     "': only models of Llama's architecture (RMS norms, SwiGLU) are modeled");
  }
  unknown("model", word, kernels::transformer_models(),
          [](const kernels::TransformerModel& m) { return m.name; });
}

analysis::Assumptions assumptions_of(const std::vector<std::string>& settings) {
  analysis::Assumptions assumptions;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const analysis::AssumptionInfo* info = analysis::find_assumption(name);
    if (info == nullptr) {
      unknown("assumption", name, analysis::assumption_list(),
              [](const analysis::AssumptionInfo& a) { return std::string(a.name); });
    }
    double value = 0;
    const char* end = setting.data() + setting.size();
    const char* begin = equals == std::string::npos ? end : setting.data() + equals + 1;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end) {
      throw UsageError("--set " + setting + ": a number must follow '" + name + "='");
    }
    try {
      analysis::set_assumption(assumptions, *info, value);
    } catch (const std::runtime_error& e) {
      throw UsageError(std::string("--set ") + e.what());
    }
  }
  return assumptions;
}

// Returns the key of the machine in published_steps.csv.
std::string key_of(const analysis::TargetMachine& machine) {
  for (const std::string& key : analysis::target_machine_names()) {
    const analysis::TargetMachine other = *analysis::find_target_machine(key);
    if (other.layers == machine.layers && !other.layers_of_another_gpu) return key;
  }
  return "";
}

analysis::ChosenJob job_of(const PredictOptions& o, const analysis::TargetMachine& machine,
                           kernels::Recipe recipe, kernels::Recipe layout) {
  analysis::JobRequest request = o.job;
  request.model = known_model(o.model);
  request.machine = key_of(machine);
  try {
    analysis::ChosenJob chosen = analysis::choose_job(request, recipe, layout);
    analysis::require_possible(chosen.job, machine);
    return chosen;
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
}

std::vector<std::string> notes_of(const analysis::TargetMachine& machine) {
  std::vector<std::string> notes;
  if (machine.hbm_measured && machine.measured_clock_loss) {
    notes.push_back("HBM bandwidth and clock are measured values of this machine model.");
  } else if (machine.hbm_measured) {
    notes.push_back("HBM bandwidth is a measured value of this machine model.");
  }
  if (machine.layers_of_another_gpu) {
    notes.push_back(
        "No measured linear layers for this GPU; their fractions of peak are those of " +
        machine.layers + ".");
  }
  if (machine.attention_kinship != analysis::TargetMachine::Kinship::same_gpu) {
    const bool akin =
        machine.attention_kinship == analysis::TargetMachine::Kinship::same_architecture;
    notes.push_back("No measured attention for this GPU; its fractions of peak are those of " +
                    machine.attention + (akin ? "." : ", a different architecture."));
  }
  return notes;
}

std::string gpus_text(std::int64_t gpus) { return format_number_of(gpus, "GPU"); }

// A job whose step time is given with --step-s.
TrainedJob given_job(const PredictOptions& o) {
  if (!o.job.gpus) throw UsageError("--step-s: give the number of GPUs with --gpus");
  if (!o.against.empty()) throw UsageError("--against compares predicted steps: omit --step-s");
  TrainedJob trained;
  trained.gpus = *o.job.gpus;
  trained.name = gpus_text(trained.gpus);
  if (o.model_given) {
    trained.parameters = known_model(o.model).parameters();
    trained.name = o.model + " on " + trained.name;
  }
  return trained;
}

TrainedJob predicted_job(const analysis::StepPrediction& step,
                         const analysis::TargetMachine& machine,
                         analysis::Assumptions assumptions) {
  TrainedJob trained;
  trained.gpus = step.job.gpus;
  trained.name = step.job.model.name + " in " + std::string(to_string(step.job.recipe)) + " on " +
                 format_whole(trained.gpus) + " " + machine.name;
  trained.parameters = step.job.model.parameters();
  trained.grace_host = machine.grace_host;
  trained.background = step;
  assumptions.data_overlap = 0;
  trained.foreground = analysis::predict_step(step.job, machine, assumptions);
  trained.machine = machine;
  return trained;
}

analysis::Finding goodput_of(const PredictOptions& o, const TrainedJob& trained) {
  const analysis::GoodputStudy study = goodput_study(o.goodput, trained);
  try {
    return analysis::goodput_finding(study);
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
}

std::vector<analysis::Finding> findings_of(const PredictOptions& o) {
  if (o.goodput.enabled && o.goodput.step_s) return {goodput_of(o, given_job(o))};
  const analysis::Assumptions assumptions = assumptions_of(o.settings);
  if (o.list_assumptions) return {analysis::assumptions_finding(assumptions)};
  if (o.list_data) return {analysis::gemm_data_finding()};
  if (o.published)
    return {analysis::published_finding(analysis::compare_with_published(assumptions))};
  const analysis::TargetMachine machine = machine_of(o.machine);
  const kernels::Recipe recipe = recipe_of(o.recipe);
  const analysis::ChosenJob chosen = job_of(o, machine, recipe, recipe);
  std::vector<std::string> notes = notes_of(machine);
  notes.insert(notes.begin(), chosen.note);
  const analysis::StepPrediction b = analysis::predict_step(chosen.job, machine, assumptions);
  std::vector<analysis::Finding> findings = {analysis::step_finding(b, machine, notes)};
  if (!o.against.empty()) {
    const analysis::ChosenJob other = job_of(o, machine, recipe_of(o.against), recipe);
    const analysis::StepPrediction a = analysis::predict_step(other.job, machine, assumptions);
    findings.push_back(analysis::step_finding(a, machine, {other.note}));
    findings.insert(findings.begin(), analysis::ledger_finding(a, b, machine));
  }
  if (o.goodput.enabled) {
    findings.insert(findings.begin(), goodput_of(o, predicted_job(b, machine, assumptions)));
  }
  return findings;
}

int predict_command(const PredictOptions& o) {
  if (o.goodput.enabled && (o.list_assumptions || o.list_data || o.published)) {
    throw UsageError(
        "--goodput cannot be combined with --list-assumptions, --list-data or "
        "--published");
  }
  require_no_input(o.output, {{"the --machine model", {o.machine}}});
  if (!o.output.empty()) require_writable(o.output, o.force);
  std::vector<analysis::Finding> findings = findings_of(o);
  const reports::Format format = format_of(o.format);
  const bool of_steps = !o.list_assumptions && !o.list_data && !o.published;
  const bool brief = of_steps && prints_overview(format, o.all);
  if (brief) {
    findings = {o.goodput.enabled ? reports::goodput_overview(findings.front())
                                  : reports::prediction_overview(findings)};
  }
  print_findings(findings, format, {o.output, o.force, 0, brief});
  if (brief) say("--all prints all tables");
  if (o.goodput.enabled && !o.goodput.simulate) {
    say("--simulate compares the formulas with simulated runs");
  }
  if (!o.published && !o.goodput.enabled) suggest_next("mansard predict --published");
  return exit_ok;
}

void declare_layout(CLI::App& app, analysis::JobRequest& job) {
  app.add_option("--gpus,--ranks", job.gpus, "Total number of GPUs; each is a rank");
  app.add_option("--global-batch", job.global_batch, "Sequences per step");
  app.add_option("--micro-batch", job.micro_batch,
                 "Sequences per micro-batch and data-parallel rank");
  app.add_option("--sequence", job.sequence, "Sequence length in tokens");
  app.add_option("--tp", job.tensor, "Tensor-parallel size (with sequence parallelism)");
  app.add_option("--pp", job.pipeline, "Pipeline-parallel size");
  app.add_option("--vp", job.virtual_pipeline,
                 "Virtual pipeline size: model chunks per stage (interleaved schedule)");
  app.add_option("--cp", job.context, "Context-parallel size");
  app.add_option(
      "--recompute", job.recompute,
      "Activation recomputation: none, selective (attention), full, or full:N (N layers per "
      "stage)");
  app.add_option("--offload", job.offload,
                 "Layers per stage whose activations are offloaded to host memory")
      ->check(zero_or_more());
  app.add_flag("--cuda-graphs", job.cuda_graphs, "Launch CUDA graphs instead of single kernels");
  app.add_option("--sharding", job.sharding,
                 "What is sharded across data-parallel ranks: none, optimizer (states), or full "
                 "(parameters too)")
      ->check(CLI::IsMember({"none", "optimizer", "full"}));
  app.add_flag_callback(
      "--distributed-optimizer", [&job] { job.sharding = "optimizer"; },
      "Alias for --sharding optimizer");
}

}  // namespace

void register_predict(CommandRegistry& registry) {
  Command command;
  command.name = "predict";
  command.summary = "Predict step time or goodput on another machine, with a breakdown";
  command.order = 45;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<PredictOptions>();
    CLI::Option* model =
        app.add_option("--model", o->model, "Model to train")->capture_default_str();
    app.add_option(
           "-m,--machine", o->machine,
           "gb200, gb300, b200, b300, h100, h200, ..., or a machine model file from 'mansard "
           "characterize'")
        ->capture_default_str();
    app.add_option("--recipe", o->recipe,
                   "Precision recipe: bf16, fp8, fp8_delayed, fp8_block, mxfp8 or nvfp4")
        ->capture_default_str();
    app.add_option(
        "--against", o->against,
        "Baseline recipe: explain the difference between its step time and that of --recipe");
    app.add_option("--keep-bf16", o->job.keep_bf16,
                   "Layers kept in BF16: 'first:1,last:4', '0,3-5' (counted from 0), none or all");
    declare_layout(app, o->job);
    declare_goodput(app, o->goodput);
    app.add_option("--set", o->settings,
                   "Override an assumption: NAME=VALUE (see --list-assumptions); repeatable")
        ->allow_extra_args(false);
    app.add_flag("--list-assumptions", o->list_assumptions,
                 "List the assumptions, their values and sources");
    app.add_flag("--list-data", o->list_data,
                 "List the measured linear layers behind the predictions, with error bars");
    app.add_flag("--published", o->published, "Compare predictions with published throughput");
    app.add_flag("--all", o->all,
                 "Print all tables of the predicted steps. Default: one screen; formats other than "
                 "table always have everything");
    add_format_option(app, o->format);
    app.add_option("-o,--output", o->output, "Write to this file instead of standard output");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    return [o, model] {
      o->model_given = model->count() > 0;
      return predict_command(*o);
    };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
