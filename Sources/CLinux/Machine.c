#define _GNU_SOURCE
#include "Address.h"
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

typedef struct {
    char name[16];
    void (*entry)(void *);
    void *context;
} thread_start;

static void *run_thread(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    start.entry(start.context);
    return NULL;
}

static int pin_attribute(pthread_attr_t *attribute, int32_t core) {
    if (core < 0) return 0;
    if (core >= CPU_SETSIZE) return EINVAL;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return pthread_attr_setaffinity_np(attribute, sizeof cores, &cores);
}

int32_t cl_thread_start(const char *name, int32_t core, void (*entry)(void *), void *context, uint64_t *thread) {
    thread_start *start = malloc(sizeof *start);
    if (!start) return -ENOMEM;
    *start = (thread_start){.entry = entry, .context = context};
    snprintf(start->name, sizeof start->name, "%s", name);
    pthread_attr_t attribute;
    int error = pthread_attr_init(&attribute);
    if (error) {
        free(start);
        return -error;
    }
    // Process signals belong to the main thread: the new one inherits a mask that blocks them all.
    sigset_t all, before;
    sigfillset(&all);
    error = pin_attribute(&attribute, core);
    if (!error) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_t handle;
        error = pthread_create(&handle, &attribute, run_thread, start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!error) *thread = (uint64_t)handle;
    }
    pthread_attr_destroy(&attribute);
    if (error) free(start);
    return -error;
}

int32_t cl_thread_join(uint64_t thread) {
    return -pthread_join((pthread_t)thread, NULL);
}

void cl_thread_detach(uint64_t thread) {
    pthread_detach((pthread_t)thread);
}

int32_t cl_current_core(void) {
    int core = sched_getcpu();
    return core < 0 ? -errno : core;
}

int32_t cl_interfaces(cl_interface *interfaces, uint32_t capacity) {
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list) < 0) return -errno;
    uint32_t count = 0;
    for (struct ifaddrs *entry = list; entry && count < capacity; entry = entry->ifa_next) {
        if (!entry->ifa_addr) continue;
        sa_family_t family = entry->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        cl_interface *found = &interfaces[count++];
        snprintf(found->name, sizeof found->name, "%s", entry->ifa_name);
        cl_from_sockaddr(entry->ifa_addr, &found->address);
        found->up = (entry->ifa_flags & IFF_UP) != 0;
        found->loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;
    }
    freeifaddrs(list);
    return (int32_t)count;
}

int32_t cl_raise_descriptor_limit(uint64_t *soft, uint64_t *hard) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    *hard = limit.rlim_max;
    int32_t result = 0;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) < 0) result = -errno;
        else limit = raised;
    }
    *soft = limit.rlim_cur;
    return result;
}

uint64_t cl_descriptor_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

int32_t cl_parse_address(const char *text, cl_address *address) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        cl_from_sockaddr((struct sockaddr *)&v4, address);
        return 0;
    }
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) {
        cl_from_sockaddr((struct sockaddr *)&v6, address);
        return 0;
    }
    return -EINVAL;
}

void cl_print_address(const cl_address *address, char *text) {
    struct sockaddr_in6 storage;
    bool ipv4 = cl_is_ipv4(address);
    cl_to_sockaddr(address, !ipv4, &storage);
    const void *bytes = ipv4 ? (const void *)&((struct sockaddr_in *)&storage)->sin_addr : &storage.sin6_addr;
    if (!inet_ntop(ipv4 ? AF_INET : AF_INET6, bytes, text, 64)) text[0] = 0;
}
