package memory

import (
	"context"
	"fmt"

	"plaza/domain/feed"
)

// Categories is the store as feed.Categories.
type Categories struct{ s *Store }

// Categories returns the store's tree of categories.
func (s *Store) Categories() Categories { return Categories{s} }

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	return read(ctx, v.s, func() (map[feed.CategoryID]feed.Category, error) {
		found := map[feed.CategoryID]feed.Category{}
		for _, c := range v.s.categories.among(ids) {
			found[c.ID] = c
		}
		return found, nil
	})
}

// checkCategory returns an error if the id is not zero and the category does not exist.
func (s *Store) checkCategory(id feed.CategoryID) error {
	if _, exists := s.categories[id]; !exists && id != 0 {
		return fmt.Errorf("reference to unknown category %d", id)
	}
	return nil
}
