// SPDX-License-Identifier: Apache-2.0
#include "gui/views/export_view.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <stdexcept>

#include "gui/views/view.h"
#include "reports/formats/writers.h"

namespace mansard::gui {
namespace {

constexpr double kPixelRatio = 2;  // readable in slides and on paper

[[noreturn]] void fail(const QString& file, const QString& reason) {
  throw std::runtime_error(QObject::tr("Cannot write %1: %2").arg(file, reason).toStdString());
}

QImage picture_of(View& view) {
  QImage image(view.size() * kPixelRatio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(kPixelRatio);
  image.fill(view.palette().window().color());
  QPainter painter(&image);
  if (view.is_figure()) {
    view.paint_figure(painter);
  } else {
    view.render(&painter);
  }
  return image;
}

QByteArray svg_of(View& view, const QString& file) {
  if (!view.is_figure()) {
    fail(file, QObject::tr("this view is not a figure; use .csv or .png."));
  }
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(view.size());
  generator.setViewBox(QRect(QPoint(0, 0), view.size()));
  generator.setTitle(view.accessibleName());
  QPainter painter(&generator);
  view.paint_figure(painter);
  painter.end();
  return buffer.data();
}

QByteArray png_of(View& view) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  picture_of(view).save(&buffer, "PNG");
  return bytes;
}

std::string text_of(const View& view) {
  std::string text;
  for (const analysis::Table& table : view.tables()) {
    if (!text.empty()) text += '\n';
    text += reports::csv_rows(table);
  }
  return text;
}

QString tabbed(const View& view) {
  QString text;
  for (const analysis::Table& table : view.tables()) {
    if (!text.isEmpty()) text += QLatin1Char('\n');
    QStringList line;
    for (const analysis::Column& column : table.columns)
      line << QString::fromStdString(column.label);
    text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (const std::vector<analysis::Cell>& row : table.rows) {
      line.clear();
      for (std::size_t i = 0; i < table.columns.size() && i < row.size(); ++i) {
        line
            << QString::fromStdString(analysis::format_cell(row[i], table.columns[i])).simplified();
      }
      text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
  }
  return text;
}

}  // namespace

std::optional<ExportFormat> export_format(const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending == QLatin1String("svg")) return ExportFormat::svg;
  if (ending == QLatin1String("png")) return ExportFormat::png;
  if (ending == QLatin1String("csv")) return ExportFormat::csv;
  return std::nullopt;
}

void export_view(View& view, const QString& file) {
  const auto format = export_format(file);
  if (!format) fail(file, QObject::tr("the file name must end in .svg, .png or .csv."));
  QByteArray bytes;
  switch (*format) {
    case ExportFormat::svg:
      bytes = svg_of(view, file);
      break;
    case ExportFormat::png:
      bytes = png_of(view);
      break;
    case ExportFormat::csv:
      bytes = QByteArray::fromStdString(text_of(view));
      if (bytes.isEmpty()) fail(file, QObject::tr("this view has no table to export."));
      break;
  }
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) {
    fail(file, out.errorString());
  }
}

void copy_view(View& view) {
  auto* data = new QMimeData;
  data->setImageData(picture_of(view));
  const QString text = tabbed(view);
  if (!text.isEmpty()) data->setText(text);
  QApplication::clipboard()->setMimeData(data);
}

}  // namespace mansard::gui
