#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <intel-ipsec-mb.h>

// Over-aligned structs, function pointers behind macros and unions of jobs don't come through the importer, so the
// few calls that the sealer makes are written out here. All memory is the caller's; managers and keys are `void *`.

/// Keys of one AES-CM + HMAC-SHA1 receiver: round keys, then the two hashed pads of the HMAC key.
struct rostrum_cm_keys {
    uint8_t round_keys[11 * 16];
    uint8_t inner[32];
    uint8_t outer[32];
};

/// One AES-CM + HMAC-SHA1 packet that waits to be sealed in place, at `offset` of a buffer.
struct rostrum_cm_packet {
    uint8_t iv[16];
    uint8_t tag[16];
    void *keys;
    uint32_t offset;
    uint32_t header_length;
    uint32_t body_length;
};

static inline int rostrum_imb_has_aes(void) {
    uint64_t needed = IMB_FEATURE_AESNI | IMB_FEATURE_PCLMULQDQ;
    return (imb_get_feature_flags() & needed) == needed;
}

/// Whether the processor hashes SHA-1 by itself.
static inline int rostrum_imb_has_sha(void) { return (imb_get_feature_flags() & IMB_FEATURE_SHANI) != 0; }

/// A manager for the widest registers the processor has or, if `narrow`, for SSE with the SHA instructions: that one
/// takes each packet at once, where the wide one takes as long for one packet as for sixteen. NULL if it fails.
static inline void *rostrum_imb_create(int narrow) {
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL) {
        return NULL;
    }
    if (narrow) {
        init_mb_mgr_sse(manager);
    } else {
        init_mb_mgr_auto(manager, NULL);
    }
    if (imb_get_errno(manager) != 0 || manager->submit_job == NULL) {
        free_mb_mgr(manager);
        return NULL;
    }
    return manager;
}

static inline void rostrum_imb_destroy(void *manager) { free_mb_mgr((IMB_MGR *)manager); }

static inline size_t rostrum_imb_gcm_key_size(void) { return sizeof(struct gcm_key_data); }
static inline size_t rostrum_imb_gcm_context_size(void) { return sizeof(struct gcm_context_data); }

/// `expanded` is 64-byte aligned, of `rostrum_imb_gcm_key_size()`; `key_length` is 16 or 32.
static inline void rostrum_imb_gcm_expand(void *manager, const uint8_t *key, size_t key_length, void *expanded) {
    IMB_MGR *m = (IMB_MGR *)manager;
    if (key_length == 32) {
        IMB_AES256_GCM_PRE(m, key, (struct gcm_key_data *)expanded);
    } else {
        IMB_AES128_GCM_PRE(m, key, (struct gcm_key_data *)expanded);
    }
}

/// What one GCM packet consists of; `context` is scratch of `rostrum_imb_gcm_context_size()`.
struct rostrum_gcm_packet {
    const uint8_t *header;
    size_t header_length;
    const uint8_t *source;
    uint8_t *destination;
    size_t length;
    const uint8_t *iv;
};

/// Writes `length` bytes of ciphertext and the 16-byte tag behind them. Out of place or exactly in place.
static inline void rostrum_imb_gcm128(void *manager, const void *key, void *context,
                                      const struct rostrum_gcm_packet *p) {
    IMB_MGR *m = (IMB_MGR *)manager;
    IMB_AES128_GCM_ENC(m, (const struct gcm_key_data *)key, (struct gcm_context_data *)context, p->destination,
                       p->source, p->length, p->iv, p->header, p->header_length, p->destination + p->length, 16);
}

static inline void rostrum_imb_gcm256(void *manager, const void *key, void *context,
                                      const struct rostrum_gcm_packet *p) {
    IMB_MGR *m = (IMB_MGR *)manager;
    IMB_AES256_GCM_ENC(m, (const struct gcm_key_data *)key, (struct gcm_context_data *)context, p->destination,
                       p->source, p->length, p->iv, p->header, p->header_length, p->destination + p->length, 16);
}

/// `keys` is 64-byte aligned; `authentication_key` has 20 bytes.
static inline void rostrum_imb_cm_expand(void *manager, const uint8_t *key, const uint8_t *authentication_key,
                                         struct rostrum_cm_keys *keys) {
    IMB_MGR *m = (IMB_MGR *)manager;
    uint8_t unused[11 * 16] __attribute__((aligned(16)));
    uint8_t pad[64];
    IMB_AES_KEYEXP_128(m, key, keys->round_keys, unused);
    memset(pad, 0x36, sizeof pad);
    for (int i = 0; i < 20; i++) {
        pad[i] ^= authentication_key[i];
    }
    IMB_SHA1_ONE_BLOCK(m, pad, keys->inner);
    memset(pad, 0x5c, sizeof pad);
    for (int i = 0; i < 20; i++) {
        pad[i] ^= authentication_key[i];
    }
    IMB_SHA1_ONE_BLOCK(m, pad, keys->outer);
    imb_clear_mem(unused, sizeof unused);
    imb_clear_mem(pad, sizeof pad);
}

/// Submits one packet. Its body is encrypted in place; header, body and the 4 bytes behind them (the rollover counter)
/// are authenticated; the tag is in `packet->tag` after `rostrum_imb_finish`.
static inline void rostrum_imb_cm_submit(void *manager, uint8_t *buffer, struct rostrum_cm_packet *packet) {
    IMB_MGR *m = (IMB_MGR *)manager;
    struct rostrum_cm_keys *keys = (struct rostrum_cm_keys *)packet->keys;
    uint8_t *start = buffer + packet->offset;
    IMB_JOB *job = IMB_GET_NEXT_JOB(m);
    job->enc_keys = keys->round_keys;
    job->dec_keys = keys->round_keys;
    job->key_len_in_bytes = 16;
    job->src = start;
    job->dst = start + packet->header_length;
    job->cipher_start_src_offset_in_bytes = packet->header_length;
    job->msg_len_to_cipher_in_bytes = packet->body_length;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = (uint64_t)packet->header_length + packet->body_length + 4;
    job->iv = packet->iv;
    job->iv_len_in_bytes = 16;
    job->auth_tag_output = packet->tag;
    job->auth_tag_output_len_in_bytes = 12;
    job->u.HMAC._hashed_auth_key_xor_ipad = keys->inner;
    job->u.HMAC._hashed_auth_key_xor_opad = keys->outer;
    // The library refuses to cipher zero bytes.
    job->cipher_mode = packet->body_length == 0 ? IMB_CIPHER_NULL : IMB_CIPHER_CNTR;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->hash_alg = IMB_AUTH_HMAC_SHA_1;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    IMB_SUBMIT_JOB_NOCHECK(m);
}

/// Completes everything that was submitted.
static inline void rostrum_imb_finish(void *manager) {
    IMB_MGR *m = (IMB_MGR *)manager;
    while (IMB_FLUSH_JOB(m) != NULL) {
    }
}
