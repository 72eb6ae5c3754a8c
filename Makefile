# Every target sets up what it needs; only Go, git and make have to be there.
export CGO_ENABLED = 0
GO      ?= go
BIN     := bin/pdpp-host
COLLECTOR := bin/pdpp-local-collector
# The connectors of files, those of the network, and those of sites, which drive a browser.
FILES   := calendar_files claude_code codex google_takeout twitter_archive
NETWORK := github jellyfin notion reddit spotify strava ynab
SITES   := reddit_web
PLUGINS := $(FILES) $(NETWORK) $(SITES)
WASM    := $(PLUGINS:%=plugins/%.wasm)
# No path, no commit and no build id: the same source makes the same module everywhere.
GUEST_FLAGS  := -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w -buildid='
export TINYGO_FLAGS := -target=wasip1 -buildmode=c-shared -scheduler=none -gc=conservative -opt=2 -no-debug
# TinyGo 0.41 is the first that takes the Go that go.mod asks for.
TINYGO_NEEDS := 0.41
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: run build generate plugins tinygo test check race fuzz bench bench-books sim crash each alike mutate lighthouse clients conformance pictures lint vuln cross clean contract contract-files
.DEFAULT_GOAL := build

## run: build everything, collect the bundled example folder, show the result
run: build plugins
	@sh examples/run.sh

## build: the host and the local collector, one static binary each
build:
	$(GO) build -trimpath -ldflags='-s -w -X main.version=$(VERSION)' -o $(BIN) ./cmd/pdpp-host
	$(GO) build -trimpath -ldflags='-s -w -X main.version=$(VERSION)' -o $(COLLECTOR) ./cmd/pdpp-local-collector

## plugins: the first-party connectors, as plugins/NAME.wasm; with TINYGO=1 by
## TinyGo 0.41 or newer, into smaller modules
plugins: $(WASM)

plugins/%.wasm: FORCE
ifeq ($(TINYGO),1)
	@$(MAKE) --no-print-directory tinygo
	tinygo build $(TINYGO_FLAGS) -o $@ ./plugins/$*
else
	GOOS=wasip1 GOARCH=wasm $(GO) build $(GUEST_FLAGS) -o $@ ./plugins/$*
endif

# Fails unless there is a TinyGo that fits.
tinygo:
	@has=$$(tinygo version 2>/dev/null | cut -d ' ' -f 3); \
	printf '%s\n' $(TINYGO_NEEDS) "$$has" | sort -VC || { \
	  echo "building with TinyGo needs $(TINYGO_NEEDS) or newer on the PATH; there is $${has:-none}" >&2; exit 1; }

## generate: the console's templates, as Go
generate:
	$(GO) generate ./host/console

## test: everything that decides whether a change lands
test:
	@sh .ci/test.sh

## race: the tests once more under the race detector (needs a C compiler)
race:
	@GO='$(GO)' sh .ci/race.sh -timeout 20m ./...

## fuzz: every fuzz target for FUZZTIME each
FUZZTIME ?= 30s
fuzz:
	@sh .ci/fuzz.sh $(FUZZTIME)

## bench: the figures of docs/performance.md, alternating, with an A/A control
bench: build plugins
	$(GO) run ./testplugins/bench $(BENCH)

## bench-books: what the books of a run's files cost, for each file
bench-books:
	$(GO) test ./host/plugin/internal/books -run - -bench Books -benchtime 20x -count 5

## sim: the send governor against simulated providers, in virtual time
sim:
	$(GO) test ./testplugins/sim -run TestTable -count 1 -v -args -table $(SIM) | grep -v "^[=-]"
	$(GO) test ./testplugins/sim -run TestCompare -count 1 -v -args -compare | grep -v "^[=-]"

## crash: kill -9 host or worker at CRASHES random moments of a run, in a file and on
## PostgreSQL, whose sessions and backends die, too; DSN: an empty database, else one is started;
## then a hundred race for each of 1,000 grants that are read once
CRASHES ?= 200
crash: build plugins
	$(GO) test ./testplugins/crash -run TestCrash -count=1 -timeout 60m -v -crashes $(CRASHES) -dsn="$(DSN)"
	$(GO) test ./storage -run TestSQLite/RD-35.2 -count=1 -timeout 60m -v -rounds 1000
	PDPP_TESTS_ON_POSTGRES=1 $(GO) test ./storage -run TestSQLite/RD-35.2 -count=1 -timeout 60m -v -rounds 1000

## each: what the host does for all connectors alike (secrets, redirects, kills, caps, pauses), with each
## connector of the network; make test takes one whose token stays and one whose token is renewed
each:
	$(GO) test ./testplugins/chain -count=1 -timeout 60m -args -each

## alike: the 1,000 random sequences that a file and PostgreSQL answer alike; make test runs 60
alike:
	$(GO) test ./storage -run TestBothDatabasesAreAlike -count=1 -timeout 60m -args -sequences 1000

## mutate: MUTATIONS one-line mutations of the rooms that decide what is durable, gone or shown, by SEED;
## each has to be noticed by the tests of its room, or be listed with the reason
MUTATIONS ?= 100
SEED ?= 1
mutate:
	$(GO) run ./testplugins/mutate -n $(MUTATIONS) -seed $(SEED)

## lighthouse: what Lighthouse gives the console's pages (needs Chromium and npm)
lighthouse:
	$(GO) test ./testplugins/console -run TestLighthouse -count=1 -v -args -lighthouse

## clients: linters of the API's description, and clients that generators make of it (needs npm)
clients:
	$(GO) test ./testplugins/console -run TestClients -count=1 -v -args -conformance

## conformance: the official suite of MCP against a host that serves, linters of its API and clients made of it (needs npm)
conformance:
	$(GO) test ./testplugins/console -run "TestConformance|TestClients" -count=1 -v -args -conformance

## pictures: those of docs/images, of a host with real runs (needs Chromium)
pictures:
	$(GO) test ./testplugins/console -run TestPictures -count=1 -args -pictures

## contract: the ABI contract suite on every plugin in the tree; connectors of the network get
## a simulated provider, those of sites a simulated site and a Chromium, without which they are
## left out, and it says so; with TINYGO=1 on TinyGo's modules
contract: contract-files
	$(GO) test ./testplugins/chain -run TestContractSuite -count=1 -v
	$(GO) test ./testplugins/sites -run 'TestContract|TestReplayUnderTinyGo' -count=1 -v

# What the tests do not run by themselves: the built program on the modules, both of which are there
# with BUILT=1.
contract-files: $(if $(BUILT),,build plugins)
	@for p in $(FILES); do \
	  rm -rf .data/contract/$$p && mkdir -p .data/contract && \
	  $(GO) run ./testplugins/generate -kind $$p -bytes 200KB -seed 1 -out .data/contract/$$p -items .data/contract/$$p.items >/dev/null && \
	  $(BIN) plugin test plugins/$$p.wasm --root $$p=.data/contract/$$p $$(cat .data/contract/$$p.items) --require-records || exit 1; \
	done
	@for m in testplugins/assemblyscript/*.wasm; do $(BIN) plugin test $$m --require-records || exit 1; done

## lint: every linter but the exempted ones, see .golangci.yml
lint:
	@sh .ci/lint.sh

## vuln: known vulnerabilities in what is linked
vuln:
	@sh .ci/vuln.sh

## cross: both compile for the other systems, and so do the tests that only Windows runs
cross:
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/pdpp-host
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/pdpp-host
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/pdpp-local-collector
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/pdpp-local-collector
	GOOS=windows GOARCH=amd64 $(GO) vet ./host/browser/launch

clean:
	rm -rf bin plugins/*.wasm .data

FORCE:
