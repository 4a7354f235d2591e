// Package contract shows every row of Plaza's contract over HTTP, on a real server, from the outside. The rows' numbers stand in the tests'
// names; every response, the refused ones too, is held against the OpenAPI document. A row says which stores it needs: most run on SQLite
// alone, the others without -short also on Postgres, which several servers share in the end. PLAZA_TEST_STORES=SQLite narrows the stores.
package contract

import (
	"slices"
	"strings"
	"testing"
)

// row is one black-box test: its name starts with the number of the row that it shows, and it has a server of its own.
type row struct {
	name  string
	show  func(t *testing.T, s *server)
	needs needs
}

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

// rows are those of the contract that the store can show.
func (on store) rows() []row {
	all := slices.Concat(
		conventionRows, appLimitRows, loginRows, peopleRows, textSearchRows, goldenRows, eventRows, eventListRows, selectingRows,
		activityRows, streamRows, moderationRows, hiddenRows, caseRows, subscriptionRows, feedRows, publicationRows, imageRows,
		importingRows, paymentRows, pictureRows, backOfficeRows, staffPeopleRows, oracleRows, formRows, keyRows, codeRows, joiningRows,
		profileRows, lineRows, leavingRows, staffPageRows, staffJobRows, staffListRows,
	)
	if on.isDurable {
		all = append(all, durableRows...)
	}
	return all
}

func TestContract(t *testing.T) {
	onEach(t, everyServer, func(t *testing.T, on store) {
		for _, r := range on.rows() {
			if !on.runs(r.needs) {
				continue
			}
			t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				r.show(t, on.start(t))
			})
		}
	})
}
