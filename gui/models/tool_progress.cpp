// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_progress.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace mansard::gui {
namespace {

constexpr int kProgressVersion = 1;
constexpr QByteArrayView kProgressKey = "mansard_progress";

qint64 count(const QJsonObject& object, const char* key) {
  return std::max<qint64>(0, object.value(QLatin1String(key)).toInteger(0));
}

QString text(const QJsonObject& object, const char* key) {
  return object.value(QLatin1String(key)).toString();
}

ToolProgress progress_of(const QJsonObject& object) {
  ToolProgress p;
  p.total = count(object, "total");
  p.done = std::min(count(object, "done"), p.total);
  const double left_s = object.value(QLatin1String("left_s")).toDouble(-1);
  if (left_s >= 0) p.left_s = left_s;
  const QString device = text(object, "device");
  const QString ceiling = text(object, "ceiling");
  p.what = ceiling.isEmpty() ? device : device + QStringLiteral(": ") + ceiling;
  for (const QJsonValue& file : object.value(QLatin1String("files")).toArray()) {
    if (file.isString()) p.files << file.toString();
  }
  p.events = count(object, "events");
  p.dropped_events = count(object, "dropped_events");
  p.file_bytes = count(object, "file_bytes");
  p.result = text(object, "result");
  return p;
}

}  // namespace

std::optional<ProgressLine> find_progress(QByteArrayView line) {
  const qsizetype key = line.indexOf(kProgressKey);
  if (key < 2 || line[key - 1] != '"' || line[key - 2] != '{') return std::nullopt;
  const QByteArrayView json = line.sliced(key - 2);
  // Deep copy: `line` need not outlive the document.
  const QJsonDocument document = QJsonDocument::fromJson(json.toByteArray());
  const QJsonObject object = document.object();
  if (object.value(QLatin1String(kProgressKey)).toInteger(0) != kProgressVersion)
    return std::nullopt;
  return ProgressLine{key - 2, progress_of(object)};
}

}  // namespace mansard::gui
