#!/bin/sh
# Usage: test/run.sh short
#        test/run.sh rest FILE
#
# Runs the fast tests, or the tests that they have skipped by what the first wrote to FILE, and prints what `go test -json`
# says of them. With the rest the race detector watches the tests of the packages in RACE: others take minutes to build for it.
set -u

failed=0
# Files of tests are synced all the time, and no test cuts the power: memory is faster than a disk, and
# other programs do not make it wait.
if [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 8000000 ] 2>/dev/null && ! mount | grep -q '/dev/shm.*noexec'; then
	export GOTMPDIR="${TMPDIR:-/tmp}" TMPDIR=/dev/shm
fi
# One package more than there are processors: some wait for their servers. Without DWARF programs link in three quarters of the time.
run() {
	"${GO:-go}" test -tags nomsgpack,nodynamic -trimpath -vet=off -ldflags=-w -json -p $(($(getconf _NPROCESSORS_ONLN) + 1)) "$@" || failed=1
}

case $1 in
short) run -short ./test/contract ./adapters/bunstore ./test/e2e ./... ;; # the longest first
rest)
	names=$(test/left-out.sh -names "$2")
	packages=$(echo "$names" | cut -d' ' -f1 | sort -u)
	# ^TestContract$/^Postgres$|^TestFuzz$, with .+ for what regular expressions or JSON write otherwise
	pattern=$(echo "$names" | cut -d' ' -f2 | sed -E 's,(\\u....|[^[:alnum:]_/])+,.+,g; s,/,$/^,g; s,.*,^&$,' | sort -u | paste -sd'|' -)
	[ -z "$names" ] || run -timeout 15m -run "$pattern" $packages
	CGO_ENABLED=1 run -race -short $RACE
	;;
esac
exit $failed
