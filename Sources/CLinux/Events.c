#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EVENTS = 256 };

static struct epoll_event describe(uint64_t token, uint32_t bits) {
    struct epoll_event event = {.events = 0, .data.u64 = token};
    if (bits & CL_READABLE) event.events |= EPOLLIN | EPOLLRDHUP;
    if (bits & CL_WRITABLE) event.events |= EPOLLOUT;
    return event;
}

int32_t cl_epoll_create(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int32_t cl_epoll_add(int32_t epoll, int32_t fd, uint64_t token, uint32_t bits) {
    struct epoll_event event = describe(token, bits);
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int32_t cl_epoll_modify(int32_t epoll, int32_t fd, uint64_t token, uint32_t bits) {
    struct epoll_event event = describe(token, bits);
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0 ? -errno : 0;
}

int32_t cl_epoll_remove(int32_t epoll, int32_t fd) {
    struct epoll_event event = {0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event) < 0 ? -errno : 0;
}

// Kernels before 5.11 have no epoll_pwait2; whole milliseconds, rounded up, stand in.
static atomic_bool fine_waits_missing;

static int wait_once(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
    if (!atomic_load_explicit(&fine_waits_missing, memory_order_relaxed)) {
        struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
        int count = epoll_pwait2(epoll, events, capacity, nanoseconds < 0 ? NULL : &limit, NULL);
        if (count >= 0 || errno != ENOSYS) return count;
        atomic_store_explicit(&fine_waits_missing, true, memory_order_relaxed);
    }
    int64_t milliseconds = nanoseconds < 0 ? -1 : nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    return epoll_wait(epoll, events, capacity, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
}

int32_t cl_epoll_wait(int32_t epoll, cl_event *events, uint32_t capacity, int64_t nanoseconds) {
    struct epoll_event ready[MOST_EVENTS];
    int limit = capacity > MOST_EVENTS ? MOST_EVENTS : (int)capacity;
    int count = wait_once(epoll, ready, limit, nanoseconds);
    // An interrupted wait is an early one: the caller looks at its clock anyway.
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t bits = 0;
        if (ready[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDHUP)) bits |= CL_READABLE;
        if (ready[i].events & EPOLLOUT) bits |= CL_WRITABLE;
        if (ready[i].events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) bits |= CL_HANGUP;
        events[i] = (cl_event){.token = ready[i].data.u64, .bits = bits};
    }
    return count;
}

int32_t cl_eventfd_create(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

void cl_eventfd_signal(int32_t fd) {
    // Fails only when the counter is full, and then the reader is being woken already.
    (void)eventfd_write(fd, 1);
}

void cl_eventfd_clear(int32_t fd) {
    eventfd_t value;
    (void)eventfd_read(fd, &value);
}

int64_t cl_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
