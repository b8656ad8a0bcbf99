// SPDX-License-Identifier: Apache-2.0
// steps COUNT|FILE [SECONDS]: ranges "step 1", "step 2", ... within one named "whole run". Each
// contains a "step of the optimizer" and a "fprop", and a second thread has an "other" for each. A
// step takes SECONDS and then prints its number. Ends after COUNT steps, or once FILE exists.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "kernels/annotation/range.h"

int main(int argc, char** argv) {
  const std::string until = argv[1];
  const int count = std::atoi(argv[1]);
  // After a failed test, neither file nor folder exists.
  const auto enough = [&](int steps) {
    return count > 0 ? steps == count
                     : std::filesystem::exists(until) ||
                           !std::filesystem::exists(std::filesystem::path(until).parent_path());
  };
  const std::chrono::duration<double> each(argc > 2 ? std::atof(argv[2]) : 0.0);
  const mansard::kernels::AnnotatedRange whole("whole run | flop=9e9");
  for (int i = 1;; ++i) {
    const mansard::kernels::AnnotatedRange step("step " + std::to_string(i));
    {
      const mansard::kernels::AnnotatedRange fprop("fprop " + std::to_string(i) + " | flop=2e6");
      std::thread([i] {
        const mansard::kernels::AnnotatedRange other("other " + std::to_string(i));
      }).join();
    }
    const mansard::kernels::AnnotatedRange optimizer("step of the optimizer " + std::to_string(i));
    std::this_thread::sleep_for(each);
    std::printf("%d\n", i);
    std::fflush(stdout);
    if (enough(i)) break;
  }
}
