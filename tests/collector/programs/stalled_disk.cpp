// SPDX-License-Identifier: Apache-2.0
// stalled_disk THREADS RANGES [FILE]: once recording has started, the disk accepts no writes until
// each thread has entered RANGES ranges. Prints the total number of ranges, and by how many bytes
// the process grew meanwhile. If FILE is given, ends once it exists.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/syscall.h>

#include "kernels/annotation/range.h"

namespace {

using namespace std::chrono_literals;

std::atomic<bool> stalled = false;
std::atomic<int> waiting = 0;

ssize_t write_when_possible(int fd, const void* data, std::size_t size, off64_t at) {
  ++waiting;
  while (stalled) std::this_thread::sleep_for(1ms);
  --waiting;
  return syscall(SYS_pwrite64, fd, data, size, at);
}

long resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void enter(long ranges) {
  for (long i = 0; i < ranges; ++i)
    const mansard::kernels::AnnotatedRange range("a range of some length");
}

}  // namespace

extern "C" {
// Overrides the C library's function in this process.
ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  return write_when_possible(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, std::size_t size, off64_t at) {
  return write_when_possible(fd, data, size, at);
}
}

int main(int argc, char** argv) {
  const int threads = std::atoi(argv[1]);
  const long ranges = std::atol(argv[2]);
  stalled = true;
  enter(1);
  for (int i = 0; i < 40'000 && waiting == 0; ++i) std::this_thread::sleep_for(1ms);
  if (waiting == 0) {
    stalled = false;
    std::fprintf(stderr, "stalled_disk: nothing is written\n");
    return 1;
  }
  const long before = resident_bytes();
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back(enter, ranges);
  for (std::thread& thread : running) thread.join();
  const long after = resident_bytes();
  stalled = false;
  std::printf("%ld %ld\n", threads * ranges + 1, after - before);
  while (argc > 3 && !std::filesystem::exists(argv[3])) std::this_thread::sleep_for(1ms);
}
