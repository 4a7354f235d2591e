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

// AtCursor returns the place of the how-to in its list: the newest first, ties by category and robot (GEN-18).
func (h HowTo) AtCursor() page.Cursor {
	return page.Cursor{Rank: h.Created.UnixMicro(), Word: h.Category, ID: -int64(h.Robot)}
}

// HowTos lists imported how-tos. Every implementation passes test/ports.HowTos.
type HowTos interface {
	// List returns a page of the how-tos that the query selects, the newest first or in the order of its span, ties by
	// category, byte by byte, and robot.
	List(ctx context.Context, q HowToQuery, p page.Request) (page.Page[HowTo], error)
}

// HowToQuery selects how-tos.
type HowToQuery struct {
	Categories []string // empty: all
	page.Span           // of their creation
}
