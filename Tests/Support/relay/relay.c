/*
 * A bad network between UDP clients and one server: loss, delay, jitter, duplicates, reordering, a
 * bottleneck, and a NAT that changes its mind. Seeded, so that the same packets fare the same.
 *
 *     relay LISTEN_IP PORT SERVER_IP SERVER_PORT BIND_IP SEED
 *
 * Commands come on standard input, one a line, and each is answered by one line:
 *     up|down|both KEY=VALUE…   loss, dup, reorder in percent; delay, jitter, hold in ms; rate in bit/s
 *                               (0: none); queue in bytes, what the bottleneck holds before it drops
 *     rebind                    every client gets a new address at the server's side; the old ones close
 *     stats                     counters of both directions as JSON, and how long packets were held
 * It ends at the end of its input. Order is kept but for what `reorder` holds back by `hold` ms.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UP, DOWN, DIRECTIONS };
enum { MAX_CLIENTS = 256, MAX_DATAGRAM = 65536, BATCH = 256, BUFFER_BYTES = 8 << 20 };

struct impairment {
  double loss, dup, reorder, delay, jitter, hold, rate, queue;
};

struct counters {
  uint64_t received, bytes, forwarded, lost, duplicated, reordered, overflowed, held_ns;
};

struct client {
  struct sockaddr_in address;
  int socket;
};

struct packet {
  uint64_t came, due, order;
  int client, direction;
  size_t length;
  uint8_t *bytes;
};

static struct impairment impairments[DIRECTIONS];
static struct counters counts[DIRECTIONS];
static uint64_t line_free_at[DIRECTIONS], last_due[DIRECTIONS];
static struct client clients[MAX_CLIENTS];
static int client_count, front;
static struct sockaddr_in server, binding;
static struct packet *heap;
static size_t heap_count, heap_capacity;
static uint64_t next_order, random_state;

static void die(const char *what) {
  fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
  exit(2);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* xorshift64*: a number from 0 up to 1. */
static double chance(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (double)((random_state * 0x2545F4914F6CDD1Dull) >> 11) / 9007199254740992.0;
}

static int strikes(double percent) { return percent > 0 && chance() * 100 < percent; }

/* The heap: the packet that is due first is at the top. */

static int is_before(const struct packet *a, const struct packet *b) {
  return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void swap(size_t i, size_t j) {
  struct packet kept = heap[i];
  heap[i] = heap[j];
  heap[j] = kept;
}

static void push(struct packet packet) {
  if (heap_count == heap_capacity) {
    heap_capacity = heap_capacity ? heap_capacity * 2 : 1024;
    heap = realloc(heap, heap_capacity * sizeof *heap);
    if (!heap) die("memory");
  }
  size_t i = heap_count++;
  heap[i] = packet;
  for (; i > 0 && is_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static struct packet pop(void) {
  struct packet top = heap[0];
  heap[0] = heap[--heap_count];
  for (size_t i = 0;;) {
    size_t first = i, left = 2 * i + 1, right = left + 1;
    if (left < heap_count && is_before(&heap[left], &heap[first])) first = left;
    if (right < heap_count && is_before(&heap[right], &heap[first])) first = right;
    if (first == i) return top;
    swap(i, first);
    i = first;
  }
}

/* Sockets. */

static int open_socket(const struct sockaddr_in *address) {
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int size = BUFFER_BYTES;
  if (descriptor < 0) die("socket");
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (bind(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) die("bind");
  return descriptor;
}

static int open_server_side(void) {
  int descriptor = open_socket(&binding);
  if (connect(descriptor, (const struct sockaddr *)&server, sizeof server) != 0) die("connect");
  return descriptor;
}

static int client_of(const struct sockaddr_in *address) {
  for (int i = 0; i < client_count; i++)
    if (clients[i].address.sin_port == address->sin_port &&
        clients[i].address.sin_addr.s_addr == address->sin_addr.s_addr)
      return i;
  if (client_count == MAX_CLIENTS) return -1;
  clients[client_count] = (struct client){*address, open_server_side()};
  return client_count++;
}

/* The way of a packet. */

static void schedule(int client, int direction, const uint8_t *bytes, size_t length) {
  const struct impairment *bad = &impairments[direction];
  struct counters *count = &counts[direction];
  uint64_t now = now_ns(), leaves = now;
  if (bad->rate > 0) {
    uint64_t start = line_free_at[direction] > now ? line_free_at[direction] : now;
    if ((double)(start - now) * bad->rate / 8e9 + (double)length > bad->queue) {
      count->overflowed++;
      return;
    }
    leaves = start + (uint64_t)((double)length * 8e9 / bad->rate);
    line_free_at[direction] = leaves;
  }
  double ms = bad->delay + (2 * chance() - 1) * bad->jitter;
  uint64_t due = leaves + (ms > 0 ? (uint64_t)(ms * 1e6) : 0);
  if (strikes(bad->reorder)) {
    due += (uint64_t)(bad->hold * 1e6);
    count->reordered++;
  } else {
    if (due < last_due[direction]) due = last_due[direction];
    last_due[direction] = due;
  }
  struct packet packet = {now, due, next_order++, client, direction, length, malloc(length ? length : 1)};
  if (!packet.bytes) die("memory");
  memcpy(packet.bytes, bytes, length);
  push(packet);
}

static void take(int client, int direction, const uint8_t *bytes, size_t length) {
  struct counters *count = &counts[direction];
  count->received++;
  count->bytes += length;
  if (strikes(impairments[direction].loss)) {
    count->lost++;
    return;
  }
  schedule(client, direction, bytes, length);
  if (strikes(impairments[direction].dup)) {
    count->duplicated++;
    schedule(client, direction, bytes, length);
  }
}

static void deliver_due(void) {
  while (heap_count > 0 && heap[0].due <= now_ns()) {
    struct packet packet = pop();
    struct client *client = &clients[packet.client];
    ssize_t sent = packet.direction == UP
                       ? send(client->socket, packet.bytes, packet.length, 0)
                       : sendto(front, packet.bytes, packet.length, 0, (struct sockaddr *)&client->address,
                                sizeof client->address);
    if (sent >= 0) {
      counts[packet.direction].forwarded++;
      counts[packet.direction].held_ns += now_ns() - packet.came;
    }
    free(packet.bytes);
  }
}

static void read_front(void) {
  static uint8_t bytes[MAX_DATAGRAM];
  for (int i = 0; i < BATCH; i++) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t length = recvfrom(front, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
    if (length < 0) return;
    int client = client_of(&from);
    if (client >= 0) take(client, UP, bytes, (size_t)length);
  }
}

static void read_back(int client) {
  static uint8_t bytes[MAX_DATAGRAM];
  for (int i = 0; i < BATCH; i++) {
    ssize_t length = recv(clients[client].socket, bytes, sizeof bytes, 0);
    if (length < 0) return;
    take(client, DOWN, bytes, (size_t)length);
  }
}

/* Commands. */

static int set_key(struct impairment *bad, const char *key, double value) {
  const struct { const char *name; double *place; } keys[] = {
      {"loss", &bad->loss},     {"dup", &bad->dup},   {"reorder", &bad->reorder}, {"delay", &bad->delay},
      {"jitter", &bad->jitter}, {"hold", &bad->hold}, {"rate", &bad->rate},       {"queue", &bad->queue},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].name, key) == 0) {
      *keys[i].place = value;
      return 1;
    }
  return 0;
}

static int set_impairments(int direction, char *settings) {
  char *rest = NULL;
  for (char *word = strtok_r(settings, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '='), *end = NULL;
    if (!equals) return 0;
    *equals = 0;
    double value = strtod(equals + 1, &end);
    if (*end || end == equals + 1 || value < 0 || !set_key(&impairments[direction], word, value)) return 0;
  }
  return 1;
}

static void print_counters(const char *name, const struct counters *c) {
  printf("\"%s\": {\"received\": %lu, \"bytes\": %lu, \"forwarded\": %lu, \"lost\": %lu, "
         "\"duplicated\": %lu, \"reordered\": %lu, \"overflowed\": %lu, \"heldMs\": %.3f}",
         name, c->received, c->bytes, c->forwarded, c->lost, c->duplicated, c->reordered, c->overflowed,
         c->forwarded ? (double)c->held_ns / 1e6 / (double)c->forwarded : 0);
}

static void obey(char *line) {
  char copy[256];
  char *rest = strchr(line, ' ');
  if (rest) *rest++ = 0;
  if (strcmp(line, "stats") == 0) {
    printf("{\"clients\": %d, \"waiting\": %zu, ", client_count, heap_count);
    print_counters("up", &counts[UP]);
    printf(", ");
    print_counters("down", &counts[DOWN]);
    printf("}\n");
  } else if (strcmp(line, "rebind") == 0) {
    for (int i = 0; i < client_count; i++) {
      /* The new one first, so that the system can't give the old port again. */
      int fresh = open_server_side();
      close(clients[i].socket);
      clients[i].socket = fresh;
    }
    printf("ok %d\n", client_count);
  } else {
    int up = strcmp(line, "up") == 0 || strcmp(line, "both") == 0;
    int down = strcmp(line, "down") == 0 || strcmp(line, "both") == 0;
    snprintf(copy, sizeof copy, "%s", rest ? rest : "");
    int good = (up || down) && (!up || set_impairments(UP, copy));
    snprintf(copy, sizeof copy, "%s", rest ? rest : "");
    good = good && (!down || set_impairments(DOWN, copy));
    printf(good ? "ok\n" : "error\n");
  }
  fflush(stdout);
}

/* Returns 0 at the end of the input. */
static int read_commands(void) {
  static char input[4096];
  static size_t filled;
  ssize_t count = read(STDIN_FILENO, input + filled, sizeof input - 1 - filled);
  if (count <= 0) return 0;
  filled += (size_t)count;
  input[filled] = 0;
  char *start = input;
  for (char *end; (end = strchr(start, '\n')); start = end + 1) {
    *end = 0;
    obey(start);
  }
  filled -= (size_t)(start - input);
  memmove(input, start, filled);
  return filled < sizeof input - 1;
}

static void wait_for_events(void) {
  struct pollfd polled[MAX_CLIENTS + 2] = {{STDIN_FILENO, POLLIN, 0}, {front, POLLIN, 0}};
  int watched = client_count;
  for (int i = 0; i < watched; i++) polled[i + 2] = (struct pollfd){clients[i].socket, POLLIN, 0};
  struct timespec wait = {0, 0}, *limit = NULL;
  if (heap_count > 0) {
    uint64_t now = now_ns(), left = heap[0].due > now ? heap[0].due - now : 0;
    wait = (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    limit = &wait;
  }
  if (ppoll(polled, (nfds_t)watched + 2, limit, NULL) < 0 && errno != EINTR) die("ppoll");
  if (polled[1].revents) read_front();
  for (int i = 0; i < watched; i++)
    if (polled[i + 2].revents) read_back(i);
  /* Last: a command may replace the sockets above. */
  if (polled[0].revents && !read_commands()) exit(0);
}

static struct sockaddr_in address(const char *host, const char *port) {
  struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  if (inet_pton(AF_INET, host, &made.sin_addr) != 1) {
    fprintf(stderr, "relay: %s isn't an IPv4 address\n", host);
    exit(2);
  }
  return made;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: relay LISTEN_IP PORT SERVER_IP SERVER_PORT BIND_IP SEED\n");
    return 2;
  }
  struct sockaddr_in listening = address(arguments[1], arguments[2]);
  server = address(arguments[3], arguments[4]);
  binding = address(arguments[5], "0");
  random_state = strtoull(arguments[6], NULL, 10) * 0x9E3779B97F4A7C15ull | 1;
  for (int i = 0; i < DIRECTIONS; i++) impairments[i] = (struct impairment){.hold = 20, .queue = 256 * 1024};
  front = open_socket(&listening);
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    wait_for_events();
    deliver_due();
  }
}
