// SPDX-License-Identifier: Apache-2.0
// Time of a frame of the window's roofline with a million launches at 1280x800, without a display:
// layout, density counts and painting. Arguments: kernel signatures, and the marks: launches as
// density (1), kernels as marks (0) or both (2).
//
//   benchmark_gui_plane_frame --benchmark_repetitions=5
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QThreadPool>
#include <QWheelEvent>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include <benchmark/benchmark.h>

#include "empirical_roofline/machine_model.h"
#include "gui/views/roofline_view.h"

namespace {

using namespace mansard;
using namespace mansard::gui;

constexpr std::size_t kLaunches = 1'000'000;
const QSize kSize(1280, 800);

analysis::KernelRow make_row(std::size_t i, std::size_t rows,
                             const roofline::DeviceModel& machine) {
  constexpr const char* kClasses[] = {"gemm", "elementwise", "norm",    "attention",
                                      "copy", "reduction",   "softmax", "quantize"};
  analysis::KernelRow row;
  row.name = row.short_name = "kernel_" + std::to_string(i);
  row.operation_class = kClasses[i % std::size(kClasses)];
  row.precision = Precision::fp32;
  row.launches = static_cast<std::int64_t>(kLaunches / rows);
  const double t = static_cast<double>(i % 997) / 997;
  const double launch_s = 2e-6 * std::pow(10, 3 * static_cast<double>(i % 101) / 101);
  row.time_s = launch_s * static_cast<double>(row.launches);
  const double flop = row.time_s * 6e13 * std::pow(10, -3 * t);
  row.work.launches = row.launches;
  row.work.flop[Precision::fp32] = flop;
  const double intensity = std::pow(10, 4 * static_cast<double>(i % 89) / 89 - 1);
  row.work.bytes[MemoryLevel::hbm] = flop / intensity;
  row.work.bytes[MemoryLevel::l2] = 2 * flop / intensity;
  row.sol = analysis::speed_of_light(row.work, machine);
  return row;
}

std::shared_ptr<const gui::OpenRun> make_run(std::size_t rows) {
  analysis::RunAnalysis run;
  run.title = "made up";
  run.machine = roofline::find_datasheet("NVIDIA H100 80GB HBM3")->devices.front();
  double all_s = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    run.rows.push_back(make_row(i, rows, *run.machine));
    all_s += run.rows.back().time_s;
  }
  std::mt19937 random(1);
  std::lognormal_distribution<double> spread(0, 0.1);
  auto open = std::make_shared<gui::OpenRun>();
  gui::LaunchColumns& launches = open->launches;
  std::int64_t now_ns = 0;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const analysis::KernelRow& row = run.rows[i % rows];
    const double mean_ns = row.time_s * 1e9 / static_cast<double>(row.launches);
    launches.start_ns.push_back(now_ns);
    now_ns += static_cast<std::int64_t>(mean_ns * spread(random)) + 1;
    launches.end_ns.push_back(now_ns);
    launches.row.push_back(static_cast<std::uint32_t>(i % rows));
    launches.stream.push_back(0);
  }
  launches.streams.push_back({0, 0, 7});
  for (std::size_t i = 0; i < rows; ++i) {
    analysis::KernelRow& row = run.rows[i];
    row.share = row.time_s / all_s;
    for (const auto& [level, bytes] : row.work.bytes) {
      run.points.push_back(
          {i, level, row.work.total_flop() / bytes, row.work.total_flop() / row.time_s});
    }
  }
  open->analysis = std::move(run);
  return open;
}

const std::shared_ptr<const gui::OpenRun>& run_of(std::size_t rows) {
  static std::map<std::size_t, std::shared_ptr<const gui::OpenRun>> made;
  auto& run = made[rows];
  if (!run) run = make_run(rows);
  return run;
}

struct Shown {
  explicit Shown(const benchmark::State& state)
      : run(run_of(static_cast<std::size_t>(state.range(0)))) {
    constexpr gui::PlaneMarks kMarks[] = {gui::PlaneMarks::kernels, gui::PlaneMarks::launches,
                                          gui::PlaneMarks::both};
    gui::PlaneOptions options;
    options.marks = kMarks[state.range(1)];
    view.set_options(options);
    view.resize(kSize);
    selection.set_run(run);
  }
  void open() {
    view.set_run(run);
    paint();
  }
  // Includes the launches, which are sorted in the background.
  void open_whole() {
    open();
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    paint();
  }
  void paint() {
    QPainter painter(&picture);
    view.render(&painter);
  }
  void wheel(int notches, QPointF at) {
    QWheelEvent event(at, at, {}, {0, 120 * notches}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }

  std::shared_ptr<const gui::OpenRun> run;
  gui::SelectionModel selection;
  gui::RooflineView view{&selection};
  QImage picture{kSize, QImage::Format_ARGB32_Premultiplied};
};

// Zooms in by twenty notches, with one frame each, and out again.
void zoom(benchmark::State& state) {
  Shown shown(state);
  shown.open_whole();
  int step = 0;
  for (auto _ : state) {
    shown.wheel(step < 20 ? 1 : -1, {560, 420});
    step = (step + 1) % 40;
    shown.paint();
  }
}

void pan(benchmark::State& state) {
  Shown shown(state);
  shown.open_whole();
  int step = 0;
  for (auto _ : state) {
    QKeyEvent key(QEvent::KeyPress, step < 10 ? Qt::Key_Left : Qt::Key_Right, Qt::NoModifier);
    QApplication::sendEvent(&shown.view, &key);
    step = (step + 1) % 20;
    shown.paint();
  }
}

// The full view, which draws the most.
void whole(benchmark::State& state) {
  Shown shown(state);
  shown.open_whole();
  for (auto _ : state) {
    shown.view.show_everything();
    shown.paint();
  }
}

// Launches arrive later, see open_whole().
void first_paint(benchmark::State& state) {
  Shown shown(state);
  for (auto _ : state) {
    shown.open();
    state.PauseTiming();
    shown.view.set_run(nullptr);
    state.ResumeTiming();
  }
}

void hover(benchmark::State& state) {
  Shown shown(state);
  shown.open_whole();
  double x = 300;
  for (auto _ : state) {
    benchmark::DoNotOptimize(shown.view.launches_at({x, 420}));
    x = x < 900 ? x + 1 : 300;
  }
}

void all(benchmark::internal::Benchmark* made) {
  for (const int rows : {2000, 100'000}) {
    for (const int marks : {0, 1, 2}) made->Args({rows, marks});
  }
  made->ArgNames({"rows", "marks"})->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(zoom)->Apply(all);
BENCHMARK(pan)->Apply(all);
BENCHMARK(whole)->Apply(all);
BENCHMARK(first_paint)->Apply(all);
BENCHMARK(hover)->Args({2000, 1})->Args({100'000, 1})->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
