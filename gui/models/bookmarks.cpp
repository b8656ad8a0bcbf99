// SPDX-License-Identifier: Apache-2.0
#include "gui/models/bookmarks.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <algorithm>

#include "gui/models/file_key.h"

namespace mansard::gui {
namespace {

constexpr int kBookmarksVersion = 1;

QString key(const char* name) { return QString::fromLatin1(name); }

void insert(QJsonObject& object, const char* name, const QString& text) {
  if (!text.isEmpty()) object.insert(key(name), text);
}

QJsonObject to_json(const figure::TimeSpan& span) {
  return {{key("start_ns"), qint64{span.start_ns}}, {key("end_ns"), qint64{span.end_ns}}};
}

figure::TimeSpan span_from(const QJsonValue& json) {
  return {json[key("start_ns")].toInteger(), json[key("end_ns")].toInteger()};
}

QJsonObject to_json(const ViewFilter& filter) {
  QJsonObject json;
  insert(json, "words", filter.words);
  insert(json, "operation_class", filter.operation_class);
  if (filter.device_id) json.insert(key("device_id"), *filter.device_id);
  if (filter.stream) {
    json.insert(key("stream"), QJsonObject{{key("device_id"), filter.stream->device_id},
                                           {key("context_id"), filter.stream->context_id},
                                           {key("stream_id"), qint64{filter.stream->stream_id}}});
  }
  insert(json, "range", filter.range);
  if (filter.window) json.insert(key("window"), to_json(*filter.window));
  return json;
}

ViewFilter filter_from(const QJsonObject& json) {
  ViewFilter filter;
  filter.words = json[key("words")].toString();
  filter.operation_class = json[key("operation_class")].toString();
  filter.range = json[key("range")].toString();
  const auto number = [](const QJsonValue& value, auto& to) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(value.toInteger());
  };
  if (json.contains(key("device_id"))) number(json[key("device_id")], filter.device_id.emplace());
  if (json.contains(key("stream"))) {
    const QJsonObject stream = json[key("stream")].toObject();
    filter.stream.emplace();
    number(stream[key("device_id")], filter.stream->device_id);
    number(stream[key("context_id")], filter.stream->context_id);
    number(stream[key("stream_id")], filter.stream->stream_id);
  }
  if (json.contains(key("window"))) filter.window = span_from(json[key("window")]);
  return filter;
}

// Whether both have equal values, or none, under each of the keys. Other keys are ignored.
bool agree(const QJsonValue& a, const QJsonValue& b, std::initializer_list<const char*> keys) {
  return std::ranges::all_of(keys, [&](const char* name) { return a[key(name)] == b[key(name)]; });
}

}  // namespace

QJsonObject to_json(const ViewState& state) {
  QJsonObject json{{key("version"), kBookmarksVersion}, {key("filter"), to_json(state.filter)}};
  if (state.row) json.insert(key("row"), static_cast<qint64>(*state.row));
  if (state.launch) json.insert(key("launch"), static_cast<qint64>(*state.launch));
  if (state.visible) json.insert(key("visible"), to_json(*state.visible));
  if (state.pinned) json.insert(key("pinned"), true);
  return json;
}

std::optional<ViewState> view_state_from(const QJsonObject& json) {
  const QJsonValue filter = json[key("filter")];
  ViewState state;
  // JSON numbers are signed.
  const auto index = [&](const char* name) -> std::optional<std::size_t> {
    if (!json.contains(key(name))) return std::nullopt;
    return static_cast<std::uint32_t>(json[key(name)].toInteger());
  };
  state.row = index("row");
  state.launch = index("launch");
  state.filter = filter_from(filter.toObject());
  if (json.contains(key("visible"))) state.visible = span_from(json[key("visible")]);
  state.pinned = json[key("pinned")].toBool();
  // A value with a wrong type or out of range changes in this round trip.
  const QJsonObject again = to_json(state);
  const QJsonValue filter_again = again[key("filter")];
  const bool right =
      (filter.isUndefined() || filter.isObject()) &&
      agree(json, again, {"version", "row", "launch", "pinned"}) &&
      agree(json[key("visible")], again[key("visible")], {"start_ns", "end_ns"}) &&
      agree(filter, filter_again, {"words", "operation_class", "range", "device_id"}) &&
      agree(filter[key("stream")], filter_again[key("stream")],
            {"device_id", "context_id", "stream_id"}) &&
      agree(filter[key("window")], filter_again[key("window")], {"start_ns", "end_ns"});
  return right ? std::optional(state) : std::nullopt;
}

QByteArray to_json(const std::vector<Bookmark>& bookmarks) {
  QJsonArray list;
  for (const Bookmark& bookmark : bookmarks) {
    list.append(QJsonObject{{key("name"), bookmark.name}, {key("state"), to_json(bookmark.state)}});
  }
  const QJsonObject all{{key("version"), kBookmarksVersion}, {key("bookmarks"), list}};
  return QJsonDocument(all).toJson(QJsonDocument::Compact);
}

std::vector<Bookmark> bookmarks_from(const QByteArray& json) {
  const QJsonObject all = QJsonDocument::fromJson(json).object();
  if (all.value(key("version")).toInteger(0) != kBookmarksVersion) return {};
  std::vector<Bookmark> bookmarks;
  for (const QJsonValue& value : all.value(key("bookmarks")).toArray()) {
    const QJsonObject object = value.toObject();
    const QString name = object.value(key("name")).toString();
    const QJsonValue state = object.value(key("state"));
    if (name.isEmpty() || !state.isObject()) continue;
    const std::optional<ViewState> read = view_state_from(state.toObject());
    const bool twice = std::ranges::find(bookmarks, name, &Bookmark::name) != bookmarks.end();
    if (read && !twice) bookmarks.push_back({name, *read});
    if (bookmarks.size() == Bookmarks::kMax) break;
  }
  return bookmarks;
}

Bookmarks::Bookmarks(QSettings* settings, const QString& file)
    : settings_(settings),
      key_(file_key(QStringLiteral("bookmarks"), file)),
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
    if (bookmarks_.size() >= kMax) return false;
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
