// SPDX-License-Identifier: Apache-2.0
// A view as a file, or on the clipboard.
#pragma once

#include <QString>
#include <optional>

namespace mansard::gui {

class RunView;

enum class ExportFormat { svg, png, csv };

// By the file's ending, in either case; none: another one.
std::optional<ExportFormat> export_format(const QString& file);

// A figure is drawn as it is on the screen, to SVG in its size and to PNG at twice its pixels; CSV
// has the view's tables one after another. Written beside `file` first, so that what was there
// stays whole should this fail. Throws std::runtime_error, naming the file and the reason: it
// cannot be written, its ending is none of .svg, .png, .csv, or the view has nothing of that kind.
void export_view(RunView& view, const QString& file);

// A picture, and the tables as text with tabs for spreadsheets.
void copy_view(RunView& view);

}  // namespace mansard::gui
