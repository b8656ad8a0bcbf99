// SPDX-License-Identifier: Apache-2.0
// What `mansard characterize` and `mansard profile` say with --progress=json.
#pragma once

#include <QByteArrayView>
#include <QString>
#include <QStringList>
#include <optional>

namespace mansard::gui {

struct ToolProgress {
  // Of characterize, in campaigns; a total of 0: not known.
  qint64 done = 0;
  qint64 total = 0;
  std::optional<double> left_s;
  QString what;  // is measured: "NVIDIA H200: l2_read"
  // Of profile.
  QStringList files;  // that its processes have made
  qint64 events = 0;
  qint64 dropped_events = 0;
  qint64 file_bytes = 0;
  // Of both, at their end.
  QString result;
};

struct ProgressLine {
  // Where it begins: before it may stand what a profiled program has written without ending its
  // line.
  qsizetype begin = 0;
  ToolProgress progress;
};

// None in a line that is no such line, or of a version that is not known.
std::optional<ProgressLine> find_progress(QByteArrayView line);

}  // namespace mansard::gui
