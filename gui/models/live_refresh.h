// SPDX-License-Identifier: Apache-2.0
// Reloads a profile repeatedly while it is being recorded.
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
  // `document` must outlive this object.
  explicit LiveRefresh(RunDocument* document, QObject* parent = nullptr);

  // Whether the shown run was still being recorded when it was loaded.
  bool is_recording() const;
  bool follows() const { return follows_; }
  void set_follows(bool follows);
  // Minimum pause between the end of a load and the next one. The pause is at least four times the
  // duration of the last load, so that reloading uses at most 20 % of one CPU core. It doubles
  // after each consecutive failure, up to 64 times: the file may be locked for a moment, or
  // missing.
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
  int failures_ = 0;  // consecutive failed loads
  QElapsedTimer loading_;
  QTimer timer_;
};

}  // namespace mansard::gui
