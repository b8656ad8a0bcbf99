// SPDX-License-Identifier: Apache-2.0
// `mansard gui`: executes mansard-gui, the only program that links Qt.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace mansard::cli {
namespace {

constexpr const char* kProgram = "mansard-gui";

bool runnable(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

// Looks next to this program first, so that a build tree does not start an installed one.
std::optional<std::filesystem::path> find_gui() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && runnable(self.parent_path() / kProgram)) return self.parent_path() / kProgram;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) folder = ".";  // as in a shell
    if (runnable(std::filesystem::path(folder) / kProgram)) {
      return std::filesystem::path(folder) / kProgram;
    }
  }
  return std::nullopt;
}

// Returns only when mansard-gui could not be started.
int become_gui(const std::vector<std::string>& arguments) {
  const std::optional<std::filesystem::path> gui = find_gui();
  if (!gui) {
    say("mansard-gui is neither next to this program nor on PATH. If Mansard was built without Qt "
        "6, "
        "install qt6-base-dev and rebuild.");
    return exit_failure;
  }
  std::vector<std::string> words = {gui->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(gui->c_str(), argv.data());
  say("cannot start " + gui->string() + ": " + std::strerror(errno));
  return exit_failure;
}

std::function<int()> declare_gui(CLI::App& app) {
  // All arguments are passed to mansard-gui, which checks them.
  app.prefix_command();
  app.footer(
      "mansard gui [files...] [-m model.json]... [options]\n"
      "Files are profiles or machine models; profiles of different ranks, or a quoted\n"
      "pattern such as 'run-*.sqlite', open as one job. All arguments are passed to mansard-gui;\n"
      "'mansard-gui --help' lists its options.");
  return [&app] { return become_gui(app.remaining()); };
}

}  // namespace

void register_gui(CommandRegistry& registry) {
  registry.add({"gui", "Open profiles and machine models in the GUI", 60, declare_gui});
}

}  // namespace mansard::cli
