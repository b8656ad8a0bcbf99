// SPDX-License-Identifier: Apache-2.0
// Writes the fixture's pages to a folder: a run, a machine, several of both, a hostile run, a run
// without a machine model, a profile with more launches than the page limit, and a shorter one.
// Also writes view.json with the positions of marks of the first page in a view, and timeline.json
// with the shapes of the last page's timeline.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>

#include "analyzer/steps/step_times.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/shown_step.h"
#include "reports/figure/svg_writer.h"
#include "reports/report.h"
#include "reports/web/timeline_svg.h"
#include "tests/reports/fixture.h"
#include "tests/reports/timeline_fixture.h"

namespace {

using namespace mansard;

void write(const std::filesystem::path& file, const reports::ReportInput& input) {
  std::ofstream out(file, std::ios::binary);
  out << reports::render_html(input);
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

// The positions of the kernels in a view of the time plane, computed with the GUI's scales, as
// fractions of the plot.
void write_view(const std::filesystem::path& file, const analysis::RunAnalysis& run) {
  const figure::LogScale x(2e-7, 3e-4, 0, 1);
  const figure::LogScale y(1e-6, 1e-3, 0, 1);
  nlohmann::json marks = nlohmann::json::array();
  for (const figure::PlanePoint& p : figure::layout_time_plane(*run.machine, run).points) {
    marks.push_back({{"row", p.row}, {"x", x.map(p.x)}, {"y", y.map(p.y)}});
  }
  std::ofstream(file) << nlohmann::json{
      {"fragment", "#run1-time-plane&x=2e-7..0.0003&y=0.000001..0.001"}, {"marks", marks}};
}

std::string color(const figure::Drawing& drawing, const figure::Shape& shape) {
  return figure::to_hex(drawing.style_of(shape).fill->in(figure::Theme::light));
}

// Rectangles [left, top, width, height, color] and texts [x, y, text, anchor] of the timeline as
// drawn by C++, without slice names, which depend on the font.
nlohmann::json shapes_of(const figure::Drawing& drawing) {
  nlohmann::json rects = nlohmann::json::array();
  nlohmann::json texts = nlohmann::json::array();
  for (const figure::Shape& shape : drawing.shapes()) {
    const std::span<const float> n = drawing.numbers_of(shape);
    if (shape.kind == figure::ShapeKind::rect && drawing.style_of(shape).fill) {
      rects.push_back({n[0], n[1], n[2] - n[0], n[3] - n[1], color(drawing, shape)});
    }
    if (shape.kind == figure::ShapeKind::text && shape.link.to != figure::Link::To::slice) {
      texts.push_back({n[0], n[1] + figure::kBaseline_px, drawing.text_of(shape), n[2]});
    }
  }
  return {{"rects", rects}, {"texts", texts}};
}

void write_timeline(const std::filesystem::path& file, const analysis::RunAnalysis& run) {
  const std::vector<analysis::DeviceSteps>& steps = analysis::step_times(run);
  const figure::Timeline timeline = figure::timeline_of(run, steps);
  const figure::HiddenRows hidden =
      reports::hidden_in_interactive(timeline, std::vector<bool>(timeline.tracks.size(), true));
  nlohmann::json views = nlohmann::json::array();
  for (const double width_px : {reports::kWideFigure_px, reports::kNarrowFigure_px}) {
    for (const bool whole : {false, true}) {
      const figure::TimeSpan window =
          whole ? timeline.span : figure::shown_step(timeline, steps).window;
      nlohmann::json view = shapes_of(reports::draw_frame(
          timeline, window, reports::timeline_frame(timeline, hidden, width_px)));
      view.update({{"width", width_px}, {"button", whole ? "All" : "Reset view"}});
      views.push_back(view);
    }
  }
  std::ofstream(file) << views;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: write_fixture_pages <folder>\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::string command = "mansard report llama-layer-bf16.sqlite --machine h200.json";
  write(folder / "run.html", {{fixture::training_step()}, {fixture::h200()}, "", command});
  write_view(folder / "view.json", fixture::training_step());
  write(folder / "machine.html", {{}, {fixture::h200()}, "", command});
  analysis::RunAnalysis second = fixture::training_step();
  second.title = "llama-layer-fp8";
  second.notes = {"The recording was interrupted: the process ended before it was complete."};
  write(folder / "several.html",
        {{fixture::training_step(), second}, {fixture::h200()}, "BF16 and FP8", command});
  write(folder / "hostile.html", {{fixture::hostile_run()}, {}, fixture::hostile_name(), command});
  analysis::RunAnalysis unknown = fixture::training_step();
  unknown.machine.reset();
  unknown.points.clear();
  write(folder / "no_machine.html", {{unknown}, {}, "", command});
  write(folder / "long.html", {{fixture::long_recording(110, 1000)}, {}, "", command});
  // Time zero is before the drawn content, at a sample without values.
  analysis::RunAnalysis steps = fixture::long_recording(6, 200);
  std::vector<store::DeviceStateSample>& samples = steps.profile.device_states;
  samples.emplace(samples.begin())->timestamp_ns = 4'321'000;
  write(folder / "steps.html", {{steps}, {}, "", command});
  write_timeline(folder / "timeline.json", steps);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_fixture_pages: " << error.what() << '\n';
  return 1;
}
