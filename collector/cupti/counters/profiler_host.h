// SPDX-License-Identifier: Apache-2.0
// Counters of a chip: metric names, passes, and counter configuration images. Needs
// neither GPU nor driver.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

using ByteImage = std::vector<std::uint8_t>;

// The chips that this CUPTI supports, such as "GH100".
std::vector<std::string> known_chips(const ProfilerHostApi& api);

// A CUPTI parameter struct with its structSize set.
template <class Parameters>
Parameters cupti_parameters(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

class ProfilerHost {
 public:
  // How counters are read: in ranges (kernels or program ranges), or by sampling a whole GPU.
  enum class Reader { ranges, sampling };

  // `availability`: from cuptiProfilerGetCounterAvailability for the actual GPU; empty: all
  // counters of the chip. Throws std::runtime_error for a chip that CUPTI does not support.
  ProfilerHost(const ProfilerHostApi& api, std::string chip, ByteImage availability = {},
               Reader reader = Reader::ranges);
  ~ProfilerHost();
  ProfilerHost(ProfilerHost&&) noexcept;

  const std::string& chip() const { return chip_; }

  // Returns the configuration that reads these metrics, in one or more passes. Empty if the chip
  // lacks one of them or cannot read them together.
  ByteImage config_image(std::span<const std::string> metrics) const;
  // Returns how many times a kernel must run for it. Throws std::runtime_error.
  std::size_t passes(const ByteImage& config) const;

  // Returns the values of `metrics`, in order, for one range or sample of a decoded counter data
  // image. Throws std::runtime_error.
  std::vector<double> evaluate(const ByteImage& counter_data, std::size_t range,
                               std::span<const std::string> metrics) const;

 private:
  class Object;

  ProfilerHostApi api_;
  std::string chip_;
  ByteImage availability_;
  Reader reader_;
  std::unique_ptr<Object> evaluator_;
};

}  // namespace mansard::collector
