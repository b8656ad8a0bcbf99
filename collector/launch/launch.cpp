// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/launch.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "collector/launch/control.h"
#include "collector/launch/redact.h"
#include "collector/launch/signal_forwarding.h"
#include "collector/launch/xla_work.h"
#include "collector/session/background_thread.h"
#include "collector/session/output_pattern.h"
#include "collector/session/process_notes.h"
#include "collector/store/profile_writer.h"
#include "collector/store/recording_summary.h"
#include "support/process.h"
#include "support/text.h"

namespace mansard::collector {
namespace {

namespace fs = std::filesystem;

// The file to which the launched processes append their notes.
class NotesFile {
 public:
  NotesFile() {
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    // TMPDIR may not exist. If none of these works, launch() looks for the profile by its expected
    // name.
    for (const fs::path& folder : {temporary, fs::path("/tmp"), fs::path("/dev/shm")}) {
      std::string name = (folder / "mansard-XXXXXX").string();
      const int fd = folder.empty() ? -1 : mkostemp(name.data(), O_CLOEXEC);
      if (fd < 0) continue;
      close(fd);
      file_ = name;
      return;
    }
  }
  ~NotesFile() {
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
  }
  NotesFile(const NotesFile&) = delete;
  NotesFile& operator=(const NotesFile&) = delete;

  const std::string& file() const { return file_; }
  ProcessNotes read() const { return read_notes(file_); }

 private:
  std::string file_;
};

// Calls LaunchOptions::watch until it is destroyed. Signals are handled by the launcher's own
// thread.
class Watcher {
 public:
  Watcher(const LaunchOptions& options, const NotesFile& notes) {
    if (!options.watch) return;
    try {
      start(options, notes);
    } catch (const std::system_error&) {
      // No thread available: continue, as the program is already running.
    }
  }
  ~Watcher() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void start(const LaunchOptions& options, const NotesFile& notes) {
    thread_ = start_background_thread("mansard-watch", [this, &options, &notes] {
      std::unique_lock lock(mutex_);
      while (!over_.wait_for(lock, options.watch_period, [this] { return is_over_; })) {
        try {
          options.watch(notes.read().profiles);
        } catch (const std::exception&) {
          return;  // a failing callback must not affect the program
        }
      }
    });
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// The environment of this process with these variables set.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

// The interposer before the libraries that the user preloads; empty if it was not built or its path
// cannot be in the list.
std::string preload_list(const fs::path& collector) {
  const fs::path interposer = collector.parent_path() / "libmansard_interposer.so";
  std::error_code error;
  if (!fs::exists(interposer, error)) return "";
  const std::string path = interposer.string();
  if (path.find_first_of(" :") != std::string::npos) return "";
  const char* others = std::getenv("LD_PRELOAD");
  return others != nullptr && *others != '\0' ? path + ":" + others : path;
}

// The folder of the Python modules before those of the user. Throws std::runtime_error if it is
// missing, or if its path cannot be in the list.
std::string python_path(const fs::path& collector) {
  const fs::path folder = collector.parent_path() / "mansard-python";
  std::error_code error;
  if (!fs::exists(folder / "sitecustomize.py", error)) {
    throw std::runtime_error("--pytorch needs " + (folder / "sitecustomize.py").string() +
                             ", which is missing; reinstall Mansard");
  }
  const std::string path = folder.string();
  if (path.find(':') != std::string::npos) {
    throw std::runtime_error("--pytorch cannot be used from a folder whose name has a colon: " +
                             path);
  }
  const char* others = std::getenv("PYTHONPATH");
  return others != nullptr && *others != '\0' ? path + ":" + others : path;
}

// As execvp() finds it; `program` itself if it is not in PATH.
fs::path find_program(const std::string& program) {
  const char* path = std::getenv("PATH");
  if (program.find('/') != std::string::npos || path == nullptr) return program;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::path(folder) / program;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

// Whether a program needs GCC's AddressSanitizer, which refuses to start unless its library is the
// first one. The names of libraries are near the start of the file.
bool has_address_sanitizer(const std::string& program) {
  constexpr std::size_t kRead = std::size_t{4} << 20;
  std::ifstream file(find_program(program), std::ios::binary);
  std::string bytes(kRead, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return std::string_view(bytes)
             .substr(0, static_cast<std::size_t>(file.gcount()))
             .find("libasan.so") != std::string_view::npos;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Runs the child up to exec(). An error is returned through a pipe that a successful exec closes.
pid_t spawn(std::vector<std::string> command, std::vector<std::string> environment,
            const SignalForwarding& signals) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("cannot start a process: pipe: ") + std::strerror(errno));
  }
  std::vector<char*> arguments = pointers(command);
  std::vector<char*> variables = pointers(environment);
  const pid_t child = fork();
  if (child == 0) {
    signals.restore_in_child();
    execvpe(arguments[0], arguments.data(), variables.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  const int fork_error = errno;
  close(failure[1]);
  int error = 0;
  const ssize_t got = child < 0 ? 0 : read(failure[0], &error, sizeof error);
  close(failure[0]);
  if (child < 0) {
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(fork_error));
  }
  if (got > 0) {
    waitpid(child, nullptr, 0);
    const bool missing = error == ENOENT;
    throw CannotRun(missing ? 127 : 126, "cannot run '" + command[0] + "': " +
                                             (missing ? "no such program" : std::strerror(error)));
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
  }
  return status;
}

// Whether `file` was recorded by the launch of this start time, and not by a concurrent one.
bool is_of_launch(const fs::path& file, std::int64_t launch_utc_ns) {
  try {
    return store::summarize_profile(file).launch_utc_ns == launch_utc_ns;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

LaunchResult launch(const LaunchOptions& options) {
  if (options.command.empty()) throw CannotRun(127, "no program was given");
  const fs::path collector = options.collector.empty() ? find_collector() : options.collector;
  expand_output_pattern(options.output,
                        0);  // report errors here rather than inside the program
  // The program may change its working directory before its first event.
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  const NotesFile notes;
  SignalForwarding signals;
  RecordingOptions recording = options.recording;
  recording.start_utc_ns = store::utc_now_ns();
  std::map<std::string, std::string> variables = to_environment(recording);
  variables.insert({{"CUDA_INJECTION64_PATH", collector.string()},
                    {"NVTX_INJECTION64_PATH", collector.string()},
                    {"MANSARD_OUTPUT", options.output},
                    {"MANSARD_OUTPUT_FOLDER", folder.string()},
                    {"MANSARD_COMMAND", join_command(redact(options.command, options.redact))},
                    {"MANSARD_PROCESS_NOTES", notes.file()}});
  if (options.library_calls && !has_address_sanitizer(options.command.front())) {
    if (const std::string preload = preload_list(collector); !preload.empty()) {
      variables.emplace("LD_PRELOAD", preload);
    }
  }
  if (!options.pytorch.empty()) {
    variables.insert(
        {{"PYTHONPATH", python_path(collector)}, {"MANSARD_PYTORCH", options.pytorch}});
  }
  std::optional<XlaDump> xla;
  if (options.library_calls) {
    xla.emplace();
    if (const std::string flags = xla->flags(); !flags.empty()) variables["XLA_FLAGS"] = flags;
  }
  const pid_t child = spawn(options.command, environment_with(variables), signals);
  signals.set_target(child);
  const int status = [&] {
    const Watcher watcher(options, notes);
    return wait_for(child);
  }();

  LaunchResult result;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
  const ProcessNotes noted = notes.read();
  result.recorded = noted.profiles;
  // A program in another container cannot write notes.
  const fs::path expected = expand_output_pattern(options.output, child, folder);
  if (result.recorded.empty() && is_of_launch(expected, recording.start_utc_ns)) {
    result.recorded.push_back(expected);
  }
  for (const fs::path& file : xla ? result.recorded : std::vector<fs::path>()) {
    try {
      add_xla_work(file, xla->folder());
    } catch (const std::exception& failure) {
      result.warnings.push_back("the work of XLA's operations is not known: " +
                                std::string(failure.what()));
    }
  }
  for (const std::int64_t pid : noted.without_profile) {
    if (!process_start_time_ticks(pid)) result.lost.push_back(pid);
  }
  recorded_processes();  // removes the control blocks of processes that have ended
  return result;
}

std::filesystem::path find_collector() {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  // bin/mansard and lib/libmansard_collector.so, in the build tree as installed; with
  // distributions' library folders.
  std::string tried;
  for (const char* folder : {"../lib", "../lib64", "../lib/x86_64-linux-gnu",
                             "../lib/aarch64-linux-gnu", "../../lib", "."}) {
    const fs::path library = (program / folder / "libmansard_collector.so").lexically_normal();
    if (fs::exists(library)) return fs::canonical(library);
    tried += (tried.empty() ? "" : ", ") + library.parent_path().string();
  }
  throw std::runtime_error("libmansard_collector.so was not found in " + tried +
                           ". Build the target mansard_collector, or reinstall Mansard.");
}

}  // namespace mansard::collector
