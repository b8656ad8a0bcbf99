// SPDX-License-Identifier: Apache-2.0
// Sizes in a timeline, in pixels or in text line heights.
#pragma once

namespace mansard::figure {

// The axis.
inline constexpr double kTimeAxis_lines = 1.7;  // its height
inline constexpr double kTickGap_lines = 5.6;   // between its labels
inline constexpr double kTick_px = 4;           // ticks without a label are half as long

// Rows.
inline constexpr double kLineRow_px = 34;       // of a sampled value
inline constexpr double kLaneGap_px = 1;        // between rows of one label
inline constexpr double kLabelGap_px = 8;       // between rows of different labels
inline constexpr double kRowLabel_px = 18;      // height of a label above its rows
inline constexpr double kLabelMargin_px = 10;   // between labels and the plot
inline constexpr double kValueMargin_px = 1.5;  // above and below the line of a sampled value
inline constexpr float kValueLine_px = 1.2F;    // its thickness

// Boxes.
inline constexpr double kLeastHeight_px = 2;
inline constexpr double kSeparated_px = 4;  // wider boxes leave a gap of one pixel
inline constexpr double kNamed_px = 26;     // narrower boxes have no name
inline constexpr double kNamePadding_px = 5;
inline constexpr double kSliceLine_px = 2;  // lines across boxes (slice_style.h)

// Truncation of names that are too long for their boxes.
inline constexpr int kMinColumns = 4;         // including the ellipsis; shorter texts are not drawn
inline constexpr int kBothEnds_columns = 12;  // shorter ones keep only the start

}  // namespace mansard::figure
