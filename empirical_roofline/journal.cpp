// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/journal.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "empirical_roofline/machine_model_json.h"

namespace mansard::roofline {
namespace {

constexpr int kVersion = 1;
constexpr const char* kTag = "mansard_characterize_journal";

std::string key_of(const std::string& device, const std::string& step, int campaign) {
  return device + '\n' + step + '\n' + std::to_string(campaign);
}

FinishedCampaign campaign_from_json(const Json& j) {
  FinishedCampaign c;
  c.measurement.samples = samples_from_json(j.at("samples"));
  c.measurement.throttled_by = j.at("throttled_by").get<std::set<std::string>>();
  c.parameters = j.at("parameters").get<std::map<std::string, std::string>>();
  c.shape = j.at("shape").get<std::vector<std::int64_t>>();
  return c;
}

}  // namespace

Journal::Journal(std::filesystem::path file, const std::string& settings, bool resume)
    : file_(std::move(file)) {
  const bool goes_on = resume && std::filesystem::exists(file_);
  if (goes_on) read(settings);
  out_ = std::fopen(file_.c_str(), goes_on ? "a" : "w");
  if (out_ == nullptr) {
    throw std::runtime_error("cannot write '" + file_.string() + "': " + std::strerror(errno));
  }
  // When resuming, ends a line that may have been cut off; read() skips empty lines.
  const std::string header = goes_on ? "" : Json({{kTag, kVersion}, {"settings", settings}}).dump();
  std::fprintf(out_, "%s\n", header.c_str());
  std::fflush(out_);
}

Journal::~Journal() {
  if (out_ != nullptr) std::fclose(out_);
}

void Journal::read(const std::string& settings) {
  std::ifstream in(file_);
  std::string line;
  std::getline(in, line);
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || header.value(kTag, 0) != kVersion) {
    throw std::runtime_error("'" + file_.string() +
                             "' is not the journal of an interrupted run; move or delete it");
  }
  if (header.value("settings", "") != settings) {
    throw std::runtime_error("'" + file_.string() + "' was measured with different settings (" +
                             header.value("settings", "") + "; now " + settings +
                             "); use the same options, or start over without --resume");
  }
  while (std::getline(in, line)) {
    const Json j = Json::parse(line, nullptr, false);
    if (!j.is_object()) continue;  // a line that was cut off when the run ended
    finished_[key_of(j.at("device"), j.at("step"), j.at("campaign"))] = campaign_from_json(j);
  }
}

const FinishedCampaign* Journal::find(const std::string& device, const std::string& step,
                                      int campaign) const {
  const auto it = finished_.find(key_of(device, step, campaign));
  return it == finished_.end() ? nullptr : &it->second;
}

void Journal::add(const std::string& device, const std::string& step, int campaign,
                  const FinishedCampaign& finished) {
  const Json j = {{"device", device},
                  {"step", step},
                  {"campaign", campaign},
                  {"parameters", finished.parameters},
                  {"shape", finished.shape},
                  {"throttled_by", finished.measurement.throttled_by},
                  {"samples", to_json_value(finished.measurement.samples)}};
  std::fprintf(out_, "%s\n", j.dump().c_str());
  if (std::fflush(out_) != 0) {
    throw std::runtime_error("cannot write '" + file_.string() + "': " + std::strerror(errno));
  }
  finished_[key_of(device, step, campaign)] = finished;
}

void Journal::remove() {
  if (out_ != nullptr) std::fclose(out_);
  out_ = nullptr;
  std::filesystem::remove(file_);
}

}  // namespace mansard::roofline
