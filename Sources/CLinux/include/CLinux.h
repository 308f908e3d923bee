#pragma once

// Linux calls that Swift's Glibc module doesn't have (recvmmsg, sendmmsg, epoll), as leaf functions.
//
// Results are what the call returns, or the negative errno. Nothing here allocates except the `_create`
// functions. `_GNU_SOURCE` belongs to the .c files alone: defining it here would break debug builds of importers.

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// A transport address; IPv4 is kept IPv4-mapped. `high` and `low` are the 16 bytes as numbers, first byte highest.
typedef struct cl_address {
    uint64_t high;
    uint64_t low;
    uint32_t scope;
    uint16_t port;
} cl_address;

// Names of errors that callers tell apart.
enum cl_error {
    CL_EINTR,
    CL_EAGAIN,
    CL_EINVAL,
    CL_EIO,
    CL_ENOPROTOOPT,
    CL_EOPNOTSUPP,
    CL_ENOBUFS,
    CL_EADDRINUSE,
    CL_EADDRNOTAVAIL,
    CL_EACCES,
    CL_EPERM,
    CL_EMFILE,
    CL_ENFILE,
    CL_EAFNOSUPPORT,
    CL_ENOSYS,
    CL_OTHER,
};

// The name of an errno (positive).
enum cl_error cl_errno_name(int32_t error);
// The C library's text for an errno, cut to `capacity` with a terminating zero.
void cl_errno_text(int32_t error, char *text, size_t capacity);

// Sockets ---------------------------------------------------------------------------------------------------------

enum cl_option {
    CL_REUSE_ADDRESS,
    CL_REUSE_PORT,
    CL_V6_ONLY,
    CL_MTU_DISCOVER_DO_V4,
    CL_MTU_DISCOVER_DO_V6,
    CL_RECEIVE_BUFFER,
    CL_RECEIVE_BUFFER_FORCE,
    CL_SEND_BUFFER,
    CL_SEND_BUFFER_FORCE,
    CL_DROP_COUNT,
    CL_TIMESTAMP,
    CL_UDP_GRO,
    CL_UDP_SEGMENT,
    CL_TCP_NO_DELAY,
    CL_NO_CHECKSUM,
};

// A non-blocking, close-on-exec socket.
int32_t cl_socket(bool ipv6, bool stream);
int32_t cl_set_option(int32_t fd, enum cl_option option, int32_t value);
// The option's value, never negative, or the negative errno.
int32_t cl_get_option(int32_t fd, enum cl_option option);
int32_t cl_bind(int32_t fd, bool ipv6, const cl_address *address);
int32_t cl_connect(int32_t fd, bool ipv6, const cl_address *address);
int32_t cl_local_address(int32_t fd, cl_address *address);
int32_t cl_listen(int32_t fd, int32_t backlog);
// A non-blocking connection, or the negative errno (EAGAIN: none waits).
int32_t cl_accept(int32_t fd, cl_address *peer);
// Never blocks; 0 is the end of the stream.
ssize_t cl_receive(int32_t fd, void *bytes, size_t capacity);
// Sends two pieces as one (either may be empty); never blocks and raises no signal.
ssize_t cl_send_pair(int32_t fd, const void *_Nullable first, size_t first_length, const void *_Nullable second,
                     size_t second_length);
int32_t cl_close(int32_t fd);
// A descriptor that can be given up when the process has no other left.
int32_t cl_spare_descriptor(void);

// Batched datagrams -------------------------------------------------------------------------------------------------

// One datagram as the caller sees it; those that the kernel coalesced (UDP_GRO) are cut apart.
typedef struct cl_datagram {
    cl_address source;
    uint8_t *bytes;
    uint32_t length;
} cl_datagram;

typedef struct cl_receive_batch cl_receive_batch;

// `buffers` buffers of `buffer_size` bytes; `segments` is the most datagrams that one buffer is cut into, `longest`
// the longest datagram returned. Null when there is no memory.
cl_receive_batch *_Nullable cl_receive_batch_create(uint32_t buffers, uint32_t buffer_size, uint32_t segments,
                                                    uint32_t longest);
void cl_receive_batch_destroy(cl_receive_batch *batch);
// The number of datagrams, 0 when none waits, or the negative errno.
int32_t cl_receive_batch_fill(cl_receive_batch *batch, int32_t fd);
cl_datagram *cl_receive_batch_datagrams(cl_receive_batch *batch);
// How long the first datagram of the last fill had waited in the socket, in nanoseconds of the wall clock; 0 if the
// kernel doesn't say when it came.
int64_t cl_receive_batch_waited(const cl_receive_batch *batch);
// The socket's drop counter as the kernel last told it (wraps at 2^32).
uint32_t cl_receive_batch_drops(const cl_receive_batch *batch);
// Messages that were too long and are not among those returned.
uint64_t cl_receive_batch_truncated(const cl_receive_batch *batch);

typedef struct cl_send_batch cl_send_batch;

// Null when there is no memory.
cl_send_batch *_Nullable cl_send_batch_create(uint32_t messages);
void cl_send_batch_destroy(cl_send_batch *batch);
// Describes message `index`. `segment_size` 0: one datagram; else the kernel cuts the bytes into such datagrams.
// The bytes must stay where they are until they were sent.
void cl_send_batch_set(cl_send_batch *batch, uint32_t index, bool ipv6, const cl_address *destination,
                       const uint8_t *bytes, uint32_t length, uint16_t segment_size);
// Sends messages `first ..< first + count`: the number sent, or the negative errno of the first.
int32_t cl_send_batch_send(cl_send_batch *batch, int32_t fd, uint32_t first, uint32_t count);

// Events ------------------------------------------------------------------------------------------------------------

// Bits of interest and of readiness: 1 readable, 2 writable, 4 hung up or failed (readiness only).
enum cl_event_bit {
    CL_READABLE = 1,
    CL_WRITABLE = 2,
    CL_HANGUP = 4,
};

typedef struct cl_event {
    uint64_t token;
    uint32_t bits;
} cl_event;

int32_t cl_epoll_create(void);
int32_t cl_epoll_add(int32_t epoll, int32_t fd, uint64_t token, uint32_t bits);
int32_t cl_epoll_modify(int32_t epoll, int32_t fd, uint64_t token, uint32_t bits);
int32_t cl_epoll_remove(int32_t epoll, int32_t fd);
// Waits for at most `nanoseconds` (negative: without limit), at most 256 events at a time.
int32_t cl_epoll_wait(int32_t epoll, cl_event *events, uint32_t capacity, int64_t nanoseconds);

int32_t cl_eventfd_create(void);
void cl_eventfd_signal(int32_t fd);
void cl_eventfd_clear(int32_t fd);

// CLOCK_MONOTONIC in nanoseconds.
int64_t cl_monotonic_nanoseconds(void);

// Threads and the machine ---------------------------------------------------------------------------------------------

// Starts a thread; `core` < 0: not pinned. `*thread` is for `cl_thread_join`.
int32_t cl_thread_start(const char *name, int32_t core, void (*entry)(void *),
                        void *context, uint64_t *thread);
int32_t cl_thread_join(uint64_t thread);
// Lets the thread's remains be freed when it ends.
void cl_thread_detach(uint64_t thread);
// The core the calling thread runs on.
int32_t cl_current_core(void);

typedef struct cl_interface {
    char name[16];
    cl_address address;
    bool up;
    bool loopback;
} cl_interface;

// Fills in at most `capacity` addresses; the number of them or the negative errno.
int32_t cl_interfaces(cl_interface *interfaces, uint32_t capacity);

// Raises the soft limit of open descriptors to the hard one and tells both.
int32_t cl_raise_descriptor_limit(uint64_t *soft, uint64_t *hard);
// The soft limit of descriptors; 0 if the system doesn't say.
uint64_t cl_descriptor_limit(void);

// Parses a dotted or colon-separated address without port; 0 or -EINVAL.
int32_t cl_parse_address(const char *text, cl_address *address);
// Prints the address without port; `text` has room for 64 bytes.
void cl_print_address(const cl_address *address, char *text);

#pragma clang assume_nonnull end
