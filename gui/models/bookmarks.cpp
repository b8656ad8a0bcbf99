// SPDX-License-Identifier: Apache-2.0
#include "gui/models/bookmarks.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSettings>
#include <QUrl>
#include <algorithm>

#include "gui/models/view_state_json.h"

namespace mansard::gui {
namespace {

constexpr int kVersion = 1;

// A path in one level of the settings, whose keys have slashes between theirs.
QString key_of(const QString& file) {
  const QString path = QDir::cleanPath(QFileInfo(file).absoluteFilePath());
  return QStringLiteral("bookmarks/") + QString::fromLatin1(QUrl::toPercentEncoding(path));
}

}  // namespace

QByteArray to_json(const std::vector<Bookmark>& bookmarks) {
  QJsonArray list;
  for (const Bookmark& bookmark : bookmarks) {
    list.append(QJsonObject{{QStringLiteral("name"), bookmark.name},
                            {QStringLiteral("state"), to_json(bookmark.state)}});
  }
  const QJsonObject all{{QStringLiteral("version"), kVersion}, {QStringLiteral("bookmarks"), list}};
  return QJsonDocument(all).toJson(QJsonDocument::Compact);
}

std::vector<Bookmark> bookmarks_from(const QByteArray& json) {
  const QJsonObject all = QJsonDocument::fromJson(json).object();
  if (all.value(QStringLiteral("version")).toInteger(0) != kVersion) return {};
  std::vector<Bookmark> bookmarks;
  for (const QJsonValue& value : all.value(QStringLiteral("bookmarks")).toArray()) {
    const QJsonObject object = value.toObject();
    const QString name = object.value(QStringLiteral("name")).toString();
    const QJsonValue state = object.value(QStringLiteral("state"));
    if (name.isEmpty() || !state.isObject()) continue;
    const std::optional<ViewState> read = view_state_from(state.toObject());
    const bool twice = std::ranges::find(bookmarks, name, &Bookmark::name) != bookmarks.end();
    if (read && !twice) bookmarks.push_back({name, *read});
    if (bookmarks.size() == Bookmarks::kMost) break;
  }
  return bookmarks;
}

Bookmarks::Bookmarks(QSettings* settings, const QString& file)
    : settings_(settings),
      key_(key_of(file)),
      bookmarks_(bookmarks_from(settings->value(key_).toByteArray())) {}

const Bookmark* Bookmarks::find(const QString& name) const {
  const auto found = std::ranges::find(bookmarks_, name, &Bookmark::name);
  return found == bookmarks_.end() ? nullptr : &*found;
}

bool Bookmarks::set(const QString& name, const ViewState& state) {
  if (name.isEmpty()) return false;
  const auto found = std::ranges::find(bookmarks_, name, &Bookmark::name);
  if (found != bookmarks_.end()) {
    found->state = state;
  } else {
    if (bookmarks_.size() >= kMost) return false;
    bookmarks_.push_back({name, state});
  }
  write();
  return true;
}

void Bookmarks::remove(const QString& name) {
  if (std::erase_if(bookmarks_, [&](const Bookmark& b) { return b.name == name; }) > 0) write();
}

void Bookmarks::write() {
  if (bookmarks_.empty()) {
    settings_->remove(key_);
  } else {
    settings_->setValue(key_, to_json(bookmarks_));
  }
}

ViewState fitted(ViewState state, const OpenRun& run) {
  if (state.row && *state.row >= run.analysis.rows.size()) state.row.reset();
  if (state.launch && *state.launch >= run.launches.size()) state.launch.reset();
  return state;
}

}  // namespace mansard::gui
