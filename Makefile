# One command each, the same at home and in CI.
#
#   make test         everything with the race detector, some of it through the real adb server and adbd
#   make check        gofmt, go vet and staticcheck, then make test
#   make ports        go vet for the systems that the tests do not run on: Windows and macOS
#   make nightly      the same with all that takes long: many kills, the race detector everywhere, 5 minutes of each fuzz
#                     target, the conformance suite ten times, what is given away for all platforms
#   make setup        fetch adb, adbd, mksh and toybox for the tests below .cache (make test does it too)
#   make generate     what is made from code
#   make fuzz         each fuzz target for FUZZTIME
#   make chaos        machines that share a store while they are killed, stand still and lose each other, for CHAOS
#   make bench        the benchmarks, BENCHCOUNT times each
#   make bench-peers  how soon taploop and mobile-mcp answer, in turn (needs npm)
#   make build        bin/taploop
#   make release      bin/taploop as it is given away: without symbols, and at most MOSTBYTES large
#   make dist         all that is given away, into dist/: archives, SBOMs, deb, rpm, Homebrew, Scoop, npm packages, wheels, bundle
#   make dist-check   makes it twice, compares, and finishes the demo from empty roots by npx, uvx, deb, rpm and archive (minutes)
#   make vulncheck    known vulnerabilities in what taploop calls; passes where their database cannot be reached, and says so
#   make clients      the official TypeScript clients, the inspector, openai's clients and a chat page in a browser against the
#                     built binary, and its proxy in front of servers from npm and PyPI (needs npm)
#   make conformance  the official MCP conformance suite, CONFORMANCE times in a row (needs npm)
#   make demo         the simulated phone, a scripted model and a task
#
# TAPLOOP_RIG=off leaves the tests out that need the real server and daemon; make test RACE= does without a C compiler.
# PACKAGES=./tools makes test and bench do with that package.

GO = go
# The same source gives the same in each folder: what was compiled in one clone is not compiled again in the next.
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath)
# What the race detector leaves out: SQLite is C that was translated to Go, and codecs of pictures and of JSON and the parsers of
# command lines only compute. They become ten times slower with it, and what calls them is watched. In encoding/json nothing is
# inlined, because its caches are shared through sync.Map and sync.Once: compiled into it without the detector, they would be taken
# for races, and a compiled method of sync.Map is that of all. Nor is anything else left out that has a sync.Map.
# internal/archtest holds our own to it. Unsafe pointers, of which ours has none, go unchecked. make nightly leaves out nothing.
CODECS = modernc.org/... image/... compress/... hash/... golang.org/x/image/... github.com/disintegration/... \
	github.com/klauspost/... github.com/dlclark/regexp2/v2 regexp/... github.com/tiktoken-go/... unicode/... \
	github.com/alecthomas/kong mvdan.cc/sh/... github.com/goccy/go-yaml/... encoding/base64 ./internal/screen/pixels
RACE = -race -gcflags=all=-d=checkptr=0 $(CODECS:%=-gcflags=%=-race=false) '-gcflags=encoding/json=-race=false -l'
TESTFLAGS = -timeout 30m
PACKAGES = ./...
FUZZTIME = 30s
BENCHCOUNT = 1
CHAOS = 10m
MOSTBYTES = 36000000
CONFORMANCE = 1
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: test check chaos ports nightly setup generate fuzz bench bench-peers build release dist dist-check vulncheck clients conformance demo fmt vet staticcheck
.SILENT:

test:
	GO="$(GO)" scripts/test $(RACE) $(TESTFLAGS) -- $(PACKAGES)

check: fmt vet staticcheck test

nightly: fmt vet staticcheck
	TAPLOOP_TEST_LONG=1 TAPLOOP_TEST_RACE=1 $(MAKE) test RACE=-race TESTFLAGS='-timeout 2h'
	$(MAKE) fuzz FUZZTIME=5m
	$(MAKE) clients
	$(MAKE) conformance CONFORMANCE=10
	TAPLOOP_TEST_LONG=1 $(MAKE) dist-check

setup:
	scripts/setup

fmt:
	files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "run gofmt -w on:" $$files; exit 1; fi

vet:
	$(GO) vet ./...

ports:
	for os in windows darwin; do echo "go vet for $$os"; GOOS=$$os $(GO) vet ./... || exit 1; done

staticcheck:
	$(STATICCHECK) ./...

generate:
	$(GO) generate ./...

fuzz:
	GO="$(GO)" scripts/fuzz $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) $(PACKAGES)

bench-peers:
	GO="$(GO)" scripts/bench-peers

# Faults of machines that share a store for CHAOS, and the interleavings of leases, a million.
chaos:
	TAPLOOP_TEST_CHAOS=$(CHAOS) $(GO) test -vet=off $(RACE) -timeout 2h -parallel 1 -v -run 'AFarmUnderFaults|WorkersAreReplaced' ./cmd/taploop
	TAPLOOP_TEST_LONG=1 $(GO) test -vet=off $(RACE) -run 'Interleaving|Worker|Writer' ./internal/store

build:
	$(GO) build -v -o bin/taploop ./cmd/taploop

release:
	CGO_ENABLED=0 GOFLAGS="$$(scripts/release-flags)" $(GO) build -ldflags '-s -w -funcalign=1' -o bin/taploop ./cmd/taploop
	bytes=$$(wc -c <bin/taploop); echo "bin/taploop has $$bytes bytes"; \
		if [ $$bytes -gt $(MOSTBYTES) ]; then echo "that is more than $(MOSTBYTES)" >&2; exit 1; fi

dist:
	GO="$(GO)" scripts/dist

dist-check:
	GO="$(GO)" scripts/dist-check

vulncheck:
	GO="$(GO)" scripts/vulncheck

clients:
	GO="$(GO)" scripts/ts-clients

conformance:
	GO="$(GO)" scripts/conformance $(CONFORMANCE)

demo:
	$(GO) run -v ./cmd/taploop demo
