// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "collector/launch/launch.h"
#include "collector/store/close_database.h"
#include "support/text.h"

namespace mansard::cli {

void register_repair(CommandRegistry& registry);

namespace {

std::string said(store::Repair repair) {
  switch (repair) {
    case store::Repair::closed:
      return "marked as interrupted, and its write-ahead log merged";
    case store::Repair::folded:
      return "write-ahead log merged";
    case store::Repair::complete:
      return "complete; nothing to repair";
    case store::Repair::being_recorded:
      return "still being recorded; not changed";
    case store::Repair::being_read:
      return "open in another program; log not merged. Close that program and try again";
    case store::Repair::not_ours:
      return "not written by 'mansard profile'; not changed";
  }
  return "";
}

int repair_command(const std::vector<std::string>& files) {
  bool failed = false;
  for (const std::string& file : files) {
    const store::Repair repair = store::repair_profile(file);
    say(file + ": " + said(repair));
    failed = failed || repair == store::Repair::being_recorded ||
             repair == store::Repair::being_read || repair == store::Repair::not_ours;
  }
  if (!failed) suggest_next(join_command({"mansard", "analyze", files.front()}));
  return failed ? exit_failure : exit_ok;
}

}  // namespace

void register_repair(CommandRegistry& registry) {
  Command command;
  command.name = "repair";
  command.summary = "Repair the profile of a killed program: merge its log into one file";
  command.order = 27;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto files = std::make_shared<std::vector<std::string>>();
    app.add_option(
           "profiles", *files,
           "Profiles with a write-ahead log (FILE-wal) next to them, which other commands read "
           "but do not merge")
        ->required();
    return [files] { return repair_command(*files); };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
