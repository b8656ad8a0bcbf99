// SPDX-License-Identifier: Apache-2.0
// One command of `mansard`: a file in cli/commands that registers one of these. The help text of
// every command, the list in `mansard --help` and the docs come from here.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mansard::cli {

// Exit codes: the child's own code for `profile`.
enum ExitCode { exit_ok = 0, exit_failure = 1, exit_usage = 2, exit_gate = 3 };

// Bad usage found after parsing ("unknown kernel ..."): printed, exits 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  std::string name;
  std::string summary;  // one line
  int order = 100;      // position in --help, by the order in which a user meets them
  // Declares options on `app` and returns what to do when the command was chosen. Options live in
  // whatever the returned function captures.
  std::function<std::function<int()>(CLI::App& app)> declare;
  bool reads_files = false;  // from untrusted sources, so its memory is limited (memory_bound.h)
};

class CommandRegistry {
 public:
  void add(Command command) { commands_.push_back(std::move(command)); }
  std::vector<Command>& all() { return commands_; }

 private:
  std::vector<Command> commands_;
};

// argv joined, quoted as a shell would need it: recorded as provenance.
const std::string& invocation();

}  // namespace mansard::cli
