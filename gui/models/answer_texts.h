// SPDX-License-Identifier: Apache-2.0
// The lines above the views of a run: what it ran on, how long it took, and what to change first.
#pragma once

#include <QString>

#include "gui/models/open_run.h"
#include "gui/models/run_document.h"

namespace mansard::gui {

inline const QString kPartSeparator = QStringLiteral("   \u00b7   ");

// "NVIDIA H200 | 30.4 ms per step, GPU idle 2 % | 1.52x SOL time"
QString device_and_times(const OpenRun& open);

// "15 % slower than baseline bf16.sqlite (30.1 ms)"; "baseline bf16.sqlite" if the runs have no
// times of the same kind.
QString comparison_text(const OpenRun& open, const RunDocument& baseline);

// "1. Chains of element-wise kernels: up to 2.63 ms per step (8.7 %)". The tooltip has the
// remedies. Both are empty without advice.
struct FirstChanges {
  QString text, tool_tip;
};
FirstChanges first_changes(const OpenRun& open);

}  // namespace mansard::gui
