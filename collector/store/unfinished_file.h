// SPDX-License-Identifier: Apache-2.0
// A database that gets its name only when it is whole, so that what fails leaves nothing behind.
#pragma once

#include <filesystem>

namespace mansard {

class UnfinishedFile {
 public:
  // In the folder of the output, whose links are followed, under another name.
  explicit UnfinishedFile(const std::filesystem::path& output);
  ~UnfinishedFile();  // removes what was not finished
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& file() const { return file_; }

  // Gives it the name of the output, which is replaced and keeps its
  // permissions. No connection may be open.
  void finish();

 private:
  std::filesystem::path output_;
  std::filesystem::path file_;
};

}  // namespace mansard
