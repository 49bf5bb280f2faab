# One command each, the same at home and in CI.
#
#   make test         everything with the race detector, some of it through the real adb server and adbd
#   make check        gofmt, go vet and staticcheck, then make test
#   make setup        fetch adb, adbd, mksh and toybox for the tests below .cache (make test does it too)
#   make generate     what is made from code
#   make fuzz         each fuzz target for FUZZTIME
#   make bench        the benchmarks, BENCHCOUNT times each
#   make build        bin/taploop
#   make clients      the official TypeScript clients and the inspector against the built binary (needs npm)
#   make conformance  the official MCP conformance suite, ten times in a row (needs npm)
#   make demo         the simulated phone, a scripted model and a task
#
# TAPLOOP_RIG=off leaves the tests out that need the real server and daemon; make test RACE= does without a C compiler.
# PACKAGES=./tools makes test and bench do with that package.

GO = go
RACE = -race
TESTFLAGS = -timeout 30m
PACKAGES = ./...
FUZZTIME = 30s
BENCHCOUNT = 1
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
REPORT = $(CURDIR)/.cache/rig-report

.PHONY: test check setup generate fuzz bench build clients conformance demo fmt vet staticcheck
.SILENT:

# -p 1: the tests of cmd/taploop and device run real servers in real time, and want the machine for themselves.
# -count=1: a cached result would say nothing of what ran against the real server and daemon on this machine.
test:
	mkdir -p .cache && rm -f $(REPORT)
	if [ "$$TAPLOOP_RIG" != off ]; then scripts/setup || echo "going on: the tests that need it fail and are listed below"; fi
	browser=$$(scripts/browser); TAPLOOP_BROWSER=$$browser TAPLOOP_RIG_REPORT=$(REPORT) $(GO) test -p 1 $(RACE) -count=1 $(TESTFLAGS) $(PACKAGES); \
		status=$$?; scripts/rig-report $(REPORT); exit $$status

check: fmt vet staticcheck test

setup:
	scripts/setup

fmt:
	files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "run gofmt -w on:" $$files; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(STATICCHECK) ./...

generate:
	$(GO) generate ./...

fuzz:
	GO="$(GO)" scripts/fuzz $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) $(PACKAGES)

build:
	$(GO) build -o bin/taploop ./cmd/taploop

clients:
	GO="$(GO)" scripts/ts-clients

conformance:
	GO="$(GO)" scripts/conformance

demo:
	$(GO) run ./cmd/taploop demo
