#pragma once

#include "CLinux.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

static inline bool cl_is_ipv4(const cl_address *address) {
    return address->high == 0 && (address->low >> 32) == 0xffff;
}

static inline void cl_store64(uint8_t *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (56 - 8 * i));
}

static inline uint64_t cl_load64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | bytes[i];
    return value;
}

/// The address in the form a socket of the given family takes; the length of it.
static inline socklen_t cl_to_sockaddr(const cl_address *address, bool ipv6, struct sockaddr_in6 *storage) {
    memset(storage, 0, sizeof *storage);
    if (ipv6) {
        storage->sin6_family = AF_INET6;
        storage->sin6_port = htons(address->port);
        storage->sin6_scope_id = address->scope;
        cl_store64(storage->sin6_addr.s6_addr, address->high);
        cl_store64(storage->sin6_addr.s6_addr + 8, address->low);
        return sizeof *storage;
    }
    struct sockaddr_in *v4 = (struct sockaddr_in *)storage;
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address->port);
    v4->sin_addr.s_addr = htonl((uint32_t)address->low);
    return sizeof *v4;
}

static inline void cl_from_sockaddr(const struct sockaddr *storage, cl_address *address) {
    memset(address, 0, sizeof *address);
    if (storage->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)storage;
        address->high = cl_load64(v6->sin6_addr.s6_addr);
        address->low = cl_load64(v6->sin6_addr.s6_addr + 8);
        address->scope = v6->sin6_scope_id;
        address->port = ntohs(v6->sin6_port);
    } else if (storage->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)storage;
        address->low = 0x0000ffff00000000ull | ntohl(v4->sin_addr.s_addr);
        address->port = ntohs(v4->sin_port);
    }
}
