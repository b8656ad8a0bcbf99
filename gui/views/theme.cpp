// SPDX-License-Identifier: Apache-2.0
#include "gui/views/theme.h"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>

namespace mansard::gui {

namespace {

// The name of the style that the application started with; empty: it has not been replaced.
QString& style_of_desktop() {
  static QString name;
  return name;
}

}  // namespace

QColor to_qcolor(figure::Rgb color) { return QColor(color.red, color.green, color.blue); }

figure::Theme theme_of(const QPalette& palette) {
  return palette.color(QPalette::WindowText).lightnessF() >
                 palette.color(QPalette::Window).lightnessF()
             ? figure::Theme::dark
             : figure::Theme::light;
}

void apply_theme(QApplication& application, figure::Theme theme) {
  const figure::Surface& s = surface(theme);
  const QColor ground = to_qcolor(s.background);
  const QColor text = to_qcolor(s.text);
  const bool light = theme == figure::Theme::light;
  const figure::Rgb accent = figure::mark_style("gemm", theme).color;
  const QColor chrome = to_qcolor(figure::mixed(s.background, s.text, light ? 0.05 : 0.07));
  const QColor highlight = to_qcolor(figure::mixed(s.background, accent, light ? 0.2 : 0.4));

  QPalette palette(chrome);  // derives the shades of bevels
  palette.setColor(QPalette::Window, chrome);
  palette.setColor(QPalette::Base, ground);
  palette.setColor(QPalette::AlternateBase, to_qcolor(figure::mixed(s.background, s.text, 0.03)));
  palette.setColor(QPalette::Button, chrome);
  palette.setColor(QPalette::ToolTipBase, chrome);
  palette.setColor(QPalette::Highlight, highlight);
  palette.setColor(QPalette::PlaceholderText, to_qcolor(s.faint_text));
  for (const QPalette::ColorRole role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText,
                                         QPalette::ToolTipText, QPalette::HighlightedText}) {
    palette.setColor(role, text);
    palette.setColor(QPalette::Disabled, role, to_qcolor(s.faint_text));
  }
  palette.setColor(QPalette::Link, to_qcolor(accent));
  if (style_of_desktop().isEmpty()) style_of_desktop() = application.style()->name();
  // The platform's style may ignore a palette other than the desktop's.
  application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  application.setPalette(palette);
}

void follow_desktop(QApplication& application) {
  if (style_of_desktop().isEmpty()) return;
  application.setStyle(QStyleFactory::create(style_of_desktop()));
  application.setPalette(QPalette());  // no overridden colors: those of the platform
}

}  // namespace mansard::gui
