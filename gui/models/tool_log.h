// SPDX-License-Identifier: Apache-2.0
// What a program writes, as lines of text: bounded, whatever it writes and however much.
#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>
#include <deque>
#include <vector>

namespace mansard::gui {

// Parts a stream of bytes into lines. A carriage return takes back the line so far, as on a
// terminal; what is longer than kMaxLine_bytes is cut.
class LineSplitter {
 public:
  static constexpr qsizetype kMaxLine_bytes = 65'536;

  std::vector<QByteArray> feed(QByteArrayView bytes);  // the lines that it ends
  QByteArray take_rest();                              // the last line, which nothing ended

 private:
  QByteArray line_;
  bool returned_ = false;
};

// For showing: no escape sequences and no control characters but tabs, U+FFFD where the bytes are
// no UTF-8, and an ellipsis for what is beyond `max_length` characters.
QString printable(QByteArrayView bytes, qsizetype max_length = 1'000);

// The last lines of it.
class ToolLog {
 public:
  static constexpr std::size_t kMaxLines = 2'000;

  void add(const QString& line);
  void clear();

  const std::deque<QString>& lines() const { return lines_; }
  // Of all that were ever added, the first that is still there.
  std::size_t first() const { return first_; }
  std::size_t end() const { return first_ + lines_.size(); }

 private:
  std::deque<QString> lines_;
  std::size_t first_ = 0;
};

}  // namespace mansard::gui
