#pragma once
#include <sqlite3.h>

// Binds text that SQLite copies at once; SQLITE_TRANSIENT is a cast that Swift doesn't import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
