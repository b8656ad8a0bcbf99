// SPDX-License-Identifier: Apache-2.0
// One part of the page. A file in reports/sections registers one of these; the page asks each for
// what it has to say about a finding, a run, a machine or the page.
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
  std::string html;                      // complete without the script; empty: data only
  std::string data_json;                 // for the script; empty: none
  std::vector<PageFigure> figures = {};  // drawn in `html`, in this order
};

enum class SectionScope { part, run, device, page };  // and in this order on the page

struct SectionContext {
  const ReportInput& input;
  const ReportPart* part = nullptr;                 // scope part
  const analysis::RunAnalysis* run = nullptr;       // scope run
  const roofline::MachineModel* machine = nullptr;  // scope device
  const roofline::DeviceModel* device = nullptr;    // scope device; may be null for a run
  std::string id = {};                              // of the section's element, unique in the page
};

struct SectionSpec {
  std::string name;
  SectionScope scope = SectionScope::page;
  int order = 100;  // within its scope
  // Empty: nothing to say here.
  std::function<std::optional<Section>(const SectionContext&)> make;
};

class SectionRegistry {
 public:
  void add(SectionSpec spec) { specs_.push_back(std::move(spec)); }
  std::vector<SectionSpec>& all() { return specs_; }

 private:
  std::vector<SectionSpec> specs_;
};

// The sections of a scope, in their order.
std::vector<const SectionSpec*> sections_of(SectionScope scope);

}  // namespace mansard::reports
