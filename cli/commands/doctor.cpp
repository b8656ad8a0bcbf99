// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/doctor_checks.h"
#include "cli/format_option.h"
#include "cli/output.h"

namespace mansard::cli {
namespace {

std::string_view to_string(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::limited:
      return "limited";
    case Health::failed:
      return "failed";
  }
  return "unknown";
}

int doctor_command(const std::string& format) {
  analysis::Finding finding;
  finding.id = "doctor";
  analysis::Table table{"doctor", "Checks", {}, {}};
  for (const char* label : {"Check", "Status", "Found", "Advice"}) {
    analysis::Column column;
    column.label = label;
    table.columns.push_back(column);
  }
  table.columns[0].key = "subject";
  table.columns[1].key = "state";
  table.columns[2].key = "found";
  table.columns[3].key = "advice";
  bool failed = false;
  for (const Check& check : doctor_checks()) {
    failed |= check.health == Health::failed;
    table.rows.push_back({check.subject, std::string(to_string(check.health)), check.found,
                          check.advice.empty() ? analysis::Cell() : analysis::Cell(check.advice)});
  }
  if (format_of(format) == reports::Format::table) {
    // A table would truncate the advice.
    for (const auto& row : table.rows) {
      std::cout << analysis::format_cell(row[1], table.columns[1]) << '\t'
                << analysis::format_cell(row[0], table.columns[0]) << ": "
                << analysis::format_cell(row[2], table.columns[2]) << '\n';
      if (std::holds_alternative<std::string>(row[3])) {
        std::cout << "\t  -> " << std::get<std::string>(row[3]) << '\n';
      }
    }
  } else {
    finding.tables.push_back(std::move(table));
    std::cout << reports::render({finding}, format_of(format), render_options());
  }
  suggest_next("mansard characterize -o machine.json");
  return failed ? exit_failure : exit_ok;
}

}  // namespace

void register_doctor(CommandRegistry& registry) {
  Command command;
  command.name = "doctor";
  command.summary = "Check what works on this machine, with advice on what does not";
  command.order = 90;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto format = std::make_shared<std::string>("table");
    add_format_option(app, *format);
    return [format] { return doctor_command(*format); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
