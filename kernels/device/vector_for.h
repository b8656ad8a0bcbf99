// SPDX-License-Identifier: Apache-2.0
// parallel_for() with a body compiled for the widest vectors of the CPU at run time. The body is
// written once; the attributes inline it completely into one function per instruction set. Results
// do not depend on the selected set, provided that the body is compiled without contraction and
// writes its fused multiply-adds explicitly.
#pragma once

#include "kernels/device/parallel.h"

namespace mansard::kernels {
namespace vector_for_detail {

#if defined(__x86_64__)
template <typename Body>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"), gnu::flatten]] void run_avx512(
    const Body& body, std::int64_t i) {
  body(i);
}
template <typename Body>
[[gnu::target("avx2,fma"), gnu::flatten]] void run_avx2(const Body& body, std::int64_t i) {
  body(i);
}
#endif
template <typename Body>
void run_baseline(const Body& body, std::int64_t i) {
  body(i);
}

template <typename Body>
auto widest() -> void (*)(const Body&, std::int64_t) {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512 && avx2) return run_avx512<Body>;
  if (avx2) return run_avx2<Body>;
#endif
  return run_baseline<Body>;
}

}  // namespace vector_for_detail

template <typename Body>
void vector_parallel_for(std::int64_t count, const Body& body) {
  const auto run = vector_for_detail::widest<Body>();
  parallel_for(count, [&body, run](std::int64_t i) { run(body, i); });
}

}  // namespace mansard::kernels
