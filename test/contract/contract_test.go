// Package contract shows every row of Plaza's contract over HTTP, on a real
// server, from the outside. The rows' numbers stand in the tests' names; every
// response, the refused ones too, is held against the OpenAPI document. All of it
// runs on each of the stores, the last of which several servers share;
// PLAZA_TEST_STORES=memory,SQLite narrows that while one is working on something.
package contract

import (
	"slices"
	"strings"
	"testing"
)

// row is one black-box test: its name starts with the number of the row that it
// shows, and it has a server of its own.
type row struct {
	name string
	show func(t *testing.T, s *server)
}

// rows are those of the contract that there is something to show of on the store.
func (on store) rows() []row {
	all := slices.Concat(
		conventionRows, loginRows, peopleRows, goldenRows, eventRows, eventListRows, eventTextRows,
		activityRows, subscriptionRows, feedRows, feedWideRows, publicationRows, failingRows, cacheRows, realRows, imageRows, plateRows, importedRows, importingRows, paymentRows, pictureRows,
	)
	if on.isDurable {
		all = append(all, durableRows...)
	}
	if on.servers > 1 {
		all = append(all, sharingRows...)
	}
	return slices.DeleteFunc(all, func(r row) bool {
		stores, isLimited := only[r.name]
		return isLimited && !slices.Contains(stores, on.name)
	})
}

// only are the stores that a row is shown on whose subject is none of them, and that
// takes its time under the race detector.
var only = map[string][]string{
	// The size of a page is made by its form, and by limits that are checked before a
	// store is asked. One is enough to show that a database carries so much.
	"EVT-21 the worst page is bounded": {"memory", "Postgres"},
	// It starts a server of its own, and shows the translator rather than the cache.
	"PUB-04 a page comes back from a real translator": {"memory"},
}

func TestContract(t *testing.T) {
	onEach(t, func(t *testing.T, on store) {
		for _, r := range on.rows() {
			t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				r.show(t, on.start(t))
			})
		}
	})
}
