#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take whatever the option wants, which Swift has no call for.

static inline CURLcode rostrum_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode rostrum_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode rostrum_curl_set_headers(CURL *handle, const struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode rostrum_curl_set_reader(CURL *handle, curl_write_callback reader, void *user) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, reader);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, user) : code;
}

static inline long rostrum_curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
