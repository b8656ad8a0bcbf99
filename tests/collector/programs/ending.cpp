// SPDX-License-Identifier: Apache-2.0
// ending HOW [ARGUMENT]: enters a few ranges and ends in the way given by HOW.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

#include "kernels/annotation/range.h"

namespace {

using namespace std::chrono_literals;

void ranges(const char* text, int count) {
  for (int i = 0; i < count; ++i) const mansard::kernels::AnnotatedRange range(text);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

// A range every millisecond within one that never ends; writes the pid to `file`.
[[noreturn]] void forever(const char* file) {
  std::ofstream(file) << getpid() << std::endl;
  const mansard::kernels::AnnotatedRange outer("whole run");
  for (;;) {
    const mansard::kernels::AnnotatedRange range("tick");
    std::this_thread::sleep_for(1ms);
  }
}

int fork_a_child(bool exec, const char* self) {
  ranges("parent before", 3);
  const mansard::kernels::AnnotatedRange across("across the fork");
  const pid_t child = fork();
  if (child == 0) {
    if (exec) {
      execl(self, self, "exit", "6", nullptr);
      _exit(97);
    }
    ranges("child", 5);
    std::exit(6);
  }
  const int code = wait_for(child);
  ranges("parent after", 2);
  return code;
}

// Many forks while other threads record: a child must never inherit a lock that is never released.
int fork_under_fire() {
  // NVTX's initialization is not fork-safe: a child forked while another thread is in it spins in
  // nvtxInitOnce() forever. That is the program's NVTX, which is not tested here.
  ranges("first", 1);
  std::atomic<bool> stop = false;
  std::thread busy([&stop] {
    while (!stop) {
      ranges("busy", 100);
      std::this_thread::sleep_for(5ms);
    }
  });
  int code = 0;
  for (int i = 0; i < 20 && code == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hanging child ends the test
      ranges("child", 4);
      std::exit(0);
    }
    code = wait_for(child);
  }
  stop = true;
  busy.join();
  return code;
}

// Like a daemon: closes all descriptors except the first three, then opens files of its own and
// keeps them open until it ends.
int close_descriptors(const std::string& folder) {
  ranges("early", 10);
  std::this_thread::sleep_for(1500ms);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = 3; fd < static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 100'000)); ++fd)
    close(fd);
  std::vector<int> files;
  if (!folder.empty()) {
    for (int i = 0; i < 8; ++i) {
      files.push_back(open((folder + "/own" + std::to_string(i)).c_str(), O_CREAT | O_RDWR, 0600));
      if (write(files.back(), "own", 3) != 3) return 97;
    }
    // The profile's files may have had any descriptors.
    for (int fd = 20; fd < 5'000 && fd < static_cast<int>(limit.rlim_cur); ++fd) {
      dup2(files.front(), fd);
    }
  }
  for (int i = 0; i < 20; ++i) {
    ranges("late", 100);
    std::this_thread::sleep_for(50ms);
  }
  return 9;
}

// The process ends when its last thread does.
[[noreturn]] void leave_main_thread() {
  ranges("r", 10);
  std::thread([] {
    std::this_thread::sleep_for(500ms);
    ranges("of a thread", 3);
  }).detach();
  pthread_exit(nullptr);
}

// Does what the CUDA driver does at initialization, on a machine that may have no driver.
int initialize_as_the_driver_does() {
  void* library = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  if (library == nullptr) return 96;
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize == nullptr || initialize() != 1 || initialize() != 1) return 95;
  ranges("r", 10);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argv[1];
  if (how == "exit") {
    ranges("r", 10);
    return std::atoi(argv[2]);
  }
  if (how == "nothing") return 0;
  if (how == "cuda_init") return initialize_as_the_driver_does();
  if (how == "_exit") {
    ranges("early", 10);
    std::this_thread::sleep_for(1500ms);
    ranges("late", 10);
    _exit(4);
  }
  if (how == "_exit_soon") {
    ranges("r", 10);
    std::this_thread::sleep_for(150ms);
    _exit(4);
  }
  if (how == "_exit_at_once") {
    ranges("r", 10);
    _exit(4);
  }
  if (how == "quick_exit") {
    ranges("r", 10);
    std::quick_exit(5);
  }
  if (how == "abort" || how == "sigterm") {
    ranges("early", 10);
    std::this_thread::sleep_for(1500ms);
    if (how == "abort") std::abort();
    raise(SIGTERM);
  }
  if (how == "open") {
    new mansard::kernels::AnnotatedRange("left open");
    ranges("r", 2);
    return 0;
  }
  if (how == "chdir") {
    if (chdir("/") != 0) return 99;
    ranges("r", 2);
    return 0;
  }
  if (how == "forever") forever(argv[2]);
  if (how == "close_descriptors") return close_descriptors(argv[2]);
  if (how == "pthread_exit") leave_main_thread();
  if (how == "detached") {
    ranges("r", 10);
    std::thread([] {
      for (;;) ranges("late", 1);
    }).detach();
    std::this_thread::sleep_for(500ms);
    return 7;
  }
  if (how == "never_popped") {
    ranges("r", 10);
    for (int i = 0; i < 100'000; ++i) new mansard::kernels::AnnotatedRange("open");
    return 8;
  }
  if (how == "fork") return fork_a_child(false, argv[0]);
  if (how == "forkexec") return fork_a_child(true, argv[0]);
  if (how == "forkfire") return fork_under_fire();
  if (how == "wait_for_signal") {
    std::ofstream(argv[2]) << getpid() << std::endl;
    ranges("r", 1);
    signal(SIGTERM, [](int) { _exit(33); });
    signal(SIGINT, [](int) { _exit(34); });
    signal(SIGUSR1, [](int) { _exit(35); });
    signal(SIGUSR2, [](int) { _exit(36); });
    signal(SIGALRM, [](int) { _exit(37); });
    signal(SIGHUP, [](int) { _exit(38); });
    signal(SIGVTALRM, [](int) { _exit(39); });
    signal(SIGRTMIN + 3, [](int) { _exit(40); });
    std::ofstream(std::string(argv[2]) + ".ready") << 1;
    for (int i = 0; i < 1000; ++i) std::this_thread::sleep_for(20ms);
  }
  std::fprintf(stderr, "ending: unknown way '%s' (of %d arguments)\n", argv[1], argc);
  return 99;
}
