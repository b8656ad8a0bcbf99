// SPDX-License-Identifier: Apache-2.0
// Command lines as a POSIX shell reads and writes them, without a shell: quotes and backslashes
// part words, everything else is taken as it is.
#pragma once

#include <QString>
#include <QStringList>

namespace mansard::gui {

struct ShellWords {
  QStringList words;
  QString problem;  // empty unless a quote is left open; there are no words then
  // Characters outside of quotes that mean something to a shell and nothing here: "|$".
  QString not_interpreted;
};

ShellWords split_shell_words(const QString& line);

// Pasted into a shell it gives these words again.
QString join_shell_words(const QStringList& words);

}  // namespace mansard::gui
