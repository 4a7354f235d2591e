#!/bin/sh
# Usage: test/soak.sh [PART...]
#
# Runs parts of `make soak`, all of them without an argument; each takes at most twenty minutes.
# They repeat what fails seldom, and need servers, browsers and tools that this script installs. The
# tests have the build tag soak.
set -u
cd "$(dirname "$0")/.."

# tool prints the path of an installed program.
tool() { test/tools.sh "$1" install; }

# run runs the tests of the packages with the tag; a skip fails.
run() {
	results=bin/soak.json
	"${GO:-go}" tool gotestsum --format pkgname --format-hide-empty-pkg --hide-summary=skipped --jsonfile $results --raw-command -- \
		"${GO:-go}" test -tags nomsgpack,nodynamic,soak -trimpath -vet=off -json -count=1 -timeout 40m "$@" || return 1
	test/left-out.sh $results
}

PG_BIN=$(tool postgres) PLAZA_TEST_PROGRAM=$PWD/bin/plaza CI=true CGO_ENABLED=0
export PG_BIN PLAZA_TEST_PROGRAM CI CGO_ENABLED

# Kills of the server, of imports and uploads, and at every step of payments, refunds and bills.
kills() { run -run 'Kill|kill|PAY' ./test/e2e; }

# Stores behind a pooler.
pooler() { run -run 'without_cached' ./adapters/bunstore; }

# Failovers of a cluster under load, and the rows of the contract on it.
cluster() {
	PLAZA_TEST_ETCD=$(tool etcd) PLAZA_TEST_PATRONI=$(tool patroni) PLAZA_TEST_PGBOUNCER=$(tool pgbouncer) \
		PLAZA_TEST_HAPROXY=$(tool haproxy) PLAZA_TEST_NGINX=$(tool nginx) PLAZA_TEST_S3=$(tool s3) run -run 'Cluster|Replicas|bucket' ./test/e2e ./test/contract
}

# The files of bootstrap/deploy with nginx, Prometheus and systemd, and the archives of a release.
deploy() {
	PLAZA_TEST_NGINX=$(tool nginx) PLAZA_TEST_PROMETHEUS=$(tool prometheus) PLAZA_TEST_SYSTEMD=$(tool systemd) PLAZA_TEST_CHROMIUM=$(tool chromium) \
		run -run 'Nginx|Prometheus|Systemd|Release' ./test/e2e
}

# Pages in Chromium, the TypeScript client, clients of five generators, and linters of the OpenAPI document.
clients() {
	PLAZA_TEST_CHROMIUM=$(tool chromium) PLAZA_TEST_AXE=$(tool axe) PLAZA_TEST_TYPESCRIPT=$(tool typescript) PLAZA_TEST_GENERATORS=$(tool generators)
	PLAZA_TEST_REDOCLY=$(tool redocly) PLAZA_TEST_SPECTRAL=$(tool spectral)
	export PLAZA_TEST_CHROMIUM PLAZA_TEST_AXE PLAZA_TEST_TYPESCRIPT PLAZA_TEST_GENERATORS PLAZA_TEST_REDOCLY PLAZA_TEST_SPECTRAL
	run ./test/browser ./adapters/httpapi/openapi && run -run 'Chromium|Node|TypeScript|Go_clients|Tour_of' ./test/e2e
}

# A real store of pictures and a real translator.
peers() {
	PLAZA_TEST_S3=$(tool s3) PLAZA_TEST_APERTIUM=$(tool apertium) run ./adapters/mediastore/s3 ./adapters/translator/apertium
}

# The memory of the program, a dozen large pictures at once, and what two hundred people do at once.
memory() { run -run 'memory|Memory|twenty_of_the_largest|dozen_large|Ordinary_use' ./test/e2e ./adapters/imaging; }

# The fast tests under the race detector, but for programs that tests start.
race() {
	CGO_ENABLED=1 "${GO:-go}" tool gotestsum --format pkgname --format-hide-empty-pkg --hide-summary=skipped --raw-command -- \
		"${GO:-go}" test -tags nomsgpack,nodynamic -trimpath -vet=off -json -count=1 -timeout 40m -race -short -p 3 \
		$("${GO:-go}" list -tags nomsgpack,nodynamic ./... | grep -vE '/test/(e2e|bench|cluster|browser)$')
}

# Requests made from the OpenAPI document, a thousand to each operation, different ones in each run.
requests() { PLAZA_TEST_REQUESTS=1000 PLAZA_TEST_SEED=$(date +%s) run -run '^TestFuzz$' ./test/contract; }

# Each fuzz target for FUZZ.
fuzz() {
	grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' . | sed -E 's|/[^/]*:[0-9]+:func | |' |
		while read -r package target; do
			"${GO:-go}" test -tags nomsgpack,nodynamic -trimpath -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZ:-10s}" \
				-fuzzminimizetime 100x "$package" || exit 1
		done
}

# Whether the bench's floor and Django answer as Plaza does.
bench() {
	PLAZA_TEST_DJANGO=$(tool django) run ./test/bench
}

# Rules that are broken on purpose.
mutations() { "${GO:-go}" run -tags nomsgpack,nodynamic -trimpath ./test/mutations; }

# Vet for the other systems of a release.
platforms() { make platforms; }

[ $# -gt 0 ] || set -- kills pooler cluster deploy clients peers memory race requests fuzz bench mutations platforms
for part; do
	begun=$(date +%s)
	"$part" || { echo "soak: $part failed" >&2; exit 1; }
	echo "soak: $part passed in $(($(date +%s) - begun)) seconds"
done
