// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/formats/bf16.h"
#include "kernels/kernel.h"
#include "kernels/recipes/random_element.h"

namespace mansard::kernels {

// Produces the same bits as fill_random() in kernels/formats/random_input.h; enqueued on `stream`.
void fill_random_on_device(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                           int exponent, cudaStream_t stream);

// Element i is random_bits(format, pattern, seed, i). FP4 requires an even `count`.
void fill_random_on_device(ElementFormat format, void* data, std::int64_t count,
                           DataPattern pattern, std::uint64_t seed, cudaStream_t stream);

}  // namespace mansard::kernels
