#!/bin/sh
# Usage: test/run.sh short|all
#
# Runs the tests of `make test` or of `make test-all`, and prints what `go test -json` says of them.
# The race detector watches all tests of the packages in RACE, and of others those in which goroutines meet;
# it does so in `make test-all` alone, as it compiles everything once more.
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

meet='at_?once|At_?once|LostRaces|deadlock|kept|turns|its_slot|whoever_writes|Jobs|while_four_write'
meet="$meet|TestPorts/.*/.*/at.once|TestContract/memory/at_once|TestContract_with_a_wallet/memory/at_once|TestGEN_14_limits/memory/at_once"

case $1 in
short) run -short ./... ;;
all)
	run -timeout 15m ./...
	CGO_ENABLED=1 run -race -short $RACE
	CGO_ENABLED=1 run -timeout 15m -race -run "$meet" ./adapters/httpapi ./adapters/bunstore ./bootstrap ./bootstrap/command ./test/contract
	;;
esac
exit $failed
