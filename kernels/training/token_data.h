// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernels/training/file_content.h"

namespace mansard::kernels {

// A stream of tokens to train on, from files:
// - text: a file, or a folder with its subfolders. A token is a byte; a token 0 separates files.
// - token files in the format of llm.c: a file, or a folder with its subfolders, whose files follow
//   each other without a separator. A header of 256 int32 (magic, version, number of tokens)
//   precedes the tokens: uint16 for GPT-2, uint32 for Llama 3.
//
// The files of a folder are in the order of the bytes of their paths, on every machine. Hidden
// files and folders and links to folders are not part of it. See FileContent for files that change
// while they are in use.
class TokenData {
 public:
  // Files that a folder contains in addition to those of the stream.
  struct SkippedFiles {
    std::int64_t binary = 0;  // a zero byte within the first 8 KiB
    std::int64_t gzip = 0;
    std::int64_t empty = 0;
    std::int64_t hidden = 0;        // files and folders whose name starts with a period
    std::int64_t folder_links = 0;  // symbolic links to folders
    std::int64_t special = 0;       // pipes, sockets, devices, broken links
    // "2 binary files, 1 empty file"; "" for none.
    std::string description() const;
  };

  // Throws std::runtime_error, which names the file, if a file or folder cannot be read, there is
  // neither text nor a token file, a folder contains both, or a token file is damaged.
  static TokenData open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  // 256 for text, 50,257 for GPT-2, 128,256 for Llama 3.
  std::int64_t vocabulary() const;
  std::int64_t tokens() const { return tokens_; }
  // "1,234 text files, 180 MB", "2 GPT-2 token files, 1,200,000 tokens".
  std::string description() const;
  const SkippedFiles& skipped() const { return skipped_; }

  // Identifies the data wherever it is stored, in files and across versions of this program. A hash
  // of the relative path and size of each file, and of 4096 samples of 64 tokens at equal
  // distances: a change that keeps all sizes may go unnoticed in more than 262,144 tokens.
  std::uint64_t fingerprint() const;

  // Writes `count` tokens from position `first` of the stream. Several threads may call it. Throws
  // std::runtime_error if a token is not in the vocabulary or a file has been truncated, and
  // std::out_of_range if the stream does not have these tokens.
  void read(std::int64_t first, std::int64_t count, std::int32_t* out) const;

 private:
  enum class Format { text, gpt2, llama3 };
  struct TokenFormat;
  struct File {
    std::string name;  // relative to the folder; "" if there is none
    FileContent content;
    Format format;
    std::int64_t tokens;
    std::int64_t first = 0;  // position of its first token in the stream
  };

  explicit TokenData(std::filesystem::path path) : path_(std::move(path)) {}
  static const TokenFormat& token_format(Format format);
  void add_folder();
  void collect(const std::filesystem::path& folder, std::vector<std::string>& names);
  void add_file(const std::string& name);
  File token_file(const std::string& name, FileContent content, Format format) const;
  void require_one_format() const;
  void place_files();
  std::filesystem::path file_path(const std::string& name) const;
  void read_tokens(const File& file, std::int64_t at, std::int64_t count, std::int32_t* out) const;

  std::filesystem::path path_;
  std::vector<File> files_;
  Format format_ = Format::text;
  std::int64_t tokens_ = 0;
  SkippedFiles skipped_;
};

}  // namespace mansard::kernels
