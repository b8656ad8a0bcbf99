// SPDX-License-Identifier: Apache-2.0
// Every view with every kind of run, and with random user input.
#include <QApplication>
#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QTest>
#include <QThreadPool>
#include <QTimer>
#include <QToolTip>
#include <QWheelEvent>
#include <functional>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "gui/views/run_views.h"
#include "gui/views/theme.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {

void PrintTo(const RunViewSpec& view, std::ostream* out) {
  *out << view.name;
}  // in the names of tests

namespace {

using Run = std::shared_ptr<const OpenRun>;

Run loaded(const char* file) {
  return prepare_run(load_run(std::filesystem::path(MANSARD_SOURCE_FOLDER "/examples") / file, {}));
}

Run one_kernel() {
  store::Profile profile;
  store::KernelRecord kernel;
  kernel.start_ns = 10;
  kernel.end_ns = 20;
  kernel.demangled_name = 1;
  profile.strings[1] = "k";
  profile.kernels = std::vector<store::KernelRecord>{kernel};
  return prepare_run(analysis::analyze_run(std::move(profile), {}));
}

// Launches of zero length, at equal times, out of order, and at the limits of the time type.
Run odd_times() {
  store::Profile profile;
  profile.strings[1] = "k";
  profile.strings[2] = "\xff\xfe<b>\n\x01&amp;";
  std::vector<store::KernelRecord> kernels;
  for (const auto& [start, end] : std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
           {0, 0}, {0, 0}, {5, 5}, {5, 3}, {7, std::int64_t{1} << 50}, {8, 9}}) {
    store::KernelRecord kernel;
    kernel.start_ns = start;
    kernel.end_ns = end;
    kernel.demangled_name = start % 2 + 1;
    kernels.push_back(kernel);
  }
  profile.kernels = kernels;
  return prepare_run(analysis::analyze_run(std::move(profile), {}));
}

Run machine_alone() {
  analysis::RunAnalysis run;
  run.machine = testing::h200().devices.front();
  return prepare_run(std::move(run));
}

Run without_machine() {
  analysis::RunAnalysis run = *testing::training_run();
  run.machine.reset();
  return prepare_run(std::move(run));
}

struct Kind {
  const char* name;
  std::function<Run()> make;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"training", [] { return prepare_run(*testing::training_run()); }},
      {"empty", [] { return testing::empty_run(); }},
      {"one_kernel", one_kernel},
      {"odd_times", odd_times},
      {"machine_alone", machine_alone},
      {"without_machine", without_machine},
      {"host", [] { return testing::host_run(); }},
      {"counters", [] { return loaded("h200/h200_pytorch_counters.sqlite"); }},
      {"nvfp4", [] { return loaded("h200/h200_layer_nvfp4.sqlite"); }},
      {"ranks", [] { return loaded("h200/ranks.sqlite"); }},
      {"nsight", [] { return loaded("nsight/llama_fp8.sqlite"); }},
  };
  return all;
}

Run made(const Kind& kind) {
  static std::map<std::string, Run> runs;
  Run& run = runs[kind.name];
  if (!run) run = kind.make();
  return run;
}

// A view of a run, on the screen.
class Shown {
 public:
  Shown(const RunViewSpec& spec, Run shown) : run(std::move(shown)), view(spec.make(&selection)) {
    // Close menus and dialogs, which would wait for input.
    QObject::connect(&closer, &QTimer::timeout, [] {
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
      if (QWidget* dialog = QApplication::activeModalWidget()) dialog->close();
    });
    closer.start(10);
    selection.set_run(run);
    view->resize(900, 500);
    view->set_run(run);
    view->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(view.get()));
  }

  void check_tables() {
    for (const analysis::Table& table : view->tables()) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
  }

  void do_something(std::mt19937& random);

  Run run;
  SelectionModel selection;
  std::unique_ptr<RunView> view;
  QTimer closer;

 private:
  QWidget* target(std::mt19937& random) {
    const QList<QWidget*> widgets = view->findChildren<QWidget*>();
    if (widgets.isEmpty() || random() % 2 == 0) return view.get();
    return widgets[static_cast<qsizetype>(random() % static_cast<unsigned>(widgets.size()))];
  }
};

void Shown::do_something(std::mt19937& random) {
  static constexpr Qt::Key kKeys[] = {
      Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Left, Qt::Key_Right,    Qt::Key_Up,     Qt::Key_Down,
      Qt::Key_Home, Qt::Key_0,     Qt::Key_N,    Qt::Key_P,        Qt::Key_T,      Qt::Key_D,
      Qt::Key_S,    Qt::Key_End,   Qt::Key_Tab,  Qt::Key_PageDown, Qt::Key_PageUp, Qt::Key_Escape};
  static constexpr Qt::KeyboardModifiers kModifiers[] = {Qt::NoModifier, Qt::ShiftModifier,
                                                         Qt::ControlModifier, Qt::AltModifier};
  QWidget* widget = target(random);
  if (!widget->isVisible() || widget->width() < 2 || widget->height() < 2) return;
  const QPoint at(static_cast<int>(random() % static_cast<unsigned>(widget->width())),
                  static_cast<int>(random() % static_cast<unsigned>(widget->height())));
  const Qt::KeyboardModifiers modifiers = kModifiers[random() % std::size(kModifiers)];
  switch (random() % 9) {
    case 0:
      QTest::mouseMove(widget, at);
      break;
    case 1:
      QTest::mousePress(widget, Qt::LeftButton, modifiers, at);
      QTest::mouseMove(widget, at + QPoint(static_cast<int>(random() % 200) - 100, 20));
      QTest::mouseRelease(widget, Qt::LeftButton, modifiers, at);
      break;
    case 2:
      QTest::mouseDClick(widget, Qt::LeftButton, modifiers, at);
      break;
    case 3: {
      const int notches = static_cast<int>(random() % 40) - 20;
      QWheelEvent event(at, widget->mapToGlobal(QPointF(at)), {}, {0, 120 * notches}, Qt::NoButton,
                        modifiers, Qt::NoScrollPhase, false);
      QApplication::sendEvent(widget, &event);
      break;
    }
    case 4:
    case 5:
      QTest::keyClick(widget, kKeys[random() % std::size(kKeys)],
                      modifiers & (Qt::ShiftModifier | Qt::ControlModifier));
      break;
    case 6:
      if (!run->analysis.rows.empty()) selection.select(random() % run->analysis.rows.size());
      if (run->launches.size() > 0) selection.select_launch(random() % run->launches.size());
      break;
    case 7: {
      ViewFilter filter;
      if (random() % 2 == 0) filter.words = QStringLiteral("a");
      if (random() % 4 == 0) filter.operation_class = QStringLiteral("gemm");
      if (random() % 2 == 0) {
        const auto start = static_cast<std::int64_t>(random());
        filter.window = figure::TimeSpan{start, start + static_cast<std::int64_t>(random())};
      }
      selection.set_filter(filter);
      break;
    }
    default:
      random() % 2 == 0 ? selection.undo() : selection.redo();
  }
}

class EveryView : public ::testing::TestWithParam<RunViewSpec> {
 protected:
  ~EveryView() override { apply_theme(*qApp, figure::Theme::light); }

  static void finish_background_work() {
    QThreadPool::globalInstance()->waitForDone();
    QApplication::processEvents();
  }
};

TEST_P(EveryView, PaintsAndExportsInBothThemesAtAnySize) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    Shown shown(GetParam(), made(kind));
    EXPECT_FALSE(shown.view->accessibleName().isEmpty());
    for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
      apply_theme(*qApp, theme);
      for (const QSize size : {QSize(900, 500), QSize(1, 1), QSize(120, 60), QSize(300, 700)}) {
        shown.view->resize(size);
        QApplication::processEvents();
        EXPECT_FALSE(shown.view->grab().isNull());
        if (!shown.view->is_figure()) continue;
        QSvgGenerator generator;
        QBuffer buffer;
        generator.setOutputDevice(&buffer);
        generator.setSize(size);
        QPainter painter(&generator);
        shown.view->paint_figure(painter);
      }
    }
    shown.check_tables();
    finish_background_work();
  }
}

TEST_P(EveryView, AcceptsEveryOtherRunAsBaseline) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    Shown shown(GetParam(), made(kind));
    for (const Kind& other : kinds()) {
      shown.view->set_baseline(made(other));
      QApplication::processEvents();
      EXPECT_FALSE(shown.view->grab().isNull()) << other.name;
    }
    shown.view->set_baseline(nullptr);
    shown.view->set_run(nullptr);
    shown.selection.set_run(nullptr);
    QApplication::processEvents();
    shown.view->grab();
    EXPECT_TRUE(shown.view->tables().empty());
    finish_background_work();
  }
}

TEST_P(EveryView, AcceptsRandomInput) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    Shown shown(GetParam(), made(kind));
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(GetParam().name)));
    for (int i = 0; i < 150; ++i) {
      shown.do_something(random);
      if (i % 10 == 0) QApplication::processEvents();
    }
    QToolTip::hideText();
    shown.view->show_everything();
    QApplication::processEvents();
    shown.view->grab();
    shown.check_tables();
    finish_background_work();
  }
}

INSTANTIATE_TEST_SUITE_P(Views, EveryView, ::testing::ValuesIn(run_views()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace mansard::gui
