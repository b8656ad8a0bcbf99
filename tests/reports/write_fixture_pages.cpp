// SPDX-License-Identifier: Apache-2.0
// Writes the fixture's pages into a folder: one run, a machine alone, several of both, a hostile
// run, a run whose machine is not known, and a recording with more launches than a page may hold;
// and view.json, where marks of the first one are in a view.
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "reports/figure/plane_figure.h"
#include "reports/report.h"
#include "tests/reports/fixture.h"
#include "tests/reports/timeline_fixture.h"

namespace {

using namespace mansard;

void write(const std::filesystem::path& file, const reports::ReportInput& input) {
  std::ofstream out(file, std::ios::binary);
  out << reports::render_html(input);
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

// Where the window's scales put the kernels of the time plane in a view of it, as parts of the
// plot.
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
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_fixture_pages: " << error.what() << '\n';
  return 1;
}
