#define _GNU_SOURCE
#include "Address.h"
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum cl_error cl_errno_name(int32_t error) {
    switch (error) {
    case EINTR: return CL_EINTR;
    case EAGAIN: return CL_EAGAIN;
    case EINVAL: return CL_EINVAL;
    case EIO: return CL_EIO;
    case ENOPROTOOPT: return CL_ENOPROTOOPT;
    case EOPNOTSUPP: return CL_EOPNOTSUPP;
    case ENOBUFS: return CL_ENOBUFS;
    case EADDRINUSE: return CL_EADDRINUSE;
    case EADDRNOTAVAIL: return CL_EADDRNOTAVAIL;
    case EACCES: return CL_EACCES;
    case EPERM: return CL_EPERM;
    case EMFILE: return CL_EMFILE;
    case ENFILE: return CL_ENFILE;
    case EAFNOSUPPORT: return CL_EAFNOSUPPORT;
    case ENOSYS: return CL_ENOSYS;
    default: return CL_OTHER;
    }
}

void cl_errno_text(int32_t error, char *text, size_t capacity) {
    char buffer[128];
    // The GNU form: the text may lie elsewhere than in the buffer.
    const char *found = strerror_r(error, buffer, sizeof buffer);
    snprintf(text, capacity, "%s", found);
}

int32_t cl_socket(bool ipv6, bool stream) {
    int fd = socket(ipv6 ? AF_INET6 : AF_INET, (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

static bool cl_option_place(enum cl_option option, int *level, int *name) {
    *level = SOL_SOCKET;
    switch (option) {
    case CL_REUSE_ADDRESS: *name = SO_REUSEADDR; return true;
    case CL_REUSE_PORT: *name = SO_REUSEPORT; return true;
    case CL_V6_ONLY: *level = IPPROTO_IPV6; *name = IPV6_V6ONLY; return true;
    case CL_MTU_DISCOVER_DO_V4: *level = IPPROTO_IP; *name = IP_MTU_DISCOVER; return true;
    case CL_MTU_DISCOVER_DO_V6: *level = IPPROTO_IPV6; *name = IPV6_MTU_DISCOVER; return true;
    case CL_RECEIVE_BUFFER: *name = SO_RCVBUF; return true;
    case CL_RECEIVE_BUFFER_FORCE: *name = SO_RCVBUFFORCE; return true;
    case CL_SEND_BUFFER: *name = SO_SNDBUF; return true;
    case CL_SEND_BUFFER_FORCE: *name = SO_SNDBUFFORCE; return true;
    case CL_DROP_COUNT: *name = SO_RXQ_OVFL; return true;
    case CL_TIMESTAMP: *name = SO_TIMESTAMPNS; return true;
    case CL_UDP_SEGMENT: *level = SOL_UDP; *name = UDP_SEGMENT; return true;
    case CL_UDP_GRO: *level = SOL_UDP; *name = UDP_GRO; return true;
    case CL_TCP_NO_DELAY: *level = IPPROTO_TCP; *name = TCP_NODELAY; return true;
    case CL_NO_CHECKSUM: *name = SO_NO_CHECK; return true;
    default: return false;
    }
}

int32_t cl_set_option(int32_t fd, enum cl_option option, int32_t value) {
    int level, name, setting = value;
    if (!cl_option_place(option, &level, &name)) return -ENOPROTOOPT;
    if (option == CL_MTU_DISCOVER_DO_V4) setting = IP_PMTUDISC_DO;
    if (option == CL_MTU_DISCOVER_DO_V6) setting = IPV6_PMTUDISC_DO;
    return setsockopt(fd, level, name, &setting, sizeof setting) < 0 ? -errno : 0;
}

int32_t cl_get_option(int32_t fd, enum cl_option option) {
    int level, name, value = 0;
    socklen_t length = sizeof value;
    if (!cl_option_place(option, &level, &name)) return -ENOPROTOOPT;
    return getsockopt(fd, level, name, &value, &length) < 0 ? -errno : value;
}

int32_t cl_bind(int32_t fd, bool ipv6, const cl_address *address) {
    struct sockaddr_in6 storage;
    socklen_t length = cl_to_sockaddr(address, ipv6, &storage);
    return bind(fd, (struct sockaddr *)&storage, length) < 0 ? -errno : 0;
}

int32_t cl_connect(int32_t fd, bool ipv6, const cl_address *address) {
    struct sockaddr_in6 storage;
    socklen_t length = cl_to_sockaddr(address, ipv6, &storage);
    return connect(fd, (struct sockaddr *)&storage, length) < 0 ? -errno : 0;
}

int32_t cl_local_address(int32_t fd, cl_address *address) {
    struct sockaddr_in6 storage = {0};
    socklen_t length = sizeof storage;
    if (getsockname(fd, (struct sockaddr *)&storage, &length) < 0) return -errno;
    cl_from_sockaddr((struct sockaddr *)&storage, address);
    return 0;
}

int32_t cl_listen(int32_t fd, int32_t backlog) {
    return listen(fd, backlog) < 0 ? -errno : 0;
}

int32_t cl_accept(int32_t fd, cl_address *peer) {
    struct sockaddr_in6 storage = {0};
    socklen_t length = sizeof storage;
    int connection = accept4(fd, (struct sockaddr *)&storage, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection < 0) return -errno;
    cl_from_sockaddr((struct sockaddr *)&storage, peer);
    return connection;
}

ssize_t cl_receive(int32_t fd, void *bytes, size_t capacity) {
    ssize_t count = recv(fd, bytes, capacity, MSG_DONTWAIT);
    return count < 0 ? -errno : count;
}

ssize_t cl_send_pair(int32_t fd, const void *first, size_t first_length, const void *second, size_t second_length) {
    struct iovec pieces[2] = {
        {.iov_base = (void *)first, .iov_len = first_length},
        {.iov_base = (void *)second, .iov_len = second_length},
    };
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    ssize_t count = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return count < 0 ? -errno : count;
}

int32_t cl_close(int32_t fd) {
    return close(fd) < 0 ? -errno : 0;
}

int32_t cl_spare_descriptor(void) {
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
