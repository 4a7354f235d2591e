package bootstrap

import (
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"plaza/adapters/imaging"
)

// limitMemory trades memory for less garbage collection, up to a limit: a server has few
// live objects, but pictures are large. GOGC and GOMEMLIMIT in the environment take
// precedence.
func limitMemory(log *slog.Logger) {
	if os.Getenv("GOGC") == "" {
		adjustCollector()
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		log.Info("memory is limited by GOMEMLIMIT", "MiB", debug.SetMemoryLimit(-1)>>20)
		return
	}
	limit, enough := memoryLimit(memlimit.FromCgroup, imaging.MaxMemory(runtime.GOMAXPROCS(0)))
	debug.SetMemoryLimit(limit)
	if !enough {
		log.Warn("the cgroup has less memory than pictures may take; the system may end this server", "MiB", limit>>20)
		return
	}
	log.Info("memory is limited", "MiB", limit>>20)
}

// memoryLimit returns the limit for a program whose pictures take at most that much: as much
// for everything, because pictures seldom do, and at most nine tenths of the cgroup's limit.
// It reports whether the cgroup has enough.
func memoryLimit(cgroup memlimit.Provider, pictures int64) (limit int64, enough bool) {
	most, err := cgroup()
	if err != nil || most/10*9 >= uint64(pictures) { // an error means that there is no limit to read
		return pictures, true
	}
	return int64(most / 10 * 9), false
}

// adjustCollector sets how much is allocated until the next garbage collection, and again
// after each one. A percentage alone would allow five times the memory of the passwords and
// pictures that happen to be in progress during a collection. The default of 100 % took a quarter more memory in the mix on
// Postgres (127 MiB in place of 99) and a tenth more on SQLite, for the same delays.
func adjustCollector() {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/total:bytes"}}
	metrics.Read(heap)
	debug.SetGCPercent(collectorPercent(heap[0].Value.Uint64(), heap[1].Value.Uint64()))
	// Go runs a finalizer as soon as it finds the mark unreachable, and a cleanup only when it has freed everything else: until
	// then, a busy server fills what the old percentage allows.
	type mark struct{ _ *mark } // has a pointer: objects without one may be collected much later
	runtime.SetFinalizer(new(mark), func(*mark) { adjustCollector() })
}

// collectorPercent returns how much of the live bytes may be allocated until the next collection, in percent: so much that
// the heap reaches heapBytes, whether passwords (19 MiB each) and pictures are in progress or not. A heap whose size
// changes gives memory back to the system and takes it again, one page fault after the other, which delays other requests. It
// may always grow by what a collection scans, which passwords and pictures are not, or by an eighth of what is live: open streams are
// scanned each time, and a thousand of them left so little room that the mix's p99 was half as long again.
func collectorPercent(live, scanned uint64) int {
	const heapBytes, most = 44 << 20, 400
	room := max(heapBytes-min(live, heapBytes), scanned, live/8)
	return int(min(room*100/max(live, 1), most))
}
