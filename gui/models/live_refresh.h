// SPDX-License-Identifier: Apache-2.0
// Loads a run again and again while it is being recorded.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <chrono>

namespace mansard::gui {

class RunDocument;

class LiveRefresh : public QObject {
  Q_OBJECT

 public:
  // `document` must outlive it.
  explicit LiveRefresh(RunDocument* document, QObject* parent = nullptr);

  // Whether the shown run was still being recorded when it was loaded.
  bool is_recording() const;
  bool follows() const { return follows_; }
  void set_follows(bool follows);
  // From the end of a load to the next, at least; never less than four times what the last load
  // took, so that looking on costs the machine a fifth of a processor at most. Twice as long after
  // each load in a row that failed, up to 64 times: its file may be locked for a moment, or gone.
  void set_pause(std::chrono::milliseconds pause) { pause_ = pause; }

 Q_SIGNALS:
  void recording_changed();

 private:
  void follow();
  void count_load();

  RunDocument* document_;
  bool follows_ = true;
  bool was_recording_ = false;
  std::chrono::milliseconds pause_{2000};
  std::chrono::milliseconds last_load_{0};
  int failures_ = 0;  // of loads in a row
  QElapsedTimer loading_;
  QTimer timer_;
};

}  // namespace mansard::gui
