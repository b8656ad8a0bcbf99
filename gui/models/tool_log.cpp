// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_log.h"

#include <utility>

namespace mansard::gui {
namespace {

// Skips an escape sequence that starts at `at` (ECMA-48). CSI and OSC sequences have a terminator;
// for others, one more character is skipped.
qsizetype past_escape(QByteArrayView bytes, qsizetype at) {
  if (++at >= bytes.size()) return at;
  const char kind = bytes[at++];
  if (kind == '[') {
    while (at < bytes.size() && (bytes[at] < 0x40 || bytes[at] > 0x7e)) ++at;
    return at + 1;
  }
  if (kind == ']') {
    while (at < bytes.size() && bytes[at] != '\a' && bytes[at] != '\x1b') ++at;
    return at < bytes.size() && bytes[at] == '\x1b' ? at + 2 : at + 1;
  }
  return at;
}

}  // namespace

std::vector<QByteArray> LineSplitter::feed(QByteArrayView bytes) {
  std::vector<QByteArray> lines;
  for (const char c : bytes) {
    if (c == '\n') {
      lines.push_back(std::exchange(line_, {}));
      returned_ = false;
    } else if (c == '\r') {
      returned_ = true;
    } else {
      if (std::exchange(returned_, false)) line_.clear();
      if (line_.size() < kMaxLine_bytes) line_ += c;
    }
  }
  return lines;
}

QByteArray LineSplitter::take_rest() {
  returned_ = false;
  return std::exchange(line_, {});
}

QString printable(QByteArrayView bytes, qsizetype max_length) {
  QByteArray plain;
  for (qsizetype at = 0; at < bytes.size();) {
    const char c = bytes[at];
    if (c == '\x1b') {
      at = past_escape(bytes, at);
      continue;
    }
    if (c == '\t' || static_cast<unsigned char>(c) >= 0x20) plain += c;
    ++at;
  }
  QString text;
  for (const QChar c : QString::fromUtf8(plain)) {
    if (c == u'\t' || c.category() != QChar::Other_Control) text += c;
  }
  if (text.size() <= max_length) return text;
  // Do not split a surrogate pair.
  text.truncate(text[max_length - 1].isHighSurrogate() ? max_length - 1 : max_length);
  return text + QChar(0x2026);
}

void ToolLog::add(const QString& line) {
  lines_.push_back(line);
  if (lines_.size() <= kMaxLines) return;
  lines_.pop_front();
  ++first_;
}

void ToolLog::clear() {
  lines_.clear();
  first_ = 0;
}

}  // namespace mansard::gui
