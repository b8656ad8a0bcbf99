// SPDX-License-Identifier: Apache-2.0
// gui_first_picture [KERNELS [REPETITIONS]] | gui_first_picture FILE [REPETITIONS] Time from the
// request to open a profile until the window has painted its roofline and its timeline, and the
// longest time that it did not respond meanwhile. Uses FILE, or a synthetic profile (in the
// temporary folder) with 2.2 million kernels, as many API calls, and one range per four kernels.
// 1280x800, without a display, with an existing window. Each repetition is a separate process, with
// the file in the page cache.
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <vector>

#include <sys/mman.h>

#include "gui/views/main_window.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "tests/benchmarks/synthetic_profile.h"
#include "tests/benchmarks/timed_application.h"

namespace {

using namespace mansard;
using namespace mansard::gui;

struct Measured {
  double roofline_s = 0;
  double timeline_s = 0;
  double longest_event_ms = 0;
};

// Records the end of an event that painted a view.
class Timed : public benchmarks::TimedApplication {
 public:
  using TimedApplication::TimedApplication;

  bool notify(QObject* receiver, QEvent* event) override {
    const bool paints = event->type() == QEvent::Paint;
    const bool handled = TimedApplication::notify(receiver, event);
    if (paints && receiver == roofline &&
        page->document()->state() != gui::RunDocument::State::empty &&
        !roofline->scene().figure().points.empty()) {
      painted_roofline_ = true;
    }
    if (paints && receiver == timeline && page->document()->open_run()) painted_timeline_ = true;
    if (is_inside_an_event() || !measuring) return handled;
    note(painted_roofline_, m.roofline_s);
    note(painted_timeline_, m.timeline_s);
    return handled;
  }

  bool done() const { return m.timeline_s > 0 && m.roofline_s > 0; }

  Measured m;
  QElapsedTimer since;
  bool measuring = false;
  gui::RunPage* page = nullptr;
  gui::RooflineView* roofline = nullptr;
  QObject* timeline = nullptr;

 private:
  void note(bool painted, double& s) const {
    if (painted && s == 0) s = static_cast<double>(since.nsecsElapsed()) * 1e-9;
  }

  bool painted_roofline_ = false;
  bool painted_timeline_ = false;
};

Measured open_in_a_window(const QString& file) {
  int argc = 1;
  char name[] = "gui_first_picture";
  char* argv[] = {name, nullptr};
  qputenv("QT_QPA_PLATFORM", "offscreen");
  Timed application(argc, argv);
  gui::MainWindow window({}, nullptr);
  window.resize(1280, 800);
  window.show();
  while (!window.isActiveWindow()) QApplication::processEvents(QEventLoop::AllEvents, 100);
  application.since.start();
  window.open({file});
  application.page = window.page_of(file);
  application.roofline = application.page->roofline();
  application.timeline = application.page->view(QStringLiteral("timeline"));
  application.take_longest();
  application.measuring = true;
  while (!application.done()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
  application.m.longest_event_ms = application.take_longest().ms;
  return application.m;
}

void print(const char* label, const Measured& m) {
  std::printf("%-8s %12.2f %12.2f %18.1f\n", label, m.roofline_s, m.timeline_s, m.longest_event_ms);
  std::fflush(stdout);
}

void measure(const QString& file, int repetitions) {
  // Shared with the measuring processes.
  auto* const results =
      static_cast<Measured*>(mmap(nullptr, static_cast<std::size_t>(repetitions) * sizeof(Measured),
                                  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (results == MAP_FAILED) std::exit(1);
  std::printf("%-8s %12s %12s %18s\n", "", "roofline, s", "timeline, s", "longest event, ms");
  std::fflush(stdout);
  for (int i = 0; i < repetitions; ++i) {
    benchmark::in_process([&] { results[i] = open_in_a_window(file); });
    print(std::to_string(i + 1).c_str(), results[i]);
  }
  Measured median;
  for (const auto member :
       {&Measured::roofline_s, &Measured::timeline_s, &Measured::longest_event_ms}) {
    std::vector<double> values;
    for (int i = 0; i < repetitions; ++i) values.push_back(results[i].*member);
    std::ranges::nth_element(values, values.begin() + repetitions / 2);
    median.*member = values[static_cast<std::size_t>(repetitions / 2)];
  }
  print("median", median);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  if (argc > 1 && QFileInfo(QString::fromLocal8Bit(argv[1])).isFile()) {
    measure(QString::fromLocal8Bit(argv[1]), repetitions);
    return 0;
  }
  const std::int64_t kernels = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 2'200'000;
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("gui_first_" + std::to_string(getpid()) + ".sqlite");
  benchmark::in_process([&] {
    benchmark::MadeUpRecording(file, {kernels, kernels, kernels / 4}).write();
  });
  measure(QString::fromStdString(file.string()), repetitions);
  std::filesystem::remove(file);
  return 0;
}
