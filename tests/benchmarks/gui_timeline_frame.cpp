// SPDX-License-Identifier: Apache-2.0
// Time of one frame of the window's timeline: scene and painting into an image of 1280 x 800, with
// 1e7 slices on 64 streams and names on slices with enough room. The argument is the visible part
// of the profile: all, a tenth, and so on. Needs no display.
//
//   benchmark_gui_timeline_frame --benchmark_repetitions=5
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <cmath>

#include <benchmark/benchmark.h>

#include "gui/views/theme.h"
#include "gui/views/timeline_painter.h"
#include "gui/views/timeline_tables.h"
#include "gui/views/timeline_view.h"
#include "tests/benchmarks/many_tracks.h"

namespace {

using namespace mansard;
using namespace mansard::gui;

constexpr int kWidth_px = 1280;
constexpr int kHeight_px = 800;

// Eight devices with eight streams each. Without records, because none of their contents are drawn.
std::shared_ptr<const gui::OpenRun> make_run() {
  static constexpr std::array<const char*, benchmarks::kClasses> kNames = {
      "gemm", "attention", "norm",        "activation", "elementwise", "reduce",
      "copy", "quantize",  "memory copy", "collective", "optimizer",   "other"};
  auto run = std::make_shared<gui::OpenRun>();
  figure::Timeline& timeline = run->timeline;
  timeline.classes.assign(kNames.begin(), kNames.end());
  for (std::size_t i = 0; i < benchmarks::kKeys; ++i) {
    const auto of_class = static_cast<std::uint16_t>(i % benchmarks::kClasses);
    timeline.names.push_back(
        {timeline.classes[of_class].name() + "_kernel_128x256_" + std::to_string(i), of_class, -1});
  }
  std::vector<figure::SliceTrack> tracks = benchmarks::make_tracks();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    figure::SliceTrack& slices = tracks[i];
    timeline.span.end_ns = std::max(timeline.span.end_ns, slices.end_ns(slices.size() - 1));
    const auto device_id = static_cast<std::int32_t>(i / 8);
    timeline.tracks.push_back({figure::TrackKind::stream,
                               "stream " + std::to_string(i % 8),
                               device_id,
                               0,
                               std::move(slices),
                               {0, static_cast<std::int64_t>(i % 8)}});
  }
  return run;
}

const std::shared_ptr<const gui::OpenRun>& run() {
  static const std::shared_ptr<const gui::OpenRun> made = make_run();
  return made;
}

gui::TimelineScene make_scene(const QFont& font) {
  gui::TimelineScene scene;
  scene.set_run(run());
  scene.set_area({0, 0, kWidth_px, kHeight_px}, QFontMetricsF(font).height());
  return scene;
}

// Negative powers of ten.
double part_shown(const benchmark::State& state) {
  return std::pow(10.0, -static_cast<double>(state.range(0)) / 10);
}

void draw(QImage& image, const gui::TimelineScene& scene, gui::TimelinePainter& timeline) {
  QPainter painter(&image);
  const figure::Rect& area = scene.area();
  painter.fillRect(QRectF(area.left, area.top, area.width(), area.height()), Qt::white);
  timeline.draw(scene, nullptr, painter.font());
  timeline.paint(painter, figure::Theme::light);
}

std::size_t boxes(const gui::TimelineScene& scene) {
  std::size_t count = 0;
  for (const figure::TimelineRow& row : scene.rows()) count += row.blocks.size();
  return count;
}

void pan(benchmark::State& state) {
  QImage image(kWidth_px, kHeight_px, QImage::Format_ARGB32_Premultiplied);
  gui::TimelineScene scene = make_scene(QApplication::font());
  gui::TimelinePainter timeline;
  scene.zoom(1 / part_shown(state), 777);
  double step_px = 7;
  for (auto _ : state) {
    const figure::TimeSpan before = scene.window();
    scene.pan(step_px);
    if (scene.window() == before) step_px = -step_px;
    draw(image, scene, timeline);
  }
  state.counters["boxes"] = static_cast<double>(boxes(scene));
}

// Zooms in and out by one notch of the wheel.
void zoom(benchmark::State& state) {
  QImage image(kWidth_px, kHeight_px, QImage::Format_ARGB32_Premultiplied);
  gui::TimelineScene scene = make_scene(QApplication::font());
  gui::TimelinePainter timeline;
  scene.zoom(1 / part_shown(state), 777);
  double factor = 1.25;
  for (auto _ : state) {
    scene.zoom(factor, 777);
    factor = 1 / factor;
    draw(image, scene, timeline);
  }
  state.counters["boxes"] = static_cast<double>(boxes(scene));
}

// From a loaded run to the first frame of a view.
void first_paint(benchmark::State& state) {
  for (auto _ : state) {
    gui::SelectionModel selection;
    selection.set_run(run());
    gui::TimelineView view(&selection);
    view.resize(kWidth_px, kHeight_px);
    view.set_run(run());
    benchmark::DoNotOptimize(view.grab());
  }
}

// Preparation of an export or copy: all visible numbers.
void tables(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gui::timeline_tables(*run(), run()->timeline.span));
}

}  // namespace

BENCHMARK(tables)->Unit(benchmark::kMillisecond);
BENCHMARK(first_paint)->Unit(benchmark::kMillisecond);
BENCHMARK(pan)->DenseRange(0, 50, 5)->Unit(benchmark::kMillisecond);
BENCHMARK(zoom)->DenseRange(0, 50, 10)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  gui::apply_theme(application, figure::Theme::light);
  (void)run();  // initialize before timing
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
