#define _GNU_SOURCE
#include "Address.h"
#include "CLinux.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

enum {
    RECEIVE_CONTROL = CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct timespec))
};
enum { SEND_CONTROL = CMSG_SPACE(sizeof(uint16_t)) };

typedef struct {
    struct sockaddr_in6 name;
    struct iovec piece;
    _Alignas(struct cmsghdr) uint8_t control[RECEIVE_CONTROL];
} receive_slot;

struct cl_receive_batch {
    uint32_t buffers;
    uint32_t longest;
    uint32_t capacity;
    uint32_t drops;
    uint64_t truncated;
    // When the first datagram of the last fill came, nanoseconds since 1970; 0: the kernel didn't say.
    int64_t first;
    int64_t waited;
    struct mmsghdr *headers;
    receive_slot *slots;
    uint8_t *arena;
    cl_datagram *datagrams;
};

cl_receive_batch *cl_receive_batch_create(uint32_t buffers, uint32_t buffer_size, uint32_t segments,
                                          uint32_t longest) {
    cl_receive_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->buffers = buffers;
    batch->longest = longest;
    batch->capacity = buffers * segments;
    batch->headers = calloc(buffers, sizeof *batch->headers);
    batch->slots = calloc(buffers, sizeof *batch->slots);
    batch->arena = calloc(buffers, buffer_size);
    batch->datagrams = calloc(batch->capacity, sizeof *batch->datagrams);
    if (!batch->headers || !batch->slots || !batch->arena || !batch->datagrams) {
        cl_receive_batch_destroy(batch);
        return NULL;
    }
    for (uint32_t i = 0; i < buffers; i++) {
        receive_slot *slot = &batch->slots[i];
        slot->piece = (struct iovec){.iov_base = batch->arena + (size_t)i * buffer_size, .iov_len = buffer_size};
        batch->headers[i].msg_hdr.msg_name = &slot->name;
        batch->headers[i].msg_hdr.msg_iov = &slot->piece;
        batch->headers[i].msg_hdr.msg_iovlen = 1;
        batch->headers[i].msg_hdr.msg_control = slot->control;
    }
    return batch;
}

void cl_receive_batch_destroy(cl_receive_batch *batch) {
    free(batch->datagrams);
    free(batch->arena);
    free(batch->slots);
    free(batch->headers);
    free(batch);
}

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The segment size of a coalesced message, 0 for a single datagram.
static uint32_t read_control(cl_receive_batch *batch, struct msghdr *header) {
    uint32_t segment_size = 0;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level == SOL_UDP && control->cmsg_type == UDP_GRO) {
            int value;
            memcpy(&value, CMSG_DATA(control), sizeof value);
            if (value > 0) segment_size = (uint32_t)value;
        } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&batch->drops, CMSG_DATA(control), sizeof batch->drops);
        } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS && batch->first == 0) {
            struct timespec came;
            memcpy(&came, CMSG_DATA(control), sizeof came);
            batch->first = nanoseconds(came);
        }
    }
    return segment_size;
}

static uint32_t cut(cl_receive_batch *batch, uint32_t index, uint32_t total) {
    struct msghdr *header = &batch->headers[index].msg_hdr;
    uint32_t length = batch->headers[index].msg_len;
    uint32_t segment_size = read_control(batch, header);
    if (segment_size == 0 || segment_size > length) segment_size = length;
    if (header->msg_flags & MSG_TRUNC || segment_size > batch->longest) {
        batch->truncated++;
        return total;
    }
    uint8_t *bytes = batch->slots[index].piece.iov_base;
    cl_address source;
    cl_from_sockaddr((struct sockaddr *)&batch->slots[index].name, &source);
    uint32_t offset = 0;
    do {
        if (total == batch->capacity) {
            batch->truncated++;
            return total;
        }
        cl_datagram *datagram = &batch->datagrams[total++];
        datagram->source = source;
        datagram->bytes = bytes + offset;
        datagram->length = length - offset < segment_size ? length - offset : segment_size;
        offset += segment_size;
    } while (offset < length);
    return total;
}

int32_t cl_receive_batch_fill(cl_receive_batch *batch, int32_t fd) {
    for (uint32_t i = 0; i < batch->buffers; i++) {
        batch->headers[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_in6);
        batch->headers[i].msg_hdr.msg_controllen = RECEIVE_CONTROL;
        batch->headers[i].msg_hdr.msg_flags = 0;
    }
    batch->first = 0;
    batch->waited = 0;
    int count;
    do {
        count = recvmmsg(fd, batch->headers, batch->buffers, MSG_DONTWAIT, NULL);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
    uint32_t total = 0;
    for (int i = 0; i < count; i++) total = cut(batch, (uint32_t)i, total);
    if (batch->first > 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        int64_t waited = nanoseconds(now) - batch->first;
        batch->waited = waited > 0 ? waited : 0;
    }
    return (int32_t)total;
}

cl_datagram *cl_receive_batch_datagrams(cl_receive_batch *batch) {
    return batch->datagrams;
}

int64_t cl_receive_batch_waited(const cl_receive_batch *batch) {
    return batch->waited;
}

uint32_t cl_receive_batch_drops(const cl_receive_batch *batch) {
    return batch->drops;
}

uint64_t cl_receive_batch_truncated(const cl_receive_batch *batch) {
    return batch->truncated;
}

typedef struct {
    struct sockaddr_in6 name;
    struct iovec piece;
    _Alignas(struct cmsghdr) uint8_t control[SEND_CONTROL];
} send_slot;

struct cl_send_batch {
    struct mmsghdr *headers;
    send_slot *slots;
};

cl_send_batch *cl_send_batch_create(uint32_t messages) {
    cl_send_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->headers = calloc(messages, sizeof *batch->headers);
    batch->slots = calloc(messages, sizeof *batch->slots);
    if (!batch->headers || !batch->slots) {
        cl_send_batch_destroy(batch);
        return NULL;
    }
    for (uint32_t i = 0; i < messages; i++) {
        batch->headers[i].msg_hdr.msg_name = &batch->slots[i].name;
        batch->headers[i].msg_hdr.msg_iov = &batch->slots[i].piece;
        batch->headers[i].msg_hdr.msg_iovlen = 1;
        struct cmsghdr *control = (struct cmsghdr *)batch->slots[i].control;
        control->cmsg_level = SOL_UDP;
        control->cmsg_type = UDP_SEGMENT;
        control->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    }
    return batch;
}

void cl_send_batch_destroy(cl_send_batch *batch) {
    free(batch->slots);
    free(batch->headers);
    free(batch);
}

void cl_send_batch_set(cl_send_batch *batch, uint32_t index, bool ipv6, const cl_address *destination,
                       const uint8_t *bytes, uint32_t length, uint16_t segment_size) {
    send_slot *slot = &batch->slots[index];
    struct msghdr *header = &batch->headers[index].msg_hdr;
    header->msg_namelen = cl_to_sockaddr(destination, ipv6, &slot->name);
    slot->piece = (struct iovec){.iov_base = (void *)bytes, .iov_len = length};
    if (segment_size == 0) {
        header->msg_control = NULL;
        header->msg_controllen = 0;
    } else {
        memcpy(CMSG_DATA((struct cmsghdr *)slot->control), &segment_size, sizeof segment_size);
        header->msg_control = slot->control;
        header->msg_controllen = SEND_CONTROL;
    }
}

int32_t cl_send_batch_send(cl_send_batch *batch, int32_t fd, uint32_t first, uint32_t count) {
    int sent;
    do {
        sent = sendmmsg(fd, batch->headers + first, count, MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}
