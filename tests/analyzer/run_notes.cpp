// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

ProfileBuilder one_kernel() {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=100 hbm=10 precision=bf16");
  b.launch(5, 100, 200, "k");
  return b;
}

void add_diagnostic(ProfileBuilder& b, store::Severity severity, const std::string& text) {
  store::DiagnosticRecord record;
  record.severity = severity;
  record.text = text;
  b.profile().diagnostics.push_back(record);
}

TEST(RunNotes, StateOfTheRecording) {
  ProfileBuilder b = one_kernel();
  EXPECT_TRUE(analysis::analyze_run(b.build(), {test_machine()}).notes.empty());
  b.profile().session.state = store::RecordingState::interrupted;
  EXPECT_TRUE(has_note(analysis::analyze_run(b.build(), {test_machine()}), "interrupted"));
  b.profile().session.state = store::RecordingState::recording;
  EXPECT_TRUE(has_note(analysis::analyze_run(b.build(), {test_machine()}), "still being profiled"));
  b.profile().session.state = store::RecordingState::foreign;
  EXPECT_TRUE(has_note(analysis::analyze_run(b.build(), {test_machine()}), "another tool"));
}

TEST(RunNotes, DroppedEvents) {
  ProfileBuilder b = one_kernel();
  b.profile().session.dropped_events = 12;
  b.kernel(0, 0, "lost");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_TRUE(has_note(run, "12"));
  EXPECT_TRUE(has_note(run, "zero time: 1"));
}

TEST(RunNotes, DiagnosticsFromWarningUpEachTextOnce) {
  ProfileBuilder b = one_kernel();
  add_diagnostic(b, store::Severity::info, "all is well");
  for (int i = 0; i < 3; ++i) add_diagnostic(b, store::Severity::warning, "buffer full");
  add_diagnostic(b, store::Severity::error, "broken");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_FALSE(has_note(run, "all is well"));
  EXPECT_TRUE(has_note(run, "buffer full"));
  EXPECT_TRUE(has_note(run, "3 times"));
  EXPECT_TRUE(has_note(run, "broken"));
  EXPECT_EQ(run.notes.size(), 2u);
}

TEST(RunNotes, ManyDiagnosticsAreSummarized) {
  ProfileBuilder b = one_kernel();
  for (int i = 0; i < 30; ++i) add_diagnostic(b, store::Severity::warning, "w" + std::to_string(i));
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(run.notes.size(), 9u);
  EXPECT_TRUE(has_note(run, "22 more"));
}

TEST(RunNotes, AnnotationsThatCannotBeUsed) {
  ProfileBuilder b = one_kernel();
  b.range(20, -1, "open | flop=1");
  b.range(30, 60, "outer | flop=5 precision=bf16");  // all its kernels are the inner range's
  b.range(35, 50, "inner | flop=5 precision=bf16 clas=gemm");
  b.launch(40, 300, 400, "k");
  b.range(70, 80, "typo | flop=1 precision=bf16 class=gem");
  b.launch(75, 500, 600, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_TRUE(has_note(run, "1 annotated range still open"));
  EXPECT_TRUE(has_note(run, "1 annotated range with device work"));
  EXPECT_TRUE(has_note(run, "1 annotated range with unknown keys"));
  EXPECT_TRUE(has_note(run, "'gem'"));
}

TEST(RunNotes, MissingCeilings) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=100 nvlink=10 precision=nvfp4");
  b.launch(5, 100, 200, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_TRUE(has_note(run, "NVFP4, NVLink"));
}

TEST(RunNotes, SeveralDevicesAndProcesses) {
  ProfileBuilder b = one_kernel();
  b.kernel(300, 310, "k").device_id = 1;
  b.call(400, "cudaLaunchKernel", 77, (std::int64_t{8} << 24) | 1);
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_TRUE(has_note(run, "2 devices"));
  EXPECT_TRUE(has_note(run, "2 processes"));
}

// Advice about unknown work needs the program, which the user who has the profile may not
// have.
TEST(RunNotes, AdviceThatNeedsTheProgramSaysSo) {
  ProfileBuilder b;
  b.launch(5, 100, 200, "of unknown work");
  EXPECT_TRUE(has_note(analysis::analyze_run(b.build(), {test_machine()}),
                       "If you can run the program yourself, profile more of its steps"));

  ProfileBuilder c = one_kernel();
  c.profile().api_calls.clear();
  EXPECT_TRUE(has_note(analysis::analyze_run(c.build(), {test_machine()}),
                       "has no CUDA API calls, so kernels cannot be matched to annotated ranges. "
                       "If you can run the program yourself, record it with `mansard profile`."));
  c.profile().session.state = store::RecordingState::foreign;
  EXPECT_TRUE(has_note(analysis::analyze_run(c.build(), {test_machine()}),
                       "`nsys profile --trace=cuda,nvtx`"));
}

}  // namespace
}  // namespace mansard::test
