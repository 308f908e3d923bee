#pragma once

/// A file of the meeting page or of rostrum.js, embedded in the binary. All pointers are valid for ever.
typedef struct {
    /// The path of its URL, such as "/" or "/page/main.js"; no query, nothing to decode.
    const char *path;
    /// The value of Content-Type.
    const char *content_type;
    const unsigned char *bytes;
    unsigned long size;
} web_file;

/// How many files there are.
unsigned web_file_count(void);

/// The i-th file, counted from 0; null from web_file_count() on.
const web_file *web_file_at(unsigned i);
