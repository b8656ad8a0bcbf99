// SPDX-License-Identifier: Apache-2.0
// The window of --steps without ranges, driven by launch callbacks.
#include "collector/cupti/step_watch.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/collector/cupti/fake_observer.h"

namespace mansard::collector {
namespace {

class StepWatchTest : public testing::Test, public RecordingWindow::Listener {
 protected:
  StepWatchTest() { options.step_prefix = "step"; }

  void window_opens() override { log += "o" + std::to_string(steps); }
  void window_closed() override { log += "c" + std::to_string(steps); }
  void window_is_over() override { log += "!"; }

  void make(std::int64_t first, std::int64_t end) {
    options.first_step = first;
    options.end_step = end;
    window = std::make_unique<RecordingWindow>(
        options, RecordingWindow::Hooks{.now_ns = [] { return std::int64_t{1}; },
                                        .complain = [](const std::string&) {}});
    window->add_listener(*this);
    watch = std::make_unique<StepWatch>(*window, &next,
                                        [this](const std::string& text) { told.push_back(text); });
  }
  void launch(std::uintptr_t function) {
    cuLaunchKernel_params p{};
    p.f = reinterpret_cast<CUfunction>(function);
    CUpti_CallbackData data{};
    data.functionParams = &p;
    watch->launch_begins(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, data);
    watch->launch_ends(data);
  }
  // Until the steps are recognized, and `more` afterwards.
  void train(int more, std::chrono::seconds patience = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (more > 0 && std::chrono::steady_clock::now() < end) {
      ++steps;
      for (std::uintptr_t kernel = 1; kernel <= 10; ++kernel) launch(kernel);
      // A capture now and then, as XLA does when buffers change.
      if (steps % 3 == 0) {
        watch->capture_begins();
        for (std::uintptr_t kernel = 50; kernel <= 60; ++kernel) launch(kernel);
        watch->capture_ends();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!told.empty()) --more;
    }
  }

  RecordingOptions options;
  std::unique_ptr<RecordingWindow> window;
  test::Observer next;
  std::unique_ptr<StepWatch> watch;
  std::vector<std::string> told;
  std::string log;
  int steps = 0;
};

TEST_F(StepWatchTest, RecordsTheRequestedSteps) {
  make(1000, 1003);
  EXPECT_TRUE(watch->wants_launches());
  EXPECT_FALSE(watch->is_done());
  train(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("(10 per step"), std::string::npos) << told[0];
  EXPECT_EQ(told[0].find("instead"), std::string::npos) << told[0];
  EXPECT_TRUE(log.empty());
  while (steps < 1010) {
    ++steps;
    for (std::uintptr_t kernel = 1; kernel <= 10; ++kernel) launch(kernel);
  }
  // The window opens and closes after the last launch of a step.
  EXPECT_EQ(log, "o999c1002!");
  EXPECT_FALSE(watch->wants_launches());
}

TEST_F(StepWatchTest, RecordsLaterStepsIfTheRequestedOnesHavePassed) {
  make(3, 5);
  train(5);
  ASSERT_EQ(told.size(), 1u);
  const int recognized = steps - 4;
  EXPECT_NE(told[0].find("after step 3 had begun; steps " + std::to_string(recognized + 1) + ":" +
                         std::to_string(recognized + 3) + " are recorded instead"),
            std::string::npos)
      << told[0];
  EXPECT_EQ(log, "o" + std::to_string(recognized) + "c" + std::to_string(recognized + 2) + "!");
}

TEST_F(StepWatchTest, RangesHavePrecedence) {
  make(100, 102);
  window->trigger_begins();
  train(1, std::chrono::seconds(3));
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(log.empty());
  EXPECT_FALSE(watch->wants_launches());
}

TEST_F(StepWatchTest, PassesEverythingOn) {
  make(1, 2);
  launch(1);
  EXPECT_EQ(next.log, ")") << "an observer that wants no launch sees none begin";
  next.wants = true;
  launch(1);
  watch->capture_begins();
  watch->capture_ends();
  watch->context_ends(nullptr);
  watch->launches_unwatched();
  watch->stop();
  EXPECT_EQ(next.log, ")()[]x-!");
  next.read = 7;
  EXPECT_TRUE(watch->was_read(7));
  EXPECT_TRUE(watch->wants_launches()) << "the next one still does";
}

}  // namespace
}  // namespace mansard::collector
