/* fdatasync and fsync that take at least $SLOWFLUSH_US microseconds, for LD_PRELOAD: what is
   flushed is flushed, and then the rest of the time is slept. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int slow(const char *name, int fd) {
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	const char *text = getenv("SLOWFLUSH_US");
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	long long ns = until.tv_nsec + (text ? atoll(text) : 0) * 1000LL;
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
