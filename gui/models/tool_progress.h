// SPDX-License-Identifier: Apache-2.0
// Progress lines of `mansard characterize` and `mansard profile` with --progress=json.
#pragma once

#include <QByteArrayView>
#include <QString>
#include <QStringList>
#include <optional>

namespace mansard::gui {

struct ToolProgress {
  // characterize: number of campaigns; total 0: unknown.
  qint64 done = 0;
  qint64 total = 0;
  std::optional<double> left_s;
  QString what;  // what is being measured: "NVIDIA H200: l2_read"
  // profile:
  QStringList files;  // files written by its processes
  qint64 events = 0;
  qint64 dropped_events = 0;
  qint64 file_bytes = 0;
  // Both, at their end:
  QString result;
};

struct ProgressLine {
  // Offset of the progress text. Before it there may be unterminated output of the profiled
  // program.
  qsizetype begin = 0;
  ToolProgress progress;
};

// Empty if the line is not a progress line or has an unknown version.
std::optional<ProgressLine> find_progress(QByteArrayView line);

}  // namespace mansard::gui
