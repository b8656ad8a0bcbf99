// SPDX-License-Identifier: Apache-2.0
// A list of records: read like a vector, but by value, since records loaded from a file are packed
// to a tenth of their size. Code that builds a profile can modify it like a vector; a packed list
// is unpacked before its first change.
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collector/store/packed_records.h"

namespace mansard::store {

template <class Record>
class RecordList {
 public:
  using value_type = Record;
  class const_iterator;

  RecordList() = default;
  RecordList(std::initializer_list<Record> records) : loose_(records) {}
  RecordList(std::vector<Record> records) : loose_(std::move(records)) {}
  RecordList(PackedRecords<Record> records) : packed_(std::move(records)) {}

  std::size_t size() const { return packed_.size() + loose_.size(); }
  bool empty() const { return size() == 0; }
  [[gnu::always_inline]] Record operator[](std::size_t i) const {
    return packed_.size() != 0 ? packed_[i] : Record(loose_[i]);
  }
  // Throws std::out_of_range.
  Record at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("record " + std::to_string(i));
    return (*this)[i];
  }
  Record front() const { return (*this)[0]; }
  Record back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, static_cast<std::ptrdiff_t>(size())}; }

  // Calls take(i, record) for all records in order; the record is valid during the call. Faster
  // than a loop over the list.
  template <class Take>
  void for_each(const Take& take) const {
    packed_.for_each(take);
    for (std::size_t i = 0; i < loose_.size(); ++i) take(i, loose_[i]);
  }

  // Unpacks all records, for modification.
  std::vector<Record>& records() {
    if (packed_.size() != 0) {
      loose_.assign(std::as_const(*this).begin(), std::as_const(*this).end());
      packed_ = {};
    }
    return loose_;
  }
  Record& operator[](std::size_t i) { return records()[i]; }
  Record& front() { return records().front(); }
  Record& back() { return records().back(); }
  auto begin() { return records().begin(); }
  auto end() { return records().end(); }
  void push_back(Record record) { records().push_back(std::move(record)); }
  Record& emplace_back() { return records().emplace_back(); }
  void resize(std::size_t count) { records().resize(count); }
  void clear() { *this = {}; }

  // Heap memory in use.
  std::size_t held_bytes() const {
    return packed_.held_bytes() + loose_.capacity() * sizeof(Record);
  }

 private:
  PackedRecords<Record> packed_;  // this or the next is empty
  std::vector<Record> loose_;
};

template <class Record>
class RecordList<Record>::const_iterator {
 public:
  using value_type = Record;
  using difference_type = std::ptrdiff_t;
  using reference = Record;
  // Dereferencing returns by value; pre-C++20 algorithms accept the iterator anyway.
  using iterator_category = std::random_access_iterator_tag;
  struct pointer {
    Record record;
    const Record* operator->() const { return &record; }
  };

  const_iterator() = default;
  const_iterator(const RecordList* list, std::ptrdiff_t at) : list_(list), at_(at) {}

  [[gnu::always_inline]] Record operator*() const {
    return (*list_)[static_cast<std::size_t>(at_)];
  }
  pointer operator->() const { return {**this}; }
  Record operator[](std::ptrdiff_t n) const { return *(*this + n); }
  const_iterator& operator++() { return *this += 1; }
  const_iterator& operator--() { return *this += -1; }
  const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  const_iterator& operator+=(std::ptrdiff_t n) {
    at_ += n;
    return *this;
  }
  const_iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
  friend const_iterator operator+(const_iterator i, std::ptrdiff_t n) { return i += n; }
  friend const_iterator operator+(std::ptrdiff_t n, const_iterator i) { return i += n; }
  friend const_iterator operator-(const_iterator i, std::ptrdiff_t n) { return i -= n; }
  friend std::ptrdiff_t operator-(const_iterator a, const_iterator b) { return a.at_ - b.at_; }
  friend bool operator==(const_iterator a, const_iterator b) { return a.at_ == b.at_; }
  friend auto operator<=>(const_iterator a, const_iterator b) { return a.at_ <=> b.at_; }

 private:
  const RecordList* list_ = nullptr;
  std::ptrdiff_t at_ = 0;
};

}  // namespace mansard::store
