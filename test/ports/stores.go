package ports

import (
	"slices"
	"testing"

	"plaza/application/store"
	"plaza/domain/feed"
	"plaza/domain/quota"
)

// Stores are the store ports of one adapter over the same data: events need
// authors, so no suite gets by with a single port.
type Stores struct {
	store.Ports
	// Within returns the stores over the same data as if they were opened with the quotas.
	Within func(quota.Limits) Stores
	// Listings returns what the feed lists at present, by kind and id.
	Listings func(t *testing.T) []feed.Listing
	// Check fails the test when what the store derives from something else is not what
	// it must be; nil: it derives nothing.
	Check func(t *testing.T)
}

// Open opens stores that are empty and share nothing with others.
type Open func(t *testing.T) Stores

// All is every suite of a store. With -short only those run that are named, if any are.
func All(t *testing.T, open Open, inShort ...string) {
	for _, suite := range []struct {
		port string
		run  func(*testing.T, Open)
	}{
		{"Accounts", Accounts}, {"Search", Search}, {"Tokens", Tokens}, {"Throttle", Throttle}, {"Codes", Codes},
		{"Categories", Categories}, {"Subscriptions", Subscriptions}, {"Blocks", Blocks},
		{"Events", Events}, {"Notifications", Notifications}, {"Moderation", Moderation}, {"News", News},
		{"Feed", Feed}, {"Publications", Publications}, {"HowTos", HowTos}, {"Cache", Cache},
		{"Images", Images}, {"Ledger", Ledger}, {"Keys", Keys}, {"RateLimits", RateLimits}, {"Quotas", Quotas},
		{"Imports", Imports}, {"DeletionQueue", DeletionQueue},
		{"Telemetry", Telemetry},
		{"PersonalData", PersonalData}, {"Cancelled", Cancelled}, {"Audit", Audit},
	} {
		t.Run(suite.port, func(t *testing.T) {
			if testing.Short() && len(inShort) > 0 && !slices.Contains(inShort, suite.port) {
				t.Skip("make test-all runs this")
			}
			suite.run(t, open)
		})
	}
}

// promise is a sentence of a port's comment, and what shows that it is kept.
type promise struct {
	sentence string
	kept     func(w *fixtures)
}

func (open Open) keeps(t *testing.T, promises []promise) {
	for _, p := range promises {
		t.Run(p.sentence, func(t *testing.T) { p.kept(open.fixtures(t)) })
	}
}

func (open Open) fixtures(t *testing.T) *fixtures {
	return &fixtures{T: t, Stores: open(t), open: open}
}
