// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <gtest/gtest.h>

#include "kernels/device_info.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (mansard::kernels::cuda_devices().empty()) {
    std::cerr << "skipped: " << mansard::kernels::cuda_unavailable_reason() << '\n';
    return 77;
  }
  return RUN_ALL_TESTS();
}
