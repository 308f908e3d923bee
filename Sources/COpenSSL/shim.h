#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// HMAC-SHA1 from hash states that are kept: the interfaces that replaced these functions allocate twice a packet.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/// The states of SHA-1 after the inner and the outer pad of an HMAC key (RFC 2104).
struct rostrum_hmac_sha1 {
    SHA_CTX inner;
    SHA_CTX outer;
};

/// Keys `state` with `length` bytes, at most 64. 1 if it worked.
static inline int rostrum_hmac_sha1_init(struct rostrum_hmac_sha1 *state, const unsigned char *key, size_t length) {
    unsigned char inner[64], outer[64];
    for (size_t i = 0; i < 64; i++) {
        unsigned char byte = i < length ? key[i] : 0;
        inner[i] = byte ^ 0x36;
        outer[i] = byte ^ 0x5c;
    }
    int done = SHA1_Init(&state->inner) && SHA1_Update(&state->inner, inner, 64) && SHA1_Init(&state->outer) &&
               SHA1_Update(&state->outer, outer, 64);
    OPENSSL_cleanse(inner, sizeof inner);
    OPENSSL_cleanse(outer, sizeof outer);
    return done;
}

/// Writes the 20-byte HMAC of `data` to `output`. 1 if it worked.
static inline int rostrum_hmac_sha1(const struct rostrum_hmac_sha1 *state, const unsigned char *data, size_t length,
                                    unsigned char *output) {
    SHA_CTX hash = state->inner;
    if (!SHA1_Update(&hash, data, length) || !SHA1_Final(output, &hash)) {
        return 0;
    }
    hash = state->outer;
    return SHA1_Update(&hash, output, 20) && SHA1_Final(output, &hash);
}

#pragma clang diagnostic pop
