// SPDX-License-Identifier: Apache-2.0
#include "collector/session/recording_window.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

struct Log : RecordingWindow::Listener {
  void window_opens() override {
    text += "o";
    if (fails) throw std::runtime_error("refused");
  }
  void window_closed() override { text += "c"; }
  void window_is_over() override { text += "!"; }
  std::string text;
  bool fails = false;
};

struct WindowFixture {
  std::int64_t now_ns = 0;
  std::vector<std::string> complaints;
  Log log;
  RecordingWindow window;

  explicit WindowFixture(const RecordingOptions& options)
      : window(options, {.now_ns = [this] { return now_ns; },
                         .complain = [this](const std::string& s) { complaints.push_back(s); }}) {
    window.add_listener(log);
  }
  // Enters and leaves a range; returns whether it was in the window.
  bool enter(std::string_view name, std::string_view domain = "") {
    const bool trigger = window.is_trigger(name, domain);
    if (trigger) window.trigger_begins();
    const bool recorded = window.recording();
    if (trigger) window.trigger_ends();
    return recorded;
  }
};

TEST(RecordingWindow, WithoutLimitsOpensImmediately) {
  WindowFixture f{RecordingOptions{}};
  EXPECT_TRUE(f.window.recording());
  EXPECT_EQ(f.log.text, "o");
  EXPECT_FALSE(f.window.tick());
  EXPECT_FALSE(f.window.watches_ranges());
}

TEST(RecordingWindow, DelayAndDuration) {
  RecordingOptions options;
  options.delay_s = 2;
  options.duration_s = 3;
  options.start_utc_ns = 1'000'000'000;
  WindowFixture f{options};
  f.now_ns = 2'999'999'999;
  EXPECT_EQ(f.window.tick(), 3'000'000'000);
  EXPECT_EQ(f.window.epoch(), 0u);
  f.now_ns = 3'000'000'001;
  EXPECT_EQ(f.window.tick(), 6'000'000'000);
  EXPECT_TRUE(f.window.recording());
  EXPECT_EQ(f.window.start_ns(), 3'000'000'001);
  f.now_ns = 6'000'000'000;
  EXPECT_FALSE(f.window.tick());
  EXPECT_FALSE(f.window.recording());
  EXPECT_EQ(f.log.text, "oc!");
  f.window.open();
  EXPECT_FALSE(f.window.recording()) << "opened after its end";
  const auto windows = f.window.windows(0);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0].start_ns, 3'000'000'001);
  EXPECT_EQ(windows[0].end_ns, 6'000'000'000);
}

TEST(RecordingWindow, LateProcessIsAfterTheWindow) {
  RecordingOptions options;
  options.duration_s = 1;
  WindowFixture f{options};
  f.now_ns = 5'000'000'000;
  EXPECT_FALSE(f.window.tick());
  EXPECT_EQ(f.log.text, "!");
  EXPECT_EQ(f.window.epoch(), 0u);
}

// A listener that samples on its own thread is woken up when it may start.
TEST(RecordingWindow, ListenersAreNotifiedBeforeAndAfterOpening) {
  struct Order : RecordingWindow::Listener {
    explicit Order(const RecordingWindow& w) : window(w) {}
    void window_opens() override { text += window.recording() ? "?" : "("; }
    void window_opened() override { text += window.recording() ? "o" : "?"; }
    void window_closed() override { text += window.recording() ? "?" : ")"; }
    const RecordingWindow& window;
    std::string text;
  };
  RecordingOptions options;
  options.paused = true;
  WindowFixture f{options};
  Order order(f.window);
  f.window.add_listener(order);
  f.window.open();
  f.window.close();
  f.window.open();
  EXPECT_EQ(order.text, "(o)(o");
  Order late(f.window);
  f.window.add_listener(late);
  EXPECT_EQ(late.text, "?o") << "notified immediately if open";
}

TEST(RecordingWindow, NamedRangeInItsDomain) {
  RecordingOptions options;
  parse_capture_range("nvtx:epoch@train", options);
  WindowFixture f{options};
  EXPECT_FALSE(f.enter("epoch", ""));
  EXPECT_FALSE(f.enter("epochs", "train"));
  EXPECT_FALSE(f.enter("epoc", "train"));
  EXPECT_TRUE(f.enter("epoch", "train"));
  EXPECT_TRUE(f.enter("epoch | flop=1e9", "train")) << "an annotation is not part of the name";
  EXPECT_EQ(f.log.text, "ococ");
}

TEST(RecordingWindow, OverlappingRangesAreOneWindow) {
  RecordingOptions options;
  parse_capture_range("nvtx:r", options);
  WindowFixture f{options};
  f.window.trigger_begins();
  f.window.trigger_begins();  // on another thread
  f.window.trigger_ends();
  EXPECT_TRUE(f.window.recording());
  f.window.trigger_ends();
  EXPECT_FALSE(f.window.recording());
  EXPECT_EQ(f.log.text, "oc");
}

TEST(RecordingWindow, StepRangeExcludesTheEndStep) {
  RecordingOptions options;
  parse_steps("2:4", options);
  options.step_prefix = "iter";
  WindowFixture f{options};
  EXPECT_FALSE(f.enter("iteration 1"));
  EXPECT_FALSE(f.enter("other"));
  EXPECT_TRUE(f.enter("iteration 2"));
  EXPECT_TRUE(f.window.recording()) << "events between two steps are recorded";
  EXPECT_TRUE(f.enter("iteration 3"));
  EXPECT_FALSE(f.enter("iteration 4"));
  EXPECT_FALSE(f.enter("iteration 5"));
  EXPECT_EQ(f.log.text, "oc!");
}

TEST(RecordingWindow, ReportsWhyItNeverOpened) {
  RecordingOptions options;
  parse_steps("20:30", options);
  WindowFixture f{options};
  for (int i = 0; i < 7; ++i) f.enter("step");
  EXPECT_NE(f.window.why_never_opened().find("only 7"), std::string::npos);
}

TEST(RecordingWindow, FailingListenerDoesNotStopTheOthers) {
  RecordingOptions options;
  parse_capture_range("nvtx:r", options);
  WindowFixture f{options};
  Log other;
  f.log.fails = true;
  f.window.add_listener(other);
  EXPECT_TRUE(f.enter("r"));
  EXPECT_EQ(other.text, "oc");
  EXPECT_EQ(f.complaints, std::vector<std::string>{"refused"});
}

TEST(RecordingWindow, NothingChangesAfterProgramEnd) {
  WindowFixture f{RecordingOptions{}};
  f.now_ns = 7;
  f.window.freeze();
  f.window.close();
  EXPECT_EQ(f.log.text, "o");
  EXPECT_EQ(f.window.windows(0)[0].end_ns, 7);
}

}  // namespace
}  // namespace mansard::collector
