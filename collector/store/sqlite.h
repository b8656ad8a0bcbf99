// SPDX-License-Identifier: Apache-2.0
// SQLite with C++ lifetimes: a connection, a prepared statement, and errors that name the file.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "collector/store/log_lock.h"

struct sqlite3;
struct sqlite3_file;
struct sqlite3_stmt;

namespace mansard::store {

struct SqliteError : std::runtime_error {
  SqliteError(int primary_code, const std::string& message)
      : std::runtime_error(message), code(primary_code) {}
  int code;  // SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FULL, ...
};

inline constexpr const char* kTooMuchData = "contains more data than a file of its size can hold";

// Number of rows and bytes of text that may still be read from an untrusted file. In a damaged or
// hostile file, several rows can share pages, so that the file seems to hold far more than its
// size.
struct ReadBudget {
  std::string file;
  std::int64_t rows = 0;
  std::int64_t text_bytes = 0;

  // Throws SqliteError with SQLITE_CORRUPT if that is more than what is left.
  void spend(std::int64_t ReadBudget::*of, std::int64_t amount);
};

// Returns the size of a database and its write-ahead log; 0 for files that do not exist.
std::uintmax_t bytes_on_disk(const std::filesystem::path& database);

class Statement {
 public:
  // `budget` may be null, otherwise it must outlive the statement. Exceeding it throws SqliteError
  // with SQLITE_CORRUPT.
  Statement(sqlite3* connection, std::string_view sql, ReadBudget* budget = nullptr);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  bool step();  // returns true if there is a row
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;  // 0 for NULL
  std::int32_t integer32(int column) const { return static_cast<std::int32_t>(integer(column)); }
  double real(int column) const;
  std::string text(int column) const;            // "" for NULL
  std::string_view text_view(int column) const;  // the same, until the next step()

  template <std::integral T>
  void bind(int index, T value) {
    bind_integer(index, static_cast<std::int64_t>(value));
  }
  void bind(int index, double value);
  // The text must live until the next step().
  void bind(int index, std::string_view value);
  void bind_copy(int index, std::string_view value);  // need not outlive the call
  void bind(int index, std::nullopt_t);
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    value ? bind(index, *value) : bind(index, std::nullopt);
  }

  // Runs a statement that returns no rows with these parameters.
  template <class... Parameters>
  void run(const Parameters&... parameters) {
    int index = 0;
    (bind(++index, parameters), ...);
    // A failed step must leave the statement usable, otherwise the following rollback fails too.
    struct Reset {
      Statement& statement;
      ~Reset() { statement.reset(); }
    } reset_at_end{*this};
    step();
  }

 private:
  void bind_integer(int index, std::int64_t value);
  sqlite3* connection_;
  ReadBudget* budget_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Access { read_only, read_write };

  // `file`: a path, or reading_uri(). Triggers, views, and functions and extensions named in the
  // file's schema are never used. With `read_only`, the amount of data read is limited by the file
  // size (ReadBudget).
  Database(const std::string& file, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  void exec(const std::string& sql);
  Statement prepare(std::string_view sql) { return {connection_, sql, budget_.get()}; }
  std::int64_t last_rowid() const;
  bool in_transaction() const;

  // Replaces the content of `target` with a copy of this database. Keeps rowids, which VACUUM INTO
  // does not guarantee.
  void copy_to(Database& target);

  // From now on, writes to a write-ahead log with its index in memory. The log is checkpointed
  // after a commit if it is large and no reader holds it (log_lock.h), and by fold_log(). Closing
  // the connection keeps the log.
  void write_through_log();
  // Moves all pages into the file and deletes the log. Returns false, and keeps the log, while a
  // reader holds it. Throws SqliteError.
  bool fold_log();

  // Sets how long to wait for another connection's lock; the default is 5 s. `go_on` is called
  // every 10 ms and returns whether to continue waiting.
  void set_lock_timeout(int milliseconds);
  void set_lock_timeout(int milliseconds, std::function<bool()> go_on);
  // Calls `go_on` every `steps` steps of SQLite's virtual machine, on the thread that runs a
  // statement. If it returns false, the statement fails with SQLITE_INTERRUPT.
  void watch(int steps, std::function<bool()> go_on);

  // For reading the file without statements (page_scan.h): whether the file alone contains what
  // statements of the open transaction would read, its bytes, and what each row counts.
  bool is_without_log() const;
  std::string file_name() const;
  std::int64_t file_bytes();
  // Throws SqliteError, with SQLITE_CORRUPT beyond the end of the file.
  void read_bytes(std::int64_t offset, void* to, std::int64_t count);
  void spend(std::int64_t ReadBudget::*of, std::int64_t amount) {
    if (budget_) budget_->spend(of, amount);
  }
  // Counts steps for watch(). Throws SqliteError with SQLITE_INTERRUPT.
  void count_steps(int steps) {
    counted_steps_ += steps;
    if (counted_steps_ >= watched_steps_) ask_to_go_on();
  }

  bool has_table(std::string_view table);
  std::set<std::string, std::less<>> columns(std::string_view table);

 private:
  sqlite3* connection_ = nullptr;
  std::unique_ptr<ReadBudget> budget_;
  std::unique_ptr<LogLock> log_;
  struct LockWait {
    int milliseconds = 0;
    std::function<bool()> go_on;
  };
  void ask_to_go_on();
  sqlite3_file* file();

  int counted_steps_ = 0;
  int watched_steps_ = std::numeric_limits<int>::max();
  std::unique_ptr<std::function<bool()>> go_on_;  // SQLite has pointers to this and the next
  std::unique_ptr<LockWait> lock_wait_;
};

}  // namespace mansard::store
