// Package contract shows every row of Plaza's contract over HTTP, on a real
// server, from the outside. The rows' numbers stand in the tests' names; every
// response, the refused ones too, is held against the OpenAPI document.
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

func rows() []row {
	return slices.Concat(
		conventionRows, loginRows, peopleRows, goldenRows, eventRows, eventListRows, eventTextRows,
		activityRows, subscriptionRows, feedRows, publicationRows, failingRows, imageRows, plateRows, importedRows, paymentRows,
	)
}

func TestContract(t *testing.T) {
	onEach(t, func(t *testing.T, on store) {
		for _, r := range rows() {
			t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				r.show(t, on.start(t))
			})
		}
	})
}
