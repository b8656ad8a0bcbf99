// SPDX-License-Identifier: Apache-2.0
#include "collector/store/sqlite.h"

#include <sqlite3.h>
#include <utility>

#include "collector/store/reading_vfs.h"

namespace mansard::store {
namespace {

// Upper bound on a text or blob. The longest texts of real profiles are kernel names, below 1 MB.
constexpr int kLongestValue_bytes = 64 << 20;

[[noreturn]] void fail(sqlite3* connection, const std::string& attempted) {
  const int code = sqlite3_errcode(connection);
  const char* file = sqlite3_db_filename(connection, "main");
  std::string message = file != nullptr && *file != '\0' ? std::string(file) + ": " : "";
  message += attempted + ": " + sqlite3_errmsg(connection);
  throw SqliteError(code & 0xff, message);
}

// An untrusted file can have any schema. SQLite recommends these options for such files:
// https://www.sqlite.org/security.html
void distrust(sqlite3* connection) {
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                      {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}}) {
    sqlite3_db_config(connection, option, value, nullptr);
  }
  for (const auto& [limit, value] : {std::pair{SQLITE_LIMIT_LENGTH, kLongestValue_bytes},
                                     {SQLITE_LIMIT_SQL_LENGTH, 1'000'000},
                                     {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                     {SQLITE_LIMIT_ATTACHED, 1},
                                     {SQLITE_LIMIT_WORKER_THREADS, 0}}) {
    sqlite3_limit(connection, limit, value);
  }
}

// Each table, and each of its texts, is read at most a few times.
ReadBudget budget_of(sqlite3* connection) {
  const char* const name = sqlite3_db_filename(connection, "main");
  const std::string file = name != nullptr ? name : "";
  const auto bytes = static_cast<std::int64_t>(bytes_on_disk(file));
  constexpr std::int64_t kFewRows = 100'000;  // from pragmas and tables without columns
  constexpr std::int64_t kFewBytes = 16 << 20;
  return {.file = file, .rows = bytes + kFewRows, .text_bytes = 8 * bytes + kFewBytes};
}

}  // namespace

std::uintmax_t bytes_on_disk(const std::filesystem::path& database) {
  std::uintmax_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(database.string() + suffix, missing);
    if (!missing) bytes += size;
  }
  return bytes;
}

Statement::Statement(sqlite3* connection, std::string_view sql, ReadBudget* budget)
    : connection_(connection), budget_(budget) {
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v3(connection, sql.data(), size, SQLITE_PREPARE_PERSISTENT, &statement_,
                         nullptr) != SQLITE_OK) {
    fail(connection, "cannot prepare \"" + std::string(sql) + "\"");
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      budget_(other.budget_),
      statement_(std::exchange(other.statement_, nullptr)) {}

void ReadBudget::spend(std::int64_t ReadBudget::*of, std::int64_t amount) {
  this->*of -= amount;
  if (this->*of >= 0) return;
  throw SqliteError(SQLITE_CORRUPT, file + ": " + kTooMuchData);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) {
    if (budget_ != nullptr) budget_->spend(&ReadBudget::rows, 1);
    return true;
  }
  if (code == SQLITE_DONE) return false;
  fail(connection_, "cannot run \"" + std::string(sqlite3_sql(statement_)) + "\"");
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view Statement::text_view(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (budget_ != nullptr) {
    budget_->spend(&ReadBudget::text_bytes, static_cast<std::int64_t>(size));
  }
  return {reinterpret_cast<const char*>(text), size};
}

std::string Statement::text(int column) const { return std::string(text_view(column)); }

void Statement::bind_integer(int index, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, index, value) != SQLITE_OK) fail(connection_, "bind");
}

void Statement::bind(int index, double value) {
  if (sqlite3_bind_double(statement_, index, value) != SQLITE_OK) fail(connection_, "bind");
}

void Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL, but an empty text is a text.
  const char* data = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_text(statement_, index, data, static_cast<int>(value.size()), SQLITE_STATIC) !=
      SQLITE_OK) {
    fail(connection_, "bind");
  }
}

void Statement::bind_copy(int index, std::string_view value) {
  // A null pointer would bind NULL, but an empty text is a text.
  const char* data = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_text(statement_, index, data, static_cast<int>(value.size()),
                        SQLITE_TRANSIENT) != SQLITE_OK) {
    fail(connection_, "bind");
  }
}

void Statement::bind(int index, std::nullopt_t) {
  if (sqlite3_bind_null(statement_, index) != SQLITE_OK) fail(connection_, "bind");
}

Database::Database(const std::string& file, Access access) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  flags |= access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // SQLite could interpret the name as a URI, and open another file.
  const bool is_path = access == Access::read_write || !is_reading_uri(file);
  const std::string name = is_path && file.starts_with("file:") ? "./" + file : file;
  const int code = sqlite3_open_v2(name.c_str(), &connection_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string reason = connection_ != nullptr ? sqlite3_errmsg(connection_) : "no memory";
    sqlite3_close(std::exchange(connection_, nullptr));
    throw SqliteError(code & 0xff, file + ": cannot open: " + reason);
  }
  distrust(connection_);
  // Another reader may briefly hold the lock for its checkpoint.
  set_lock_timeout(5000);
  if (access == Access::read_only) {
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    exec("PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON");
    budget_ = std::make_unique<ReadBudget>(budget_of(connection_));
  }
  // Keeps the log's index in the memory of this connection.
  if (reads_without_locks(file)) exec("PRAGMA locking_mode=EXCLUSIVE");
}

Database::~Database() { sqlite3_close_v2(connection_); }

Database::Database(Database&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      budget_(std::move(other.budget_)),
      log_(std::move(other.log_)),
      counted_steps_(other.counted_steps_),
      watched_steps_(other.watched_steps_),
      go_on_(std::move(other.go_on_)),
      lock_wait_(std::move(other.lock_wait_)) {}

namespace {

// Does the same as SQLite's automatic checkpoint, but truncates the log: if the next commit
// overwrote it from the start, it would change under a reader that opened it after the checkpoint.
int checkpoint_unless_read(void* lock, sqlite3* connection, const char* schema, int logged_pages) {
  constexpr int kManyPages = 1000;
  auto& log = *static_cast<LogLock*>(lock);
  if (logged_pages < kManyPages || !log.acquire(LockKind::exclusive)) return SQLITE_OK;
  // An error, as on a full disk, leaves the pages in the log. The commit itself has succeeded.
  sqlite3_wal_checkpoint_v2(connection, schema, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  log.release();
  return SQLITE_OK;
}

}  // namespace

void Database::write_through_log() {
  // The log is opened by the first use of the database.
  exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; SELECT 1 FROM sqlite_master");
  log_ = std::make_unique<LogLock>(sqlite3_db_filename(connection_, "main"), LockKind::exclusive);
  sqlite3_wal_hook(connection_, checkpoint_unless_read, log_.get());
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::fold_log() {
  if (log_ == nullptr || !log_->acquire(LockKind::exclusive)) return false;
  try {
    exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE");
    // SQLite releases its locks at the end of the next query.
    exec("PRAGMA locking_mode=NORMAL; SELECT 1 FROM sqlite_master");
  } catch (const SqliteError&) {
    log_->release();
    throw;
  }
  sqlite3_wal_hook(connection_, nullptr, nullptr);
  log_.reset();
  return true;
}

void Database::set_lock_timeout(int milliseconds) {
  sqlite3_busy_timeout(connection_, milliseconds);
}

void Database::set_lock_timeout(int milliseconds, std::function<bool()> go_on) {
  constexpr int kPause_ms = 10;
  lock_wait_ = std::make_unique<LockWait>(LockWait{milliseconds, std::move(go_on)});
  sqlite3_busy_handler(
      connection_,
      [](void* wait, int times) {
        const LockWait& lock = *static_cast<LockWait*>(wait);
        if (times * kPause_ms >= lock.milliseconds || !lock.go_on()) return 0;
        sqlite3_sleep(kPause_ms);
        return 1;
      },
      lock_wait_.get());
}

void Database::watch(int steps, std::function<bool()> go_on) {
  watched_steps_ = steps;
  go_on_ = std::make_unique<std::function<bool()>>(std::move(go_on));
  sqlite3_progress_handler(
      connection_, steps,
      [](void* asked) { return (*static_cast<std::function<bool()>*>(asked))() ? 0 : 1; },
      go_on_.get());
}

void Database::ask_to_go_on() {
  counted_steps_ = 0;
  if (!go_on_ || (*go_on_)()) return;
  throw SqliteError(SQLITE_INTERRUPT, file_name() + ": interrupted");
}

std::string Database::file_name() const {
  const char* const name = sqlite3_db_filename(connection_, "main");
  return name != nullptr ? name : "";
}

bool Database::is_without_log() const {
  const std::string name = file_name();
  std::error_code error;
  return !name.empty() && !std::filesystem::exists(name + "-wal", error) && !error;
}

sqlite3_file* Database::file() {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection_, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    throw SqliteError(SQLITE_ERROR, file_name() + ": is not open");
  }
  return file;
}

std::int64_t Database::file_bytes() {
  sqlite3_file* const opened = file();
  sqlite3_int64 bytes = 0;
  const int code = opened->pMethods->xFileSize(opened, &bytes);
  if (code != SQLITE_OK) throw SqliteError(code & 0xff, file_name() + ": cannot read its size");
  return bytes;
}

void Database::read_bytes(std::int64_t offset, void* to, std::int64_t count) {
  sqlite3_file* const opened = file();
  const int code = opened->pMethods->xRead(opened, to, static_cast<int>(count), offset);
  if (code == SQLITE_OK) return;
  if (code == SQLITE_IOERR_SHORT_READ) {
    throw SqliteError(SQLITE_CORRUPT, file_name() + ": database disk image is malformed");
  }
  throw SqliteError(code & 0xff, file_name() + ": " + sqlite3_errstr(code));
}

void Database::exec(const std::string& sql) {
  if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(connection_, "cannot run \"" + sql.substr(0, 80) + "\"");
  }
}

std::int64_t Database::last_rowid() const { return sqlite3_last_insert_rowid(connection_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_) == 0; }

void Database::copy_to(Database& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.connection_, "main", connection_, "main");
  if (backup == nullptr) fail(target.connection_, "cannot start copying");
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) fail(target.connection_, "cannot copy");
}

bool Database::has_table(std::string_view table) {
  Statement found = prepare("SELECT 1 FROM sqlite_master WHERE name = ?");
  found.bind(1, table);
  return found.step();
}

std::set<std::string, std::less<>> Database::columns(std::string_view table) {
  Statement info = prepare("SELECT name FROM pragma_table_info(?)");
  info.bind(1, table);
  std::set<std::string, std::less<>> names;
  while (info.step()) names.insert(info.text(0));
  return names;
}

}  // namespace mansard::store
