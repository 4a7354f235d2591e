// Package contract shows every row of Plaza's contract over HTTP, on a real
// server, from the outside. The rows' numbers stand in the tests' names; every
// response, the refused ones too, is held against the OpenAPI document. A row says
// which stores it needs; without -short nearly all of them run on each of the stores,
// the last of which several servers share. PLAZA_TEST_STORES=memory,SQLite narrows
// the stores.
package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// row is one black-box test: its name starts with the number of the row that it
// shows, and it has a server of its own.
type row struct {
	name  string
	show  func(t *testing.T, s *server)
	needs needs
}

// needs is which stores a test needs.
type needs int

const (
	// anyStore: what is tested is decided before or after the store.
	anyStore needs = iota
	// everyStore: what is tested depends on the store.
	everyStore
	// everyServer: it depends on the store, and on the servers that share it.
	everyServer
	// oneDatabase: it is long; one database is enough to show that databases carry as
	// much.
	oneDatabase
	// memoryOnly: no store is tested.
	memoryOnly
)

// runs reports whether the store runs a test with these needs.
func (on store) runs(n needs, short bool) bool {
	switch {
	case n == memoryOnly:
		return on.name == "memory"
	case n == oneDatabase:
		return on.name == "memory" || on.name == "Postgres" && !short
	case on.name == "replica":
		return !short && (n == everyStore || n == everyServer)
	case on.servers > 1 && n == everyStore:
		return false // the two servers with a replica show it
	case !short:
		return true
	case on.servers > 1:
		return n == everyServer
	case on.name == "Postgres":
		return n == everyStore || n == everyServer
	}
	return true
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needs       needs
		short, long string
	}{
		{anyStore, "memory SQLite", "memory SQLite Postgres two_servers"},
		{everyStore, "memory SQLite Postgres", "memory SQLite Postgres replica"},
		{everyServer, "memory SQLite Postgres two_servers", "memory SQLite Postgres two_servers replica"},
		{oneDatabase, "memory", "memory Postgres"},
		{memoryOnly, "memory", "memory"},
	} {
		for _, on := range stores {
			assert.Equal(t, slices.Contains(strings.Fields(c.short), on.name), on.runs(c.needs, true), "%s, short: %d", on.name, c.needs)
			assert.Equal(t, slices.Contains(strings.Fields(c.long), on.name), on.runs(c.needs, false), "%s: %d", on.name, c.needs)
		}
	}
}

// rows are those of the contract that the store can show.
func (on store) rows() []row {
	all := slices.Concat(
		conventionRows, loginRows, peopleRows, erasedRows, goldenRows, eventRows, eventListRows, eventTextRows,
		activityRows, subscriptionRows, feedRows, feedWideRows, publicationRows, failingRows, cacheRows, realRows, imageRows, plateRows, importedRows, importingRows, paymentRows, pictureRows, backOfficeRows, usualPlaceRows, sessionRows,
		addressLimitRows, oracleRows, assignedRows, borderRows, formRows, spoofRows, polyglotRows, keyRows,
	)
	if on.isDurable {
		all = append(all, durableRows...)
	}
	if on.servers > 1 {
		all = append(all, sharingRows...)
	}
	return all
}

func TestContract(t *testing.T) {
	onEach(t, everyServer, func(t *testing.T, on store) {
		for _, r := range on.rows() {
			if !on.runs(r.needs, testing.Short()) {
				continue
			}
			t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				r.show(t, on.start(t))
			})
		}
	})
}
