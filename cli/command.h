// SPDX-License-Identifier: Apache-2.0
// A command of `mansard`. Each file in cli/commands registers one. The help of every command, the
// list in `mansard --help` and the docs are generated from it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mansard::cli {

// Exit codes. `profile` exits with the code of the profiled program instead. exit_lost_rank: a rank
// of `train` cannot go on because another rank has failed.
enum ExitCode {
  exit_ok = 0,
  exit_failure = 1,
  exit_usage = 2,
  exit_gate = 3,
  exit_lost_rank = 4,
};

// A usage error found after parsing ("unknown kernel ..."): it is printed, and the exit code is 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  std::string name;
  std::string summary;  // one line
  int order = 100;      // position in --help: the order in which a user needs the commands
  // Declares options on `app` and returns the function that runs the command. The options are owned
  // by the captures of the returned function.
  std::function<std::function<int()>(CLI::App& app)> declare;
  bool reads_files = false;  // untrusted files, so its memory is limited (process_memory.h)
};

class CommandRegistry {
 public:
  void add(Command command) { commands_.push_back(std::move(command)); }
  std::vector<Command>& all() { return commands_; }

 private:
  std::vector<Command> commands_;
};

// The command line, quoted for a shell: stored as provenance.
const std::string& invocation();
// Its words: the program and its arguments.
const std::vector<std::string>& invocation_words();

// Suggests to profile this command, unless a profiler is attached. `file`: of the profile.
void suggest_profiling(const std::string& file);

}  // namespace mansard::cli
