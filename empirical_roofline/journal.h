// SPDX-License-Identifier: Apache-2.0
// The finished measurements of a run that is not finished: one line of JSON for each campaign of
// each step, on disk as soon as it is measured. A run that was interrupted goes on from here.
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
  std::vector<std::int64_t> shape;  // what was chosen, for the campaigns that follow
};

class Journal {
 public:
  // `settings` names everything that must be equal for results to be mixed: version and
  // options. With `resume` an existing file is read and appended to, otherwise replaced. Throws
  // std::runtime_error naming the file when it cannot be written, is no journal, or was written
  // under other settings.
  Journal(std::filesystem::path file, const std::string& settings, bool resume);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Null when this campaign has not been finished.
  const FinishedCampaign* find(const std::string& device, const std::string& step,
                               int campaign) const;
  void add(const std::string& device, const std::string& step, int campaign,
           const FinishedCampaign& finished);
  std::size_t size() const { return finished_.size(); }

  // The results are safe elsewhere.
  void remove();

 private:
  void read(const std::string& settings);

  std::filesystem::path file_;
  std::FILE* out_ = nullptr;
  std::map<std::string, FinishedCampaign> finished_;
};

}  // namespace mansard::roofline
