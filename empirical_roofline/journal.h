// SPDX-License-Identifier: Apache-2.0
// The finished measurements of an unfinished run: one JSON line per campaign and step, written as
// soon as it is measured, so that an interrupted run can be resumed.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "empirical_roofline/measure/measure.h"

namespace mansard::roofline {

struct FinishedCampaign {
  Measurement measurement;
  std::map<std::string, std::string> parameters;
  std::vector<std::int64_t> shape;  // chosen shape, for later campaigns
};

class Journal {
 public:
  // `settings`: everything that must be equal for results to be combined (version and options).
  // With `resume`, an existing file is read and appended to; otherwise it is replaced. Throws
  // std::runtime_error naming the file if it cannot be written, is not a journal, or was written
  // with different settings.
  Journal(std::filesystem::path file, const std::string& settings, bool resume);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Returns null if this campaign is not finished.
  const FinishedCampaign* find(const std::string& device, const std::string& step,
                               int campaign) const;
  void add(const std::string& device, const std::string& step, int campaign,
           const FinishedCampaign& finished);
  std::size_t size() const { return finished_.size(); }

  // Deletes the file, once the results are stored elsewhere.
  void remove();

 private:
  void read(const std::string& settings);

  std::filesystem::path file_;
  std::FILE* out_ = nullptr;
  std::map<std::string, FinishedCampaign> finished_;
};

}  // namespace mansard::roofline
