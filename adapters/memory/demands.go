package memory

import (
	"context"
	"fmt"
	"slices"

	"plaza/domain/demand"
)

// Demands is the store as demand.Repository.
type Demands struct{ s *Store }

// Demands returns the store's demands.
func (s *Store) Demands() Demands { return Demands{s} }

var _ demand.Repository = Demands{}

func (v Demands) Put(ctx context.Context, d demand.Demand) error {
	done, err := v.s.write(ctx)
	if err != nil {
		return err
	}
	defer done()
	if d.ID <= 0 {
		return fmt.Errorf("invalid demand id %d", d.ID)
	}
	if err := v.s.checkUser(d.Author); err != nil {
		return err
	}
	if err := v.s.checkCategory(d.Category); err != nil {
		return err
	}
	v.s.demands[d.ID] = copyDemand(d)
	v.s.list(itemOfDemand(d.ID), d)
	return nil
}

func copyDemand(d demand.Demand) demand.Demand {
	d.Tags = slices.Clone(d.Tags)
	d.Images = slices.Clone(d.Images)
	d.Cover = copyPicture(d.Cover)
	d.Place = copyOf(d.Place)
	return d
}
