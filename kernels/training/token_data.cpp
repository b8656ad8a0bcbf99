// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/token_data.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/files.h"
#include "support/hash.h"
#include "support/units.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 8192;    // inspected for zero bytes
constexpr std::size_t kHeaderBytes = 1024;  // of a token file
constexpr std::int32_t kSeparator = 0;

std::runtime_error failure(const fs::path& file, const std::string& reason) {
  return std::runtime_error("training data '" + file.string() + "' " + reason);
}

std::runtime_error truncated(const fs::path& file) {
  return failure(file, "was truncated by another program, or its device failed, while in use");
}

template <class Value>
Value load(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Returns the largest value.
template <class Stored>
std::int64_t widen(const std::byte* from, std::int64_t count, std::int32_t* to) {
  Stored largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = load<Stored>(from + i * static_cast<std::int64_t>(sizeof(Stored)));
    to[i] = static_cast<std::int32_t>(value);
    largest = std::max(largest, value);
  }
  return largest;
}

std::uint64_t add_to_hash(std::uint64_t hash, std::uint64_t value) {
  return splitmix64(hash ^ value);
}

}  // namespace

struct TokenData::TokenFormat {
  const char* name;
  std::int32_t magic, version;  // none for text
  std::int64_t token_bytes;
  std::int64_t vocabulary;
};

const TokenData::TokenFormat& TokenData::token_format(Format format) {
  static constexpr TokenFormat kText = {"text", 0, 0, 1, 256};
  static constexpr TokenFormat kGpt2 = {"GPT-2", 20240520, 1, 2, 50257};
  static constexpr TokenFormat kLlama3 = {"Llama 3", 20240801, 7, 4, 128256};
  return format == Format::text ? kText : format == Format::gpt2 ? kGpt2 : kLlama3;
}

TokenData TokenData::open(const fs::path& path) {
  TokenData data(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw failure(path,
                  "does not exist; give a text file, a folder of text files, or token "
                  "files of llm.c");
  }
  if (fs::is_directory(status)) {
    data.add_folder();
  } else {
    // If the folder of the file cannot be searched, opening the file reports why.
    if (!error) require_input_file(path, "training data '" + path.string() + "'");
    data.add_file("");
  }
  data.place_files();
  return data;
}

void TokenData::add_folder() {
  std::vector<std::string> names;
  collect(path_, names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) add_file(name);
  if (files_.empty()) {
    const std::string skipped = skipped_.description();
    throw failure(path_, "contains neither text nor token files of llm.c" +
                             (skipped.empty() ? std::string(": it is empty")
                                              : " (skipped: " + skipped + ")"));
  }
  require_one_format();
}

void TokenData::collect(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown);
    if (path.filename().native().front() == '.') {
      ++skipped_.hidden;
    } else if (is_folder && entry->is_symlink(unknown)) {
      ++skipped_.folder_links;
    } else if (is_folder) {
      collect(path, names);
    } else if (entry->is_regular_file(unknown)) {
      names.push_back(path.lexically_relative(path_).string());
    } else {
      ++skipped_.special;
    }
  }
  if (error) {
    throw failure(folder, "cannot be listed: " + error.message() +
                              "; change its permissions, or move it out of the folder");
  }
}

void TokenData::add_file(const std::string& name) {
  const fs::path path = file_path(name);
  FileContent content(path);
  std::array<std::byte, kHeadBytes> head{};
  const std::size_t head_bytes = std::min(content.bytes(), head.size());
  if (!content.read(0, head_bytes, head.data())) throw truncated(path);

  const bool skip = !name.empty();
  const auto magic = load<std::int32_t>(head.data());  // 0 if the file is shorter
  const std::byte* const begin = head.data();
  const std::byte* const end = begin + head_bytes;
  if (head_bytes == 0) {
    if (!skip) throw failure(path, "is empty");
    ++skipped_.empty;
  } else if (magic == token_format(Format::gpt2).magic) {
    files_.push_back(token_file(name, std::move(content), Format::gpt2));
  } else if (magic == token_format(Format::llama3).magic) {
    files_.push_back(token_file(name, std::move(content), Format::llama3));
  } else if (head_bytes >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b}) {
    if (!skip) throw failure(path, "is compressed; decompress it with gunzip first");
    ++skipped_.gzip;
  } else if (std::find(begin, end, std::byte{0}) != end) {
    if (!skip) {
      throw failure(path,
                    "is neither text (it contains zero bytes) nor a token file of llm.c: it starts "
                    "with " +
                        std::to_string(magic) + ", not with " +
                        std::to_string(token_format(Format::gpt2).magic) + " (GPT-2) or " +
                        std::to_string(token_format(Format::llama3).magic) + " (Llama 3)");
    }
    ++skipped_.binary;
  } else {
    const auto tokens = static_cast<std::int64_t>(content.bytes());
    files_.push_back({name, std::move(content), Format::text, tokens});
  }
}

TokenData::File TokenData::token_file(const std::string& name, FileContent content,
                                      Format format) const {
  const fs::path path = file_path(name);
  const TokenFormat& expected = token_format(format);
  if (content.bytes() < kHeaderBytes) {
    throw failure(path, "is truncated: it has " + std::to_string(content.bytes()) +
                            " bytes, and a header of " + std::to_string(kHeaderBytes) +
                            "; copy or create it again");
  }
  std::array<std::int32_t, 3> header{};  // magic, version, number of tokens
  if (!content.read(0, sizeof header, header.data())) throw truncated(path);
  if (header[1] != expected.version) {
    throw failure(path, "is a " + std::string(expected.name) + " token file of version " +
                            std::to_string(header[1]) + ", and only version " +
                            std::to_string(expected.version) +
                            " is supported; create it again with llm.c's current scripts");
  }
  const std::int64_t tokens = header[2];
  const std::int64_t bytes =
      static_cast<std::int64_t>(kHeaderBytes) + tokens * expected.token_bytes;
  if (tokens <= 0 || bytes != static_cast<std::int64_t>(content.bytes())) {
    throw failure(path, "is damaged: its header states " + format_number_of(tokens, "token") +
                            " (" + format_whole(bytes) + " bytes), and it has " +
                            format_whole(static_cast<std::int64_t>(content.bytes())) +
                            " bytes; copy or create it again");
  }
  return {name, std::move(content), format, tokens};
}

void TokenData::require_one_format() const {
  const auto other = std::find_if(files_.begin(), files_.end(), [&](const File& file) {
    return file.format != files_.front().format;
  });
  if (other == files_.end()) return;
  const auto kind = [](const File& file) {
    const std::string name = token_format(file.format).name;
    return " (" + (file.format == Format::text ? name : name + " tokens") + ")";
  };
  throw failure(path_, "contains files of different kinds, for example '" + files_.front().name +
                           "'" + kind(files_.front()) + " and '" + other->name + "'" +
                           kind(*other) + "; give one of the files, or a folder with one kind");
}

void TokenData::place_files() {
  format_ = files_.front().format;
  for (File& file : files_) {
    if (format_ == Format::text && tokens_ > 0) ++tokens_;  // the separator
    file.first = tokens_;
    tokens_ += file.tokens;
  }
}

fs::path TokenData::file_path(const std::string& name) const {
  return name.empty() ? path_ : path_ / name;
}

std::int64_t TokenData::vocabulary() const { return token_format(format_).vocabulary; }

std::string TokenData::description() const {
  const auto count = static_cast<std::int64_t>(files_.size());
  if (format_ != Format::text) {
    return format_number_of(count, std::string(token_format(format_).name) + " token file") + ", " +
           format_number_of(tokens_, "token");
  }
  const std::int64_t bytes = tokens_ - (count - 1);
  return format_number_of(count, "text file") + ", " + format_si(static_cast<double>(bytes), "B");
}

std::string TokenData::SkippedFiles::description() const {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view noun) {
    if (count > 0) text += (text.empty() ? "" : ", ") + format_number_of(count, noun);
  };
  add(binary, "binary file");
  add(gzip, "gzip file");
  add(empty, "empty file");
  add(hidden, "hidden name");
  add(folder_links, "folder link");
  add(special, "special file");
  return text;
}

std::uint64_t TokenData::fingerprint() const {
  constexpr std::int64_t kSamples = 4096, kSampleTokens = 64;
  std::uint64_t hash = static_cast<std::uint64_t>(format_);
  for (const File& file : files_) {
    for (const char c : file.name) hash = add_to_hash(hash, static_cast<unsigned char>(c));
    hash = add_to_hash(hash, static_cast<std::uint64_t>(file.tokens));
  }
  std::array<std::int32_t, kSampleTokens> sample{};
  const std::int64_t step = std::max(kSampleTokens, tokens_ / kSamples);
  for (std::int64_t at = 0; at < tokens_; at += step) {
    const std::int64_t count = std::min(kSampleTokens, tokens_ - at);
    read(at, count, sample.data());
    for (std::int64_t i = 0; i < count; ++i) {
      hash = add_to_hash(hash, static_cast<std::uint64_t>(sample[static_cast<std::size_t>(i)]));
    }
  }
  return hash;
}

void TokenData::read(std::int64_t first, std::int64_t count, std::int32_t* out) const {
  if (first < 0 || count < 0 || count > tokens_ - first) {
    throw std::out_of_range("tokens " + std::to_string(first) + " to " +
                            std::to_string(first + count) + " of " + std::to_string(tokens_) +
                            " in '" + path_.string() + "'");
  }
  auto file = std::upper_bound(files_.begin(), files_.end(), first,
                               [](std::int64_t at, const File& f) { return at < f.first; }) -
              1;
  for (std::int64_t at = first - file->first; count > 0; at = 0, ++file) {
    const std::int64_t here = std::min(count, file->tokens - at);
    read_tokens(*file, at, here, out);
    out += here;
    count -= here;
    if (count > 0 && format_ == Format::text) {
      *out++ = kSeparator;
      --count;
    }
  }
}

void TokenData::read_tokens(const File& file, std::int64_t at, std::int64_t count,
                            std::int32_t* out) const {
  std::array<std::byte, 8192> stored;
  const TokenFormat& format = token_format(file.format);
  const std::int64_t header = file.format == Format::text ? 0 : kHeaderBytes;
  const std::int64_t most = static_cast<std::int64_t>(stored.size()) / format.token_bytes;
  for (const std::int64_t end = at + count; at < end;) {
    const std::int64_t here = std::min(most, end - at);
    if (!file.content.read(static_cast<std::size_t>(header + at * format.token_bytes),
                           static_cast<std::size_t>(here * format.token_bytes), stored.data())) {
      throw truncated(file_path(file.name));
    }
    std::int64_t largest = 0;
    switch (file.format) {
      case Format::text:
        largest = widen<std::uint8_t>(stored.data(), here, out);
        break;
      case Format::gpt2:
        largest = widen<std::uint16_t>(stored.data(), here, out);
        break;
      case Format::llama3:
        largest = widen<std::uint32_t>(stored.data(), here, out);
        break;
    }
    if (largest >= format.vocabulary) {
      const auto* const token = std::find(out, out + here, static_cast<std::int32_t>(largest));
      throw failure(file_path(file.name), "is damaged: token " + format_whole(at + (token - out)) +
                                              " is " + std::to_string(largest) +
                                              ", and the vocabulary of " + format.name + " has " +
                                              format_number_of(format.vocabulary, "token") +
                                              "; create the file again");
    }
    at += here;
    out += here;
  }
}

}  // namespace mansard::kernels
