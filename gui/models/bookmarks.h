// SPDX-License-Identifier: Apache-2.0
// Bookmarks: named filters and selections, stored per file in the settings.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "gui/models/selection_model.h"

class QSettings;

namespace mansard::gui {

struct Bookmark {
  QString name;
  ViewState state;

  bool operator==(const Bookmark&) const = default;
};

// {"version": 1, "row": 3, "launch": 17, "filter": {"words": ..., "operation_class": ...,
//  "device_id": 0, "stream": {"device_id": 0, "context_id": 1, "stream_id": 7}, "range": ...,
//  "window": {"start_ns": 0, "end_ns": 1000}}}; what is empty is left out.
QJsonObject to_json(const ViewState& state);
// Empty for another version, or if a value has a wrong type or is out of range. Unknown keys are
// ignored.
std::optional<ViewState> view_state_from(const QJsonObject& json);

// As JSON text. Reading skips invalid bookmarks, and returns none for another version or invalid
// JSON.
QByteArray to_json(const std::vector<Bookmark>& bookmarks);
std::vector<Bookmark> bookmarks_from(const QByteArray& json);

class Bookmarks {
 public:
  static constexpr std::size_t kMax = 200;  // per file

  // `settings` must outlive this object. A file is identified by its absolute path.
  Bookmarks(QSettings* settings, const QString& file);

  const std::vector<Bookmark>& all() const { return bookmarks_; }  // in order of creation
  const Bookmark* find(const QString& name) const;                 // null if not found
  // Replaces a bookmark with the same name. Returns false if the name is empty or kMax are stored.
  bool set(const QString& name, const ViewState& state);
  void remove(const QString& name);

 private:
  void write();

  QSettings* settings_;
  QString key_;
  std::vector<Bookmark> bookmarks_;
};

// Drops a row or launch that does not exist in `run`, for example after the profile was recorded
// again.
ViewState fitted(ViewState state, const OpenRun& run);

}  // namespace mansard::gui
