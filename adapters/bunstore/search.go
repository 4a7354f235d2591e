package bunstore

import (
	"context"

	"plaza/adapters/bunstore/diary"
)

// Search implements search.Index.
type Search struct {
	diary.Search
	store *Store
}

func (s *Store) Search() Search { return Search{diary.Search{DB: s.DB}, s} }

// Fill goes through what has no entry, batch by batch, so that a server that is stopped goes on with the rest.
func (v Search) Fill(ctx context.Context) error {
	return check{DB: v.store.Within(checkLimit), repair: true, unfoundOnly: true, found: func(Finding) {}}.listings(ctx)
}
