# The commands of this repository; "make" alone lists them.

GO        ?= go
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The digest (sha256:…) of the published image of a release, for programs that are built after it.
IMAGE_DIGEST ?=
# Where make bench measures: a directory on the disk that you want to know about.
BENCH_DIR ?= .
# Longer than the longest package; the lab's lock makes packages wait for each other.
TIMEOUT   ?= 60m

.DEFAULT_GOAL := help
# Where make image pushes to, as registry.example/loadline; empty pushes nothing.
PUSH ?=

.PHONY: help deps fio build image web bench test e2e leftovers lint perf perf-simulated perf-devices perf-rules perf-cluster clean

help:
	@echo "make bench   install fio if it is missing, build, and measure BENCH_DIR (now: $(BENCH_DIR))"
	@echo "make test    install what the tests need, vet, and run every test that needs no cluster"
	@echo "make e2e     start a Kubernetes of three nodes here, run the tests on it, take it down"
	@echo "make leftovers   clean up after killed tests: mounts, loop devices, a cluster"
	@echo "make build   bin/loadline, bin/loadline-agent for an image, manual pages in bin/man"
	@echo "make image   bin/image/*.tar, the container image for amd64 and arm64; PUSH=REPOSITORY pushes both under one name"
	@echo "make web     build the report page from web/ (Node 18 or newer); its result is committed"
	@echo "make lint    gofmt, vet, staticcheck, the import rules (.depguard.yml), the outside world (scripts/outside)"
	@echo "make perf    benchmarks that print tables; they take two hours"
	@echo "make deps    install fio, the lab's devices, a browser (Debian, Ubuntu; elsewhere: say what to install)"
	@echo "make clean   remove what make has built"

build:
	$(GO) build -ldflags "-X github.com/loadline/loadline/internal/measure/worker.Version=$(VERSION) -X github.com/loadline/loadline/internal/measure/session.imageDigest=$(IMAGE_DIGEST)" -o bin/ ./cmd/loadline ./cmd/loadline-agent
	bin/loadline licenses >bin/NOTICES.txt
	$(GO) run ./deploy/man bin/man

image:
	@scripts/deps image
	$(GO) run ./deploy/image -version "$(VERSION)" -every bin/image $(if $(PUSH),-push "$(PUSH)")

web:
	@scripts/deps npm
	cd web && npm run --silent build

fio:
	@scripts/deps fio

deps:
	@scripts/deps all
	@scripts/deps npm

# Code 5 is a measurement of which a number is invalid: the table says which and why.
bench: fio build
	bin/loadline run --profile quick --yes $(BENCH_DIR) || [ $$? -eq 5 ]
	@echo "to run the commands above as printed: install bin/loadline bin/loadline-agent /usr/local/bin"

# First what does not measure but starts programs and takes the lab's lock, three packages at a time. Then what measures,
# one package after the other; it waits for devices and servers half of the time, which is given to the tests that only compute
# and draw. Those run when nothing else wants to (SCHED_IDLE): at the lowest niceness instead, a device of 5 ms took 9.
# At the end comes test/truth alone, which asserts that no other work is seen on the machine.
MEASURING = ./internal/measure/load/fio ./internal/measure/load/open ./internal/measure/load/etcd ./internal/measure/load/postgres ./internal/foreign/imported ./test/lab
TRUTH     = ./test/truth
IDLE      = $(shell chrt --idle 0 true 2>/dev/null && echo chrt --idle 0 || echo nice -n 19)
COMPUTING = ./test/browser ./test/perf ./internal/judge/trust ./test/conventions
# The longest of the others begin first, so that no processor waits for them at the end.
LONGEST   = ./internal/cli ./test/harm ./deploy/image ./internal/measure/place/ssh

# The vet of every package comes first, so that the smaller one of go test is left out, and so is what a debugger needs:
# without both, the programs of a hundred packages are built in half the time.
TESTS     = $(GO) test -vet=off -ldflags=-w -timeout $(TIMEOUT)

test: deps
	$(GO) vet ./...
	first=$$($(GO) list $(MEASURING) $(TRUTH) $(COMPUTING) $(LONGEST)) && others=$$($(GO) list ./... | grep -vxF "$$first") && $(TESTS) -p 3 $(LONGEST) $$others
	$(IDLE) $(TESTS) -p 2 $(COMPUTING) & \
	$(TESTS) -p 1 $(MEASURING) && failed=0 || failed=1; wait $$! && exit $$failed
	$(TESTS) $(TRUTH)

# The cluster is a module of its own: it builds Kubernetes, which takes minutes the
# first time. First come the tests that an API server alone is enough for, which starts
# in seconds. -v shows why the others are skipped where the cluster cannot run.
e2e:
	@scripts/deps cluster
	programs=$$(cd test/cluster && $(GO) run ./cmd/cluster build) && LOADLINE_KUBERNETES=$$programs $(GO) test -count=1 -v -run TestRealServer ./internal/cluster/kube
	cd test/cluster && $(GO) test -count=1 -v -timeout 60m ./e2e || { $(GO) run ./cmd/cluster down; false; }

# Where a container ends, everything ends at once, and the mounts and loop devices of the tests' devices
# stay without the servers behind them. mkfs.btrfs, which looks at every mount of the machine, is the first to fail.
leftovers:
	failed=0; $(GO) run ./test/lab/cmd/leftovers || failed=1; \
	cd test/cluster && $(GO) run ./cmd/cluster leftovers || failed=1; exit $$failed

lint:
	@unformatted=$$(gofmt -l cmd deploy internal test) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "gofmt -w is needed for:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	cd test/lab/longhorn && $(GO) vet ./...
	cd test/cluster && $(GO) vet . ./e2e
	$(GO) tool staticcheck ./...
	$(GO) tool depguard ./...
	scripts/outside

# In this order: the simulations, which are arithmetic and need no quiet machine; then what measures and is
# timed, while nothing else may run; then how often the rules find their faults, and the cluster.
SIMULATED = ^Benchmark(FalseAlarms|Coverage|CoverageEngine|Detection|EqualSides|Power|Goals|Intervals|Tails)$$

# The parts take two hours together, so that one that fails keeps no other from running.
perf:
	$(MAKE) -k perf-simulated perf-devices perf-rules perf-cluster

perf-simulated:
	$(GO) test -run '^$$' -bench '$(SIMULATED)' -benchtime 1x -timeout 60m ./test/perf

perf-devices: deps
	$(GO) test -run '^$$' -bench . -skip '$(SIMULATED)' -benchtime 1x -timeout 60m ./test/perf

perf-rules: deps
	$(GO) test -c -o bin/truth.test ./test/truth
	cd test/truth && ../../bin/truth.test -test.run '^TestRules' -test.timeout 90m -rounds 10

perf-cluster:
	@scripts/deps cluster
	cd test/cluster && $(GO) test -run '^$$' -bench . -benchtime 1x -timeout 30m ./e2e
	@scripts/deps foreign
	LOADLINE_LONG=1 $(GO) test -count=1 -run TestOtherArchitectureRuns ./deploy/image
	cd test/cluster && LOADLINE_LONG=1 $(GO) test -count=1 -v -timeout 30m -run '^(TestLonghorn|TestSideBySide)$$' ./e2e

clean:
	rm -rf bin
