// SPDX-License-Identifier: Apache-2.0
// guest [ENDING]: changes process state as programs do (signals, forks, descriptors), with NVTX
// ranges throughout, and prints what it observes. Its output, files and exit code must be the same
// with and without a profiler.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "kernels/annotation/range.h"

namespace {

using namespace std::chrono_literals;

std::atomic<int> alarms = 0;

void ranges(const char* text, int count) {
  for (int i = 0; i < count; ++i) const mansard::kernels::AnnotatedRange range(text);
}

// Does not use stdio: a child must not print its parent's buffer again.
void say(const std::string& line) {
  const std::string text = line + "\n";
  // Standard output may be closed on purpose.
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
}

void sum_on_threads() {
  std::array<long, 8> sums{};
  std::vector<std::thread> threads;
  for (long& sum : sums) {
    threads.emplace_back([&sum] {
      for (long i = 0; i < 2000; ++i) {
        const mansard::kernels::AnnotatedRange range("sum");
        sum += i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  long total = 0;
  for (const long sum : sums) total += sum;
  say("sum " + std::to_string(total));
}

// Signals arrive within ranges, and the handler has its own ranges.
void be_interrupted() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    ++alarms;
    ranges("in a handler", 1);
  };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 100'000 && alarms < 20; ++i) {
    ranges("interrupted", 10);
    std::this_thread::sleep_for(100us);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  say(alarms >= 20 ? "alarms arrived" : "alarms are missing");
}

std::string outcome(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

// Forks children that end in different ways, while another thread has ranges.
void have_children(const char* self) {
  std::atomic<bool> stop = false;
  std::thread busy([&stop] {
    while (!stop) {
      ranges("busy", 20);
      std::this_thread::sleep_for(1ms);
    }
  });
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hanging child ends the test
      ranges("child", i % 3);
      const rlimit none{};
      setrlimit(RLIMIT_CORE, &none);
      if (i % 5 == 0) std::exit(i);
      if (i % 5 == 1) _exit(i);
      if (i % 5 == 2) std::abort();
      if (i % 5 == 3) raise(SIGKILL);
      execl(self, self, "only_exit", nullptr);
      _exit(97);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      say("child " + std::to_string(i) + " is lost");
    } else {
      say("child " + std::to_string(i) + " " + outcome(status));
    }
  }
  int status = 0;
  if (waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD) say("has a child of somebody else's");
  stop = true;
  busy.join();
}

// New descriptors get the lowest free numbers, and files contain exactly what is written. They stay
// open, so that a collector that has lost its descriptors would write into them.
void open_files() {
  rlimit size{};
  getrlimit(RLIMIT_FSIZE, &size);
  std::string numbers;
  std::vector<int> files;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "own" + std::to_string(i);
    files.push_back(open(name.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600));
    numbers += " " + std::to_string(files.back());
    if (size.rlim_cur > 0 && files.back() >= 0 &&
        write(files.back(), name.data(), name.size()) < 0) {
      numbers += std::string(" (") + std::strerror(errno) + ")";
    }
  }
  say("files" + numbers);
}

// Prints the properties of the process that a profiler might change: signals and the umask.
void describe_process() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  std::string text = "blocked";
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&blocked, number) == 1) text += " " + std::to_string(number);
  }
  text += ", handled";
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
      text += " " + std::to_string(number);
    }
  }
  const mode_t mask = umask(0);
  umask(mask);
  say(text + ", umask " + std::to_string(mask));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string ending = argc > 1 ? argv[1] : "return";
  if (ending == "only_exit") {
    ranges("executed", 3);
    return 44;
  }
  ranges("begin", 10);
  describe_process();
  open_files();
  sum_on_threads();
  be_interrupted();
  have_children(argv[0]);
  describe_process();
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  if (ending == "return") return 12;
  if (ending == "exit") std::exit(13);
  if (ending == "_exit") _exit(14);
  if (ending == "quick_exit") std::quick_exit(15);
  if (ending == "abort") std::abort();
  if (ending == "kill") raise(SIGKILL);
  if (ending == "segv") raise(SIGSEGV);
  if (ending == "term") raise(SIGTERM);
  if (ending == "xfsz") raise(SIGXFSZ);
  if (ending == "terminate") std::terminate();
  if (ending == "exec") {
    execl(argv[0], argv[0], "only_exit", nullptr);
    return 97;
  }
  if (ending == "exit_on_thread") {
    std::thread([] { std::exit(16); }).join();
  }
  if (ending == "exit_with_threads") {
    for (int i = 0; i < 4; ++i) {
      std::thread([] {
        for (;;) ranges("late", 1);
      }).detach();
    }
    std::this_thread::sleep_for(20ms);
    std::exit(17);
  }
  if (ending == "pthread_exit") {
    std::thread([] {
      std::this_thread::sleep_for(100ms);
      ranges("last", 3);
    }).detach();
    pthread_exit(nullptr);
  }
  if (ending == "close_descriptors") {
    for (int fd = 3; fd < 5000; ++fd) close(fd);
    open_files();
    ranges("late", 100);
    std::this_thread::sleep_for(500ms);
    open_files();
    return 18;
  }
  if (ending == "close_all") {
    for (int fd = 0; fd < 5000; ++fd) close(fd);
    ranges("late", 100);
    open_files();  // its output goes into its own file, which has descriptor 1
    std::this_thread::sleep_for(500ms);
    return 19;
  }
  if (ending == "daemon") {
    // The parent exits immediately; the child continues in its own session.
    if (daemon(1, 0) != 0) return 97;
    ranges("daemon", 10);
    std::this_thread::sleep_for(300ms);
    std::ofstream("daemon.done") << "done";
    _exit(0);
  }
  std::fprintf(stderr, "guest: unknown ending '%s'\n", ending.c_str());
  return 99;
}
