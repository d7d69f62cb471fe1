/* fdatasync and fsync that take at least $SLOWFLUSH_US microseconds, for LD_PRELOAD: what is
   flushed is flushed, and then the rest of the time is slept. In a directory flush-NUMBERus
   they take that many, so that two directories of one machine can differ. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long microseconds(int fd) {
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	const char *name = strstr(path, "/flush-"), *text = getenv("SLOWFLUSH_US");
	if (name)
		text = name + strlen("/flush-");
	return text ? atoll(text) : 0;
}

static int slow(const char *name, int fd) {
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	long long ns = until.tv_nsec + microseconds(fd) * 1000LL;
	until.tv_sec += ns / 1000000000LL;
	until.tv_nsec = ns % 1000000000LL;
	int result = real(fd), saved = errno;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	errno = saved;
	return result;
}

int fdatasync(int fd) { return slow("fdatasync", fd); }
int fsync(int fd) { return slow("fsync", fd); }
