package publication

import (
	"context"
	"time"

	"plaza/domain/page"
	"plaza/domain/user"
)

// HowTo is a list of bundles that the crawler imported for a category under a robot's
// account (ADM-01).
type HowTo struct {
	Category string
	Robot    user.ID
	Bundles  []BundleID
	Created  time.Time
	Updated  time.Time
}

// HowTos stores imported how-tos. Every implementation passes test/ports.HowTos.
type HowTos interface {
	// Put stores the how-to under its category and robot and replaces an existing one.
	Put(ctx context.Context, h HowTo) error
	// List returns a page of the how-tos of the categories, or of all categories if the
	// list is empty: the newest first, ties by category, byte by byte, and robot.
	List(ctx context.Context, categories []string, p page.Request) (page.Page[HowTo], error)
}
