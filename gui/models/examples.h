// SPDX-License-Identifier: Apache-2.0
// The recorded runs that ship with the source, for the start page.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace mansard::gui {

struct Example {
  QString title;     // "A training step in FP8 on an H200"
  QString file;      // absolute path
  QString baseline;  // absolute path; empty: no comparison
  QStringList machines;
};

// The folder with the examples, relative to the program: in the installed tree
// (../share/mansard/examples) or in a source tree above the build. Empty if there is none.
QString examples_folder(const QString& program_folder);

// The examples whose files exist in `folder`.
std::vector<Example> examples_in(const QString& folder);

}  // namespace mansard::gui
