// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <map>
#include <new>
#include <set>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/process_memory.h"
#include "cli/renamed_options.h"
#include "kernels/annotation/range.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {

void register_command_plugins(CommandRegistry& registry);  // generated

namespace {

std::vector<std::string>& remembered_words() {
  static std::vector<std::string> words;
  return words;
}

std::string& invocation_text() {
  static std::string text;
  return text;
}

void remember_invocation(int argc, char** argv) {
  std::vector<std::string> words = {"mansard"};
  words.insert(words.end(), argv + 1, argv + argc);
  invocation_text() = join_command(words);
  remembered_words() = std::move(words);
}

// CLI11 reports only what it could not parse; the most likely mistake is a mistyped command.
std::string suggestion(int argc, char** argv, const std::vector<std::string>& names) {
  if (argc < 2 || argv[1][0] == '-') return "";
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
  return did_you_mean(argv[1], names);
}

int run_bounded(const std::function<int()>& act) {
  std::int64_t bound = 0;
  try {
    bound = limit_process_memory();
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  try {
    return act();
  } catch (const std::bad_alloc&) {
    say("out of memory: this needs more than the limit of " +
        format_capacity(static_cast<double>(bound)) +
        " (MANSARD_MEMORY; default: 80 % of the available memory). Close other programs, record "
        "less (profile --steps), or set MANSARD_MEMORY=SIZE.");
    return exit_failure;
  }
}

int run(int argc, char** argv) {
  CommandRegistry registry;
  register_command_plugins(registry);
  std::vector<Command>& commands = registry.all();
  std::sort(commands.begin(), commands.end(), [](const Command& a, const Command& b) {
    return std::tie(a.order, a.name) < std::tie(b.order, b.name);
  });

  CLI::App app(
      "Mansard: roofline and performance analysis for low-precision training. Measures the\n"
      "ceilings of a machine, profiles programs on it, and explains the gap between their time\n"
      "and the speed-of-light (SOL) time.",
      "mansard");
  app.set_version_flag("--version", "mansard " MANSARD_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(0, 1);
  std::map<const CLI::App*, std::function<int()>> actions;
  std::set<const CLI::App*> readers;
  std::vector<std::string> names;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    actions[sub] = command.declare(*sub);
    if (command.reads_files) readers.insert(sub);
    names.push_back(command.name);
  }

  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    replace_renamed_options(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::Success& done) {
    return app.exit(done);  // --help, --version
  } catch (const CLI::ParseError& error) {
    const std::string hint = suggestion(argc, argv, names);
    say(error.what() + std::string(hint.empty() ? "" : ".") + hint);
    const auto chosen = app.get_subcommands();
    std::cerr << "Run 'mansard " << (chosen.empty() ? "" : chosen[0]->get_name() + " ")
              << "--help' for usage.\n";
    return exit_usage;
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    std::cout << app.help();
    return exit_ok;
  }
  const auto& act = actions.at(chosen[0]);
  return readers.contains(chosen[0]) ? run_bounded(act) : act();
}

}  // namespace

const std::string& invocation() { return invocation_text(); }
const std::vector<std::string>& invocation_words() { return remembered_words(); }

void suggest_profiling(const std::string& file) {
  if (kernels::annotation_tool_attached()) return;
  suggest_next("mansard profile -o " + file + " -- " + invocation());
}

}  // namespace mansard::cli

int main(int argc, char** argv) {
  using namespace mansard;
  cli::remember_invocation(argc, argv);
  try {
    return cli::run(argc, argv);
  } catch (const cli::UsageError& error) {
    cli::say(error.what());
    return cli::exit_usage;
  } catch (const std::exception& error) {
    cli::say(error.what());
    return cli::exit_failure;
  }
}
