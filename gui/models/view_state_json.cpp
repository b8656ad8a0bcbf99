// SPDX-License-Identifier: Apache-2.0
#include "gui/models/view_state_json.h"

#include <utility>

namespace mansard::gui {
namespace {

constexpr int kVersion = 1;

QString key(const char* name) { return QString::fromLatin1(name); }

// Reads keys of an object, and remembers whether one of them was wrong.
class Reader {
 public:
  explicit Reader(const QJsonObject& object) : object_(object) {}
  bool failed() const { return failed_; }

  void text(const char* name, QString& to) {
    if (!object_.contains(key(name))) return;
    const QJsonValue value = object_.value(key(name));
    if (!value.isString()) return fail();
    to = value.toString();
  }

  template <typename Integer>
  std::optional<Integer> integer(const char* name) {
    if (!object_.contains(key(name))) return std::nullopt;
    const QJsonValue value = object_.value(key(name));
    // A number that is not whole gives either of the two.
    const qint64 number = value.toInteger(0);
    const bool whole = value.isDouble() && number == value.toInteger(1);
    if (!whole || !std::in_range<Integer>(number)) {
      fail();
      return std::nullopt;
    }
    return static_cast<Integer>(number);
  }

  template <typename Integer>
  Integer required(const char* name) {
    const std::optional<Integer> value = integer<Integer>(name);
    if (!value) fail();
    return value.value_or(0);
  }

  // Of an object within this one, if there is one.
  template <typename Read>
  void object(const char* name, Read read) {
    if (!object_.contains(key(name))) return;
    const QJsonValue value = object_.value(key(name));
    if (!value.isObject()) return fail();
    Reader inner(value.toObject());
    read(inner);
    if (inner.failed()) fail();
  }

 private:
  void fail() { failed_ = true; }

  QJsonObject object_;
  bool failed_ = false;
};

void insert(QJsonObject& object, const char* name, const QString& text) {
  if (!text.isEmpty()) object.insert(key(name), text);
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
  if (filter.window) {
    json.insert(key("window"), QJsonObject{{key("start_ns"), qint64{filter.window->start_ns}},
                                           {key("end_ns"), qint64{filter.window->end_ns}}});
  }
  return json;
}

void read_filter(Reader& in, ViewFilter& filter) {
  in.text("words", filter.words);
  in.text("operation_class", filter.operation_class);
  in.text("range", filter.range);
  filter.device_id = in.integer<std::int32_t>("device_id");
  in.object("stream", [&](Reader& stream) {
    filter.stream = StreamKey{stream.required<std::int32_t>("device_id"),
                              stream.required<std::int32_t>("context_id"),
                              stream.required<std::int64_t>("stream_id")};
  });
  in.object("window", [&](Reader& window) {
    filter.window = figure::TimeSpan{window.required<std::int64_t>("start_ns"),
                                     window.required<std::int64_t>("end_ns")};
  });
}

}  // namespace

QJsonObject to_json(const ViewState& state) {
  QJsonObject json{{key("version"), kVersion}, {key("filter"), to_json(state.filter)}};
  if (state.row) json.insert(key("row"), static_cast<qint64>(*state.row));
  if (state.launch) json.insert(key("launch"), static_cast<qint64>(*state.launch));
  return json;
}

std::optional<ViewState> view_state_from(const QJsonObject& json) {
  Reader in(json);
  ViewState state;
  if (in.required<int>("version") != kVersion) return std::nullopt;
  // Numbers of JSON are signed.
  state.row = in.integer<std::uint32_t>("row");
  state.launch = in.integer<std::uint32_t>("launch");
  in.object("filter", [&](Reader& filter) { read_filter(filter, state.filter); });
  if (in.failed()) return std::nullopt;
  return state;
}

}  // namespace mansard::gui
