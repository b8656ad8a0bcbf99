// SPDX-License-Identifier: Apache-2.0
// A logarithmic axis: maps values to pixels and back, with zoom and pan. Immutable; a view replaces
// its scale by a derived one.
#pragma once

namespace mansard::figure {

class LogScale {
 public:
  // `pixel_min` is the position of `min`; for a vertical axis it is the larger of the two. Throws
  // std::invalid_argument with the values unless 0 < min < max, all finite.
  LogScale(double min, double max, double pixel_min, double pixel_max);

  double min() const;
  double max() const;
  double pixel_min() const { return pixel_min_; }
  double pixel_max() const { return pixel_max_; }
  double decades() const { return log_max_ - log_min_; }
  double pixels_per_decade() const;  // always positive

  // NaN for values that a logarithmic axis cannot show (zero, negative, NaN).
  double map(double value) const;
  // The position of a value given by its base-10 logarithm.
  double map_log10(double log_value) const {
    return pixel_min_ + (log_value - log_min_) / decades() * (pixel_max_ - pixel_min_);
  }
  double invert(double pixel) const;

  // Zooms about `pixel`; a factor of 2 shows half as many decades. Limited by kMinDecades and
  // kMaxDecades.
  LogScale zoomed(double factor, double pixel) const;
  // Moves the content by `pixels`.
  LogScale panned(double pixels) const;
  // Maps the same values at another pixel range.
  LogScale resized(double pixel_min, double pixel_max) const;

  static constexpr double kMinDecades = 0.02;
  static constexpr double kMaxDecades = 40;

 private:
  LogScale() = default;
  static LogScale of_logarithms(double log_min, double log_max, double pixel_min, double pixel_max);

  // Base-10 logarithms, stored instead of the values so that zooming and panning do not accumulate
  // rounding errors.
  double log_min_ = 0;
  double log_max_ = 1;
  double pixel_min_ = 0;
  double pixel_max_ = 1;
};

}  // namespace mansard::figure
