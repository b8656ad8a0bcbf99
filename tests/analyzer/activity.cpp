// SPDX-License-Identifier: Apache-2.0
#include "analyzer/activity.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(Activity, OverlappingStreamsCountOnce) {
  // Stream 1: 100..200, stream 2: 150..250 and, within it, 160..170; idle; 300..310.
  // Union 150 + 10 ns; span 100..310.
  ProfileBuilder b;
  b.kernel(100, 200, "k").stream_id = 1;
  b.kernel(150, 250, "k").stream_id = 2;
  b.kernel(160, 170, "k").stream_id = 3;
  b.kernel(300, 310, "k").stream_id = 1;
  const analysis::Activity a = analysis::device_activity(b.build());
  EXPECT_DOUBLE_EQ(a.busy_s, 160e-9);
  EXPECT_DOUBLE_EQ(a.span_s, 210e-9);
}

TEST(Activity, IncludesMemcpysAndMemsets) {
  // Memcpy 10..30, kernel 20..40, memset 50..60: union 30 + 10, span 50.
  ProfileBuilder b;
  b.kernel(20, 40, "k");
  b.memcpy(10, 30);
  store::MemsetRecord fill;
  fill.start_ns = 50;
  fill.end_ns = 60;
  b.profile().memsets.push_back(fill);
  const analysis::Activity a = analysis::device_activity(b.build());
  EXPECT_DOUBLE_EQ(a.busy_s, 40e-9);
  EXPECT_DOUBLE_EQ(a.span_s, 50e-9);
}

TEST(Activity, IgnoresRecordsWithoutTimes) {
  ProfileBuilder b;
  b.kernel(0, 0, "lost");
  b.kernel(1000, 900, "reversed");
  b.kernel(500, 600, "k");
  const analysis::Activity a = analysis::device_activity(b.build());
  EXPECT_DOUBLE_EQ(a.busy_s, 100e-9);
  EXPECT_DOUBLE_EQ(a.span_s, 100e-9);
}

TEST(Activity, EmptyProfile) {
  const analysis::Activity a = analysis::device_activity(store::Profile{});
  EXPECT_EQ(a.busy_s, 0.0);
  EXPECT_EQ(a.span_s, 0.0);
}

}  // namespace
}  // namespace mansard::test
