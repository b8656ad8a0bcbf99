// SPDX-License-Identifier: Apache-2.0
// What somebody looked at and wants to see again, by a name: for each file, from one start to the
// next.
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
// None of another version, or where a value is of a wrong type or out of its range. Keys that are
// not known are passed over.
std::optional<ViewState> view_state_from(const QJsonObject& json);

// A JSON text. Of what is read, bookmarks that are none are left out; none at all of another
// version, or of a text that is no JSON.
QByteArray to_json(const std::vector<Bookmark>& bookmarks);
std::vector<Bookmark> bookmarks_from(const QByteArray& json);

class Bookmarks {
 public:
  static constexpr std::size_t kMost = 200;  // of a file

  // `settings` must outlive it. Files are told apart by their absolute path.
  Bookmarks(QSettings* settings, const QString& file);

  const std::vector<Bookmark>& all() const { return bookmarks_; }  // in the order they were made
  const Bookmark* find(const QString& name) const;                 // null: there is none
  // In the place of one of that name. Refused, as false: no name, or kMost are there already.
  bool set(const QString& name, const ViewState& state);
  void remove(const QString& name);

 private:
  void write();

  QSettings* settings_;
  QString key_;
  std::vector<Bookmark> bookmarks_;
};

// A row or launch that the run has not, as it was recorded or analyzed anew, is left out.
ViewState fitted(ViewState state, const OpenRun& run);

}  // namespace mansard::gui
