// SPDX-License-Identifier: Apache-2.0
// gui_longest_events [KERNELS | FILE] The longest event of each user action in the window, which
// does not respond meanwhile. Uses FILE, or a synthetic profile (in the temporary folder) with 2.2
// million kernels. 1280x800, without a display. Events above the limit of 50 ms are marked.
#include <QFileInfo>
#include <QLineEdit>
#include <QMouseEvent>
#include <QThreadPool>
#include <QWheelEvent>
#include <cstdio>
#include <functional>

#include "gui/views/filter_bar.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"
#include "gui/views/run_views.h"
#include "gui/views/search_palette.h"
#include "tests/benchmarks/synthetic_profile.h"
#include "tests/benchmarks/timed_application.h"

namespace {

using namespace mansard;
using namespace mansard::gui;

class Hands {
 public:
  Hands(benchmarks::TimedApplication& application, const QString& file)
      : application_(application) {
    window_.resize(1280, 800);
    window_.show();
    settle();
    std::printf("%-32s %10s %10s  %s\n", "", "longest, ms", "CPU, ms", "event");
    measure("open", [&] { window_.open({file}); });
  }

  void do_everything() {
    for (const RunViewSpec& spec : run_views()) use(spec.name);
    filter();
    RunPage* page = window_.current_page();
    measure("undo and redo", [=] {
      page->selection()->undo();
      page->selection()->redo();
    });
    find_by_name();
    measure("help", [&] { window_.help(QStringLiteral("gui.md")); });
  }

 private:
  // Waits until the event, its background work and its follow-up events are done.
  void settle() {
    RunPage* page = window_.current_page();
    do {
      for (int pass = 0; pass < 3; ++pass) {
        QThreadPool::globalInstance()->waitForDone();
        QApplication::processEvents();
      }
    } while (page != nullptr && page->document()->open_run() == nullptr &&
             page->document()->state() != RunDocument::State::failed);
  }

  // Posted as a separate event.
  void measure(const QString& what, const std::function<void()>& work) {
    measure_each(what, 1, [&](int) { work(); });
  }
  void measure_each(const QString& what, int times, const std::function<void(int)>& work) {
    application_.take_longest();
    for (int i = 0; i < times; ++i) {
      QMetaObject::invokeMethod(
          qApp, [&, i] { work(i); }, Qt::QueuedConnection);
      QApplication::processEvents();
    }
    settle();
    const benchmarks::EventTime longest = application_.take_longest();
    std::printf("%-32s %10.1f %10.1f  %s%s\n", qUtf8Printable(what), longest.ms, longest.ran_ms,
                qUtf8Printable(longest.what),
                longest.ms > benchmarks::kLongestEvent_ms ? "  OVER THE LIMIT" : "");
    std::fflush(stdout);
  }

  void use(const char* name) {
    RunPage* page = window_.current_page();
    const QString view_name = QString::fromUtf8(name);
    measure(view_name + QStringLiteral(": show"), [&] { page->raise_view(view_name); });
    RunView* view = page->view(view_name);
    measure_each(view_name + QStringLiteral(": hover"), 40, [&](int i) { mouse(view, move, i); });
    measure_each(view_name + QStringLiteral(": click"), 10, [&](int i) {
      mouse(view, press, i);
      mouse(view, release, i);
    });
    measure_each(view_name + QStringLiteral(": zoom in"), 40, [&](int) { wheel(view, 1); });
    measure_each(view_name + QStringLiteral(": zoom out"), 40, [&](int) { wheel(view, -1); });
    constexpr Qt::Key kKeys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,       Qt::Key_Down,
                                 Qt::Key_Plus, Qt::Key_Minus, Qt::Key_PageDown, Qt::Key_End,
                                 Qt::Key_Home, Qt::Key_N,     Qt::Key_P,        Qt::Key_0};
    measure_each(view_name + QStringLiteral(": keys"), static_cast<int>(std::size(kKeys)),
                 [&](int i) { key(focus_of(view), kKeys[i]); });
    measure(view_name + QStringLiteral(": select"), [&] {
      const OpenRun& run = *page->document()->open_run();
      if (run.launches.size() > 0) page->selection()->select_launch(run.launches.size() / 2);
    });
    measure(view_name + QStringLiteral(": everything"), [&] { view->show_everything(); });
  }

  void filter() {
    RunPage* page = window_.current_page();
    const QString typed = QStringLiteral("functor 17");
    measure_each(QStringLiteral("filter: type"), static_cast<int>(typed.size()),
                 [&](int i) { page->selection()->set_words(typed.left(i + 1)); });
    measure(QStringLiteral("filter: time range"), [&] {
      const figure::TimeSpan all = page->document()->open_run()->timeline.span;
      page->selection()->set_window(
          figure::TimeSpan{all.start_ns, all.start_ns + (all.end_ns - all.start_ns) / 3});
    });
    measure(QStringLiteral("filter: none"), [&] { page->selection()->set_filter({}); });
  }

  void find_by_name() {
    measure(QStringLiteral("palette: open"), [&] { open_palette(); });
    SearchPalette* palette = window_.palette_of_names();
    const QString typed = QStringLiteral("vecfun17");
    measure_each(QStringLiteral("palette: type"), static_cast<int>(typed.size()),
                 [&](int i) { palette->findChild<QLineEdit*>()->setText(typed.left(i + 1)); });
    measure(QStringLiteral("palette: close"), [&] { palette->hide(); });
  }

  void open_palette() {
    for (QAction* action : window_.findChildren<QAction*>()) {
      if (action->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_K))) action->trigger();
    }
  }

  // Lists and tables receive mouse events in a child widget.
  static QWidget* focus_of(RunView* view) {
    for (QWidget* child : view->findChildren<QWidget*>()) {
      if (child->objectName() == QStringLiteral("qt_scrollarea_viewport") && child->isVisible()) {
        return child;
      }
    }
    return view;
  }

  static constexpr QEvent::Type move = QEvent::MouseMove;
  static constexpr QEvent::Type press = QEvent::MouseButtonPress;
  static constexpr QEvent::Type release = QEvent::MouseButtonRelease;

  // The i-th of points spread over the widget.
  static void mouse(RunView* view, QEvent::Type type, int i) {
    QWidget* widget = focus_of(view);
    const QPointF at(widget->width() * (0.05 + 0.9 * (i * 37 % 40) / 40.0),
                     widget->height() * (0.05 + 0.9 * (i * 23 % 40) / 40.0));
    const Qt::MouseButton button = type == move ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(type, at, widget->mapToGlobal(at), button,
                      type == press ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(widget, &event);
  }

  static void wheel(RunView* view, int notches) {
    QWidget* widget = focus_of(view);
    const QPointF at(widget->width() * 0.6, widget->height() * 0.5);
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
  }

  static void key(QWidget* widget, Qt::Key key) {
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
      QKeyEvent event(type, key, Qt::NoModifier);
      QApplication::sendEvent(widget, &event);
    }
  }

  benchmarks::TimedApplication& application_;
  MainWindow window_{{}, nullptr};
};

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const bool is_file = argc > 1 && QFileInfo(QString::fromLocal8Bit(argv[1])).isFile();
  const std::int64_t kernels = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 2'200'000;
  const std::filesystem::path made = std::filesystem::temp_directory_path() /
                                     ("gui_events_" + std::to_string(getpid()) + ".sqlite");
  if (!is_file) {
    benchmark::in_process([&] {
      benchmark::MadeUpRecording(made, {kernels, kernels, kernels / 4}).write();
    });
  }
  {
    benchmarks::TimedApplication application(argc, argv);
    Hands(application,
          is_file ? QString::fromLocal8Bit(argv[1]) : QString::fromStdString(made.string()))
        .do_everything();
  }
  std::filesystem::remove(made);
  return 0;
}
