// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/characterize.h"

#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "reports/formats/machine_table.h"

namespace mansard {
namespace {

struct Options {
  std::string output;
  bool force = false;
  std::string device = "all";
  std::vector<std::string> only;
  std::vector<std::string> patterns = {"random_normal"};
  std::string format = "table";
  double max_time_s = StoppingRule{}.max_time_s;
  double min_time_s = StoppingRule{}.min_time_s;
  double uncertainty = StoppingRule{}.max_uncertainty;
  int min_samples = StoppingRule{}.min_samples;
};

std::vector<std::string> ceiling_names() {
  std::vector<std::string> names;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (spec.role != KernelRole::operation) names.push_back(spec.name);
  }
  return names;
}

CharacterizeOptions to_library_options(const Options& o) {
  CharacterizeOptions options;
  options.cuda = o.device != "cpu";
  options.host = o.device != "gpu";
  options.only = o.only;
  for (const std::string& name : o.only) {
    const std::vector<std::string> known = ceiling_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("there is no ceiling '" + name + "'." + did_you_mean(name, known) +
                       " 'mansard list ceilings' shows them all.");
    }
  }
  options.patterns.clear();
  for (const std::string& key : o.patterns) options.patterns.push_back(*parse_data_pattern(key));
  options.measure.stop.max_time_s = o.max_time_s;
  options.measure.stop.min_time_s = o.min_time_s;
  options.measure.stop.min_samples = o.min_samples;
  options.measure.stop.max_uncertainty = o.uncertainty;
  options.command = invocation();
  return options;
}

int characterize_command(const Options& o) {
  const CharacterizeOptions options = to_library_options(o);
  if (!o.output.empty()) require_writable(o.output, o.force);
  if (o.device == "gpu" && cuda_devices().empty()) {
    throw std::runtime_error("cannot characterize a GPU: " + cuda_unavailable_reason());
  }
  Characterization result;
  {
    ProgressBar bar;
    result = characterize(options, [&](const Progress& p) {
      bar.update(p.done, p.total, p.device + ": " + p.kernel);
    });
  }
  for (const std::string& line : result.skipped) say("skipped " + line);
  for (const std::string& line : result.warnings) say(line);
  bool measured_any = false;
  for (const DeviceModel& d : result.model.devices) measured_any |= !d.ceilings.empty();
  if (!measured_any) {
    throw std::runtime_error("no ceiling could be measured; the lines above say why");
  }
  std::cout << render({machine_finding(result.model)}, format_of(o.format));
  if (o.output.empty()) {
    suggest_next("mansard characterize -o machine.json    (the same, kept for later analyses)");
  } else {
    write_file(o.output, to_json(result.model), o.force);
    say("wrote " + o.output);
    suggest_next(
        "mansard profile -o run.sqlite -- PROGRAM && mansard report run.sqlite --machine " +
        o.output + " -o report.html");
  }
  return exit_ok;
}

}  // namespace

void register_characterize(CommandRegistry& registry) {
  Command command;
  command.name = "characterize";
  command.summary = "Measure what this machine can do: its compute and memory ceilings";
  command.order = 10;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<Options>();
    app.add_option("-o,--output", o->output, "Machine model to write (JSON)");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    app.add_option("--device", o->device, "What to measure")
        ->check(CLI::IsMember({"all", "gpu", "cpu"}))
        ->capture_default_str();
    app.add_option("--only", o->only, "Measure these ceilings alone (see 'mansard list ceilings')")
        ->delimiter(',');
    app.add_option("--pattern", o->patterns,
                   "Data of the GPU's compute kernels; it changes power and so the clock")
        ->check(CLI::IsMember({"zeros", "random_uniform", "random_normal"}))
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--min-samples", o->min_samples, "Samples of each ceiling, at least")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--min-time", o->min_time_s, "Seconds of timed work for each ceiling, at least")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--max-time", o->max_time_s,
                   "Seconds of timed work after which a ceiling is done however it scatters")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--uncertainty", o->uncertainty,
                   "Done when half the 95 % confidence interval of the median is below this share")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    add_format_option(app, o->format);
    return [o] { return characterize_command(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard
