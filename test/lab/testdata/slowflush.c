/* fdatasync and fsync that take at least $SLOWFLUSH_US microseconds, for LD_PRELOAD: what is
   flushed is flushed, and then the rest of the time is slept. In a directory flush-NUMBERus
   they take that many, so that two directories of one machine can differ. In a directory
   read-NUMBERus, pread and preadv take at least as many, whether or not the page cache has
   what is read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* named is the number in a part of the path of a file, such as /flush-NUMBERus; otherwise without. */
static long long named(int fd, const char *part, long long otherwise) {
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	const char *name = strstr(path, part);
	return name ? atoll(name + strlen(part)) : otherwise;
}

static struct timespec in(long long us) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	long long ns = t.tv_nsec + us * 1000LL;
	t.tv_sec += ns / 1000000000LL;
	t.tv_nsec = ns % 1000000000LL;
	return t;
}

static void sleep_until(struct timespec t) {
	int saved = errno;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	errno = saved;
}

static int slow(const char *name, int fd) {
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	const char *text = getenv("SLOWFLUSH_US");
	struct timespec until = in(named(fd, "/flush-", text ? atoll(text) : 0));
	int result = real(fd);
	sleep_until(until);
	return result;
}

int fdatasync(int fd) { return slow("fdatasync", fd); }
int fsync(int fd) { return slow("fsync", fd); }

/* The C library has each of them under two names. */
#define SLOW_READ(name, type, count)                                         \
	ssize_t name(int fd, type what, count n, off_t at) {                     \
		ssize_t (*real)(int, type, count, off_t) = dlsym(RTLD_NEXT, #name);  \
		long long us = named(fd, "/read-", 0);                               \
		if (us == 0)                                                         \
			return real(fd, what, n, at);                                    \
		struct timespec until = in(us);                                      \
		ssize_t result = real(fd, what, n, at);                              \
		sleep_until(until);                                                  \
		return result;                                                       \
	}

SLOW_READ(pread, void *, size_t)
SLOW_READ(pread64, void *, size_t)
SLOW_READ(preadv, const struct iovec *, int)
SLOW_READ(preadv64, const struct iovec *, int)
