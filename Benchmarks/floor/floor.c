/* What sending costs at the least on this machine: header, encryption, send call, and no server around it.
 *
 * A sender gives each of N receivers a run of packets a turn: it writes twelve header bytes, seals the shared
 * plaintext with the receiver's key, and hands the kernel one message a run (UDP_SEGMENT), many messages a call.
 * Receivers are loopback sockets with UDP_GRO that another thread empties.
 *
 * It prints one line of JSON: the sending thread's CPU time a packet, user and system, in microseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <intel-ipsec-mb.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 12, MAX_RUN = 64, MAX_CALL = 16, RUN_BYTES = 65536, TAG = 16, SHORT_TAG = 10 };

struct options {
    int receivers, size, sha1, sender_cpu, receiver_cpu;
    double run, rate, seconds;
};

struct receiver {
    int socket;
    struct sockaddr_in address;
    _Alignas(64) struct gcm_key_data gcm;
    uint8_t salt[16];
    _Alignas(16) uint32_t encrypt[15 * 4], decrypt[15 * 4];
    _Alignas(16) uint8_t inner[64], outer[64];
    uint16_t sequence;
    uint32_t rollover;
};

static struct options options = {
    .receivers = 100, .size = 1100, .sender_cpu = 0, .receiver_cpu = 1, .run = 8, .rate = 0, .seconds = 2};
static struct receiver *receivers;
static atomic_int finished;
static atomic_ulong received;

static void fail(const char *what)
{
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    /* A machine with fewer processors than were named runs it wherever it can. */
    (void)sched_setaffinity(0, sizeof set, &set);
}

static void *empty_sockets(void *unused)
{
    static char buffers[8][RUN_BYTES];
    pin(options.receiver_cpu);
    int poll = epoll_create1(0);
    if (poll < 0) fail("epoll_create1");
    for (int i = 0; i < options.receivers; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, receivers[i].socket, &event) < 0) fail("epoll_ctl");
    }
    while (!finished) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 20);
        for (int i = 0; i < ready; i++) {
            struct iovec parts[8];
            struct mmsghdr messages[8];
            memset(messages, 0, sizeof messages);
            for (int k = 0; k < 8; k++) {
                parts[k] = (struct iovec){buffers[k], RUN_BYTES};
                messages[k].msg_hdr.msg_iov = &parts[k];
                messages[k].msg_hdr.msg_iovlen = 1;
            }
            int count = recvmmsg(receivers[events[i].data.u32].socket, messages, 8, MSG_DONTWAIT, NULL);
            for (int k = 0; k < count; k++)
                received += (messages[k].msg_len + (unsigned)options.size - 1) / (unsigned)options.size;
        }
    }
    close(poll);
    return unused;
}

static void open_receiver(struct receiver *to, IMB_MGR *manager)
{
    int on = 1, buffer = 4 << 20;
    to->socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (to->socket < 0) fail("socket");
    (void)setsockopt(to->socket, SOL_UDP, UDP_GRO, &on, sizeof on);
    if (setsockopt(to->socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
        (void)setsockopt(to->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    to->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(to->socket, (struct sockaddr *)&to->address, sizeof to->address) < 0) fail("bind");
    socklen_t length = sizeof to->address;
    if (getsockname(to->socket, (struct sockaddr *)&to->address, &length) < 0) fail("getsockname");
    _Alignas(16) uint8_t key[16];
    for (int i = 0; i < 16; i++) {
        key[i] = (uint8_t)rand();
        to->salt[i] = (uint8_t)rand();
    }
    IMB_AES128_GCM_PRE(manager, key, &to->gcm);
    IMB_AES_KEYEXP_128(manager, key, to->encrypt, to->decrypt);
    _Alignas(64) uint8_t block[64];
    memset(block, 0x36, sizeof block);
    for (int i = 0; i < 16; i++) block[i] ^= key[i];
    IMB_SHA1_ONE_BLOCK(manager, block, to->inner);
    memset(block, 0x5c, sizeof block);
    for (int i = 0; i < 16; i++) block[i] ^= key[i];
    IMB_SHA1_ONE_BLOCK(manager, block, to->outer);
}

static void write_header(uint8_t *packet, struct receiver *to)
{
    if (++to->sequence == 0) to->rollover++;
    packet[0] = 0x80;
    packet[1] = 96;
    packet[2] = (uint8_t)(to->sequence >> 8);
    packet[3] = (uint8_t)to->sequence;
    memset(packet + 4, 0, 8);
}

static void seal_gcm(IMB_MGR *manager, struct receiver *to, uint8_t *packet, const uint8_t *plain, int length)
{
    struct gcm_context_data context;
    uint8_t iv[12];
    memcpy(iv, to->salt, 12);
    iv[10] ^= packet[2];
    iv[11] ^= packet[3];
    IMB_AES128_GCM_ENC(manager, &to->gcm, &context, packet + HEADER, plain, (uint64_t)length, iv, packet, HEADER,
        packet + HEADER + length, TAG);
}

/* Tags are made twelve bytes long, aside, and cut to ten. */
static uint8_t tags[MAX_RUN][12];
static _Alignas(16) uint8_t vectors[MAX_RUN][16];

static void queue_cm(IMB_MGR *manager, struct receiver *to, uint8_t *packet, const uint8_t *plain, int length, int slot)
{
    memcpy(packet + HEADER, plain, (size_t)length);
    memset(packet + HEADER + length, 0, 4);
    memcpy(vectors[slot], to->salt, 14);
    vectors[slot][12] ^= packet[2];
    vectors[slot][13] ^= packet[3];
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    memset(job, 0, sizeof *job);
    job->cipher_mode = IMB_CIPHER_CNTR;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->src = packet;
    job->dst = packet + HEADER;
    job->enc_keys = to->encrypt;
    job->dec_keys = to->encrypt;
    job->key_len_in_bytes = 16;
    job->iv = vectors[slot];
    job->iv_len_in_bytes = 16;
    job->cipher_start_src_offset_in_bytes = HEADER;
    job->msg_len_to_cipher_in_bytes = (uint64_t)length;
    job->hash_alg = IMB_AUTH_HMAC_SHA_1;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = (uint64_t)(HEADER + length + 4);
    job->auth_tag_output = tags[slot];
    job->auth_tag_output_len_in_bytes = 12;
    job->u.HMAC._hashed_auth_key_xor_ipad = to->inner;
    job->u.HMAC._hashed_auth_key_xor_opad = to->outer;
    (void)IMB_SUBMIT_JOB_NOCHECK(manager);
}

/* One run for one receiver, at `out`; returns its bytes. */
static int make_run(IMB_MGR *manager, struct receiver *to, uint8_t *out, const uint8_t *plain, int packets)
{
    int tag = options.sha1 ? SHORT_TAG : TAG;
    int length = options.size - HEADER - tag;
    for (int i = 0; i < packets; i++) {
        uint8_t *packet = out + i * options.size;
        write_header(packet, to);
        if (options.sha1)
            queue_cm(manager, to, packet, plain + i * 2048, length, i);
        else
            seal_gcm(manager, to, packet, plain + i * 2048, length);
    }
    if (options.sha1) {
        while (IMB_FLUSH_JOB(manager)) { }
        for (int i = 0; i < packets; i++) memcpy(out + i * options.size + HEADER + length, tags[i], SHORT_TAG);
    }
    return packets * options.size;
}

static void send_all(int socket, struct mmsghdr *messages, int count)
{
    int first = 0;
    while (first < count) {
        int sent = sendmmsg(socket, messages + first, (unsigned)(count - first), 0);
        if (sent < 0) {
            if (errno == ENOBUFS || errno == EAGAIN) continue;
            fail("sendmmsg");
        }
        first += sent;
    }
}

/* Sends a turn: a run for everybody. Runs of 4.5 packets are 4 and 5 in turns. */
static long send_turn(IMB_MGR *manager, int socket, const uint8_t *plain, double *owed)
{
    static uint8_t arena[MAX_CALL][RUN_BYTES];
    struct mmsghdr messages[MAX_CALL];
    struct iovec parts[MAX_CALL];
    union {
        char bytes[CMSG_SPACE(sizeof(uint16_t))];
        struct cmsghdr alignment;
    } controls[MAX_CALL];
    long sent = 0;
    int filled = 0;
    *owed += options.run;
    int packets = (int)*owed;
    *owed -= packets;
    if (packets < 1) return 0;
    for (int i = 0; i < options.receivers; i++) {
        struct msghdr *message = &messages[filled].msg_hdr;
        int bytes = make_run(manager, &receivers[i], arena[filled], plain, packets);
        parts[filled] = (struct iovec){arena[filled], (size_t)bytes};
        *message = (struct msghdr){.msg_name = &receivers[i].address, .msg_namelen = sizeof receivers[i].address,
            .msg_iov = &parts[filled], .msg_iovlen = 1};
        if (packets > 1) {
            message->msg_control = controls[filled].bytes;
            message->msg_controllen = sizeof controls[filled].bytes;
            struct cmsghdr *control = CMSG_FIRSTHDR(message);
            control->cmsg_level = SOL_UDP;
            control->cmsg_type = UDP_SEGMENT;
            control->cmsg_len = CMSG_LEN(sizeof(uint16_t));
            uint16_t segment = (uint16_t)options.size;
            memcpy(CMSG_DATA(control), &segment, sizeof segment);
        }
        sent += packets;
        if (++filled == MAX_CALL) {
            send_all(socket, messages, filled);
            filled = 0;
        }
    }
    if (filled > 0) send_all(socket, messages, filled);
    return sent;
}

static double cpu(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void wait_until(double moment)
{
    double left = moment - seconds_now();
    if (left <= 0) return;
    struct timespec pause = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
    nanosleep(&pause, NULL);
}

static void parse(int count, char **arguments)
{
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = arguments[i], *value = arguments[i + 1];
        if (!strcmp(name, "--receivers")) options.receivers = atoi(value);
        else if (!strcmp(name, "--run")) options.run = atof(value);
        else if (!strcmp(name, "--size")) options.size = atoi(value);
        else if (!strcmp(name, "--rate")) options.rate = atof(value);
        else if (!strcmp(name, "--seconds")) options.seconds = atof(value);
        else if (!strcmp(name, "--suite")) options.sha1 = !strcmp(value, "sha1");
        else if (!strcmp(name, "--sender-cpu")) options.sender_cpu = atoi(value);
        else if (!strcmp(name, "--receiver-cpu")) options.receiver_cpu = atoi(value);
        else {
            fprintf(stderr, "floor: unknown option %s\n", name);
            exit(2);
        }
    }
    if (options.receivers < 1 || options.size < 64 || options.size > 1500 || options.run <= 0
        || options.run > 40 || options.seconds <= 0) {
        fprintf(stderr, "floor: receivers >= 1, 64 <= size <= 1500, 0 < run <= 40, seconds > 0\n");
        exit(2);
    }
}

int main(int count, char **arguments)
{
    parse(count, arguments);
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) fail("alloc_mb_mgr");
    init_mb_mgr_auto(manager, NULL);
    receivers = aligned_alloc(64, (sizeof *receivers * (size_t)options.receivers + 63) / 64 * 64);
    if (!receivers) fail("memory");
    memset(receivers, 0, sizeof *receivers * (size_t)options.receivers);
    for (int i = 0; i < options.receivers; i++) open_receiver(&receivers[i], manager);
    static uint8_t plain[MAX_RUN * 2048];
    for (size_t i = 0; i < sizeof plain; i++) plain[i] = (uint8_t)rand();

    pthread_t thread;
    if (pthread_create(&thread, NULL, empty_sockets, NULL)) fail("pthread_create");
    pin(options.sender_cpu);
    int socket_out = socket(AF_INET, SOCK_DGRAM, 0), buffer = 4 << 20;
    if (socket_out < 0) fail("socket");
    if (setsockopt(socket_out, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer) < 0)
        (void)setsockopt(socket_out, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);

    struct rusage before, after;
    double owed = 0, begun = seconds_now(), next = begun;
    double turn = options.rate > 0 ? options.run * options.receivers / options.rate : 0;
    long sent = 0;
    getrusage(RUSAGE_THREAD, &before);
    while (seconds_now() - begun < options.seconds) {
        sent += send_turn(manager, socket_out, plain, &owed);
        next += turn;
        if (turn > 0) wait_until(next);
    }
    getrusage(RUSAGE_THREAD, &after);
    double elapsed = seconds_now() - begun;
    finished = 1;
    pthread_join(thread, NULL);
    double user = cpu(after.ru_utime) - cpu(before.ru_utime);
    double system = cpu(after.ru_stime) - cpu(before.ru_stime);
    printf("{\"packets\": %ld, \"packetsPerSecond\": %.0f, \"userMicrosecondsAPacket\": %.4f, "
           "\"systemMicrosecondsAPacket\": %.4f, \"receivedShare\": %.4f}\n",
        sent, sent / elapsed, user / sent * 1e6, system / sent * 1e6, (double)received / sent);
    return 0;
}
