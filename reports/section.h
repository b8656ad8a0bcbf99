// SPDX-License-Identifier: Apache-2.0
// A section of the page. Each file in reports/sections registers one; the page calls make() for
// each part, run, device or page, depending on the scope.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/report.h"
#include "reports/web/figure_html.h"

namespace mansard::reports {

struct Section {
  std::string title;                     // heading; empty: none
  std::string html;                      // readable without JavaScript; empty: data only
  std::string data_json;                 // for the script; empty: none
  std::vector<PageFigure> figures = {};  // figures of `html`, in order
  // Beside the title of a closed fold: the main number, or a list of what is inside.
  std::string summary = {};
  bool folded = false;  // closed until a reader opens it
};

// In page order. `runs`: once in a page of several runs.
enum class SectionScope { runs, part, run, device, page };

struct SectionContext {
  const ReportInput& input;
  const ReportPart* part = nullptr;                 // scope part
  const analysis::RunAnalysis* run = nullptr;       // scope run
  const roofline::MachineModel* machine = nullptr;  // scope device
  const roofline::DeviceModel* device = nullptr;    // scope device; may be null for a run
  std::string id = {};  // id of the section's element, unique in the page
};

struct SectionSpec {
  std::string name;
  SectionScope scope = SectionScope::page;
  int order = 100;  // within its scope
  // Returns nothing if the section does not apply.
  std::function<std::optional<Section>(const SectionContext&)> make;
};

class SectionRegistry {
 public:
  void add(SectionSpec spec) { specs_.push_back(std::move(spec)); }
  std::vector<SectionSpec>& all() { return specs_; }

 private:
  std::vector<SectionSpec> specs_;
};

// Id of the page element of `input.runs[index]`.
std::string run_id(std::size_t index);

// Returns the sections of a scope, sorted by `order`.
std::vector<const SectionSpec*> sections_of(SectionScope scope);

}  // namespace mansard::reports
