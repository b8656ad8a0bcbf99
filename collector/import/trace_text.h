// SPDX-License-Identifier: Apache-2.0
// The text of a trace, repaired so that a JSON parser accepts it. Trace writers emit invalid JSON:
// NaN (as an occupancy), numbers that are too large, control characters in names, unescaped paths,
// and incomplete characters.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "collector/import/byte_source.h"

namespace mansard::collector {

class TraceText {
 public:
  explicit TraceText(ByteSource& bytes);

  bool at_end() const { return next_ == end_; }
  char front() const { return *next_; }
  void pop() {
    if (++next_ == end_) refill();
  }
  // Why the text was not read completely; empty if it was.
  const std::string& problem() const { return problem_; }
  std::uint64_t characters_read() const {
    return before_ + static_cast<std::uint64_t>(next_ - begin_);
  }

  // For a parser that takes iterators. All copies of an iterator share the position of the text.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;  // the end
    explicit Iterator(TraceText& text) : text_(&text) {}
    char operator*() const { return text_->front(); }
    Iterator& operator++() {
      text_->pop();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      text_->pop();
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.ended() == b.ended(); }

   private:
    bool ended() const { return text_ == nullptr || text_->at_end(); }
    TraceText* text_ = nullptr;
  };
  Iterator begin() { return Iterator(*this); }
  static Iterator end() { return {}; }

 private:
  void refill();
  std::size_t repair(std::size_t size);
  std::size_t repair_string(std::size_t at, std::size_t size);

  ByteSource& bytes_;
  std::vector<char> buffer_;
  std::size_t kept_ = 0;  // at the end of the buffer: may continue in the next bytes
  std::size_t kept_from_ = 0;
  bool is_last_ = false;  // the buffer holds the end of the input
  bool in_string_ = false;
  std::size_t string_bytes_ = 0;  // of the open string so far
  std::string problem_;
  std::uint64_t before_ = 0;  // characters in earlier buffers
  const char* begin_ = nullptr;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace mansard::collector
