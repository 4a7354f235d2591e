// Package contract shows every row of Plaza's contract over HTTP, on a real server, from the outside. The rows' numbers stand in the tests'
// names; every response, the refused ones too, is held against the OpenAPI document. A row says which stores it needs: most run on SQLite
// alone, the others without -short also on Postgres, which several servers share in the end. PLAZA_TEST_STORES=SQLite narrows the stores.
package contract

import (
	"slices"
	"testing"
)

// rowOf is one black-box test: its name starts with the number of the row that it shows, and it has a server of its own.
type rowOf[S any] struct {
	name  string
	show  func(t *testing.T, s S)
	needs needs
}

type row = rowOf[*server]

type needs int

const (
	// oneStore: what is tested is decided before or after the store.
	oneStore needs = iota
	// everyStore: what is tested depends on the store.
	everyStore
	// everyServer: it depends on the store, and on the servers that share it.
	everyServer
)

// runs reports whether the store runs a test with these needs.
func (on store) runs(n needs) bool {
	switch {
	case on.name == "SQLite":
		return true
	case n == oneStore:
		return false
	case on.servers > 1:
		return n == everyServer
	}
	return true
}

// rows are those that a server shows without a wallet.
var rows = slices.Concat(
	conventionRows, appLimitRows, loginRows, peopleRows, textSearchRows, goldenRows, eventRows, eventListRows, selectingRows,
	activityRows, streamRows, moderationRows, hiddenRows, caseRows, subscriptionRows, feedRows, publicationRows, imageRows,
	importingRows, paymentRows, pictureRows, backOfficeRows, staffPeopleRows, oracleRows, formRows, keyRows, codeRows, joiningRows,
	profileRows, lineRows, leavingRows, staffPageRows, staffJobRows, staffListRows, durableRows,
)

func TestContract(t *testing.T) { showAll(t, rows, store.start) }

// showAll shows the rows on every store, each on what start starts there.
func showAll[S any](t *testing.T, rows []rowOf[S], start func(on store, t *testing.T) S) {
	onEach(t, everyServer, func(t *testing.T, on store) {
		for _, r := range rows {
			if !on.runs(r.needs) {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				r.show(t, start(on, t))
			})
		}
	})
}
