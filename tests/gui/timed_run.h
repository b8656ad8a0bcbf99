// SPDX-License-Identifier: Apache-2.0
// A small profile with one of everything that a timeline shows, at round times.
#pragma once

#include "gui/models/open_run.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::testing {

inline std::shared_ptr<const gui::OpenRun> prepared(test::ProfileBuilder& builder) {
  return gui::prepare_run(analysis::analyze_run(builder.build(), {test::test_machine()}));
}

// One GPU. Stream 0: two launches of my_gemm, a norm, and fifty short kernels that follow each
// other; stream 9: one of my_gemm. A copy, two steps, ranges, a sampled power. Times are ns.
inline test::ProfileBuilder timed_profile() {
  test::ProfileBuilder builder;
  builder.range(0, 400'000, "step 0").range(400'000, 800'000, "step 1");
  builder.range(10'000, 90'000, "fprop");
  builder.launch(20'000, 100'000, 300'000, "my_gemm");
  builder.launch(410'000, 500'000, 700'000, "my_gemm");
  builder.launch(420'000, 720'000, 780'000, "rmsnorm_kernel");
  for (int i = 0; i < 50; ++i) {
    builder.launch(430'000 + 10 * i, 900'000 + 1000 * i, 900'500 + 1000 * i,
                   "vectorized_elementwise_kernel");
  }
  builder.launch(30'000, 150'000, 350'000, "my_gemm").stream_id = 9;
  builder.memcpy(310'000, 390'000);
  for (int i = 0; i < 5; ++i) {
    store::DeviceStateSample sample;
    sample.timestamp_ns = 200'000 * i;
    sample.power_w = 100.0 + 100 * i;
    builder.profile().device_states.push_back(sample);
  }
  return builder;
}

inline std::shared_ptr<const gui::OpenRun> timed_run() {
  test::ProfileBuilder builder = timed_profile();
  return prepared(builder);
}

// Host work: two annotated ranges and one without annotation.
inline std::shared_ptr<const gui::OpenRun> annotated_host_run() {
  test::ProfileBuilder builder;
  builder.profile().gpus.clear();
  builder.range(0, 1000, "axpy | flop=1e6 dram=1e6");
  builder.range(2000, 3000, "axpy | flop=1e6 dram=1e6");
  builder.range(4000, 6000, "setup");
  return prepared(builder);
}

}  // namespace mansard::testing
