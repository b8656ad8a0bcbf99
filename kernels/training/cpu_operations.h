// SPDX-License-Identifier: Apache-2.0
// The operations of a transformer on the CPU: for tiny models, tests, and as the reference of the
// CUDA kernels. On all cores.
#pragma once

#include <memory>

#include "kernels/training/operations.h"

namespace mansard::kernels {

std::unique_ptr<Operations> make_cpu_operations();

}  // namespace mansard::kernels
