// SPDX-License-Identifier: Apache-2.0
// The command line of mansard-gui.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "reports/figure/palette.h"

namespace mansard::gui {

struct GuiOptions {
  QStringList files;
  QStringList machines;
  QString screenshot;  // empty: an ordinary window
  QSize size{1280, 800};
  bool force = false;
  std::optional<figure::Theme> theme;
  int select = 0;  // rank by time, from 1; 0: none
  QString filter;
  QString view;       // a name in run_views.h; empty: default
  QString baseline;   // empty: no baseline
  QString summaries;  // folder of rank summaries; empty: none
  bool tabs = false;  // each file in a tab, also those of one job
};

struct ParsedOptions {
  GuiOptions options;
  std::optional<int> exit_code;  // set if the program should exit now
  QString output;                // for stdout: help, version
  QString error;                 // for stderr
};

// `arguments`: without the program's name.
ParsedOptions parse_options(const QStringList& arguments);

}  // namespace mansard::gui
