package bunstore

import (
	"context"

	"plaza/adapters/bunstore/diary"
)

// Search implements search.Index.
type Search struct{ diary.Search }

// Fill goes through what has no entry, batch by batch, so that a server that is stopped goes on with the rest.
func (v Search) Fill(ctx context.Context) error {
	return check{DB: v.DB.Within(checkLimit), repair: true, unfoundOnly: true, found: func(Finding) {}}.listings(ctx)
}
