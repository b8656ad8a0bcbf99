// SPDX-License-Identifier: Apache-2.0
// Exports a view to a file or to the clipboard.
#pragma once

#include <QString>
#include <optional>

namespace mansard::gui {

class View;

enum class ExportFormat { svg, png, csv };

// From the file name's extension, case-insensitive; empty if unsupported.
std::optional<ExportFormat> export_format(const QString& file);

// Exports a figure as shown on the screen: SVG in its size, PNG at twice its resolution; CSV
// contains the view's tables one after another. Writes to a temporary file first, so that a failure
// does not damage an existing file. Throws std::runtime_error with the file and the reason: it
// cannot be written, the extension is not .svg, .png or .csv, or the view has no data of that kind.
void export_view(View& view, const QString& file);

// Copies a picture, and the tables as tab-separated text for spreadsheets.
void copy_view(View& view);

}  // namespace mansard::gui
