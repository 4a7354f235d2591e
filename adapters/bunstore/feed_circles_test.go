package bunstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

// lakeside is an area.
var lakeside = feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5})

// located returns a visible demand beside the lake.
func (s *servers) located(id demand.ID, r *rand.Rand) demand.Demand {
	at := noon.Add(time.Duration(r.IntN(1000)) * time.Minute)
	return demand.Demand{
		ID: id, Title: "One", Author: s.author, Category: feed.CategoryID(r.IntN(3)), Published: true,
		Place:  &geo.Point{Lat: 30.5 + 0.05*(2*r.Float64()-1), Lng: 120.5 + 0.06*(2*r.Float64()-1)},
		Closed: noon, Start: noon, End: noon, Created: at, Updated: at.Add(time.Duration(r.IntN(1000)) * time.Second),
	}
}

// altered returns the demand with a change that moves it, hides it, or changes how it counts.
func altered(d demand.Demand, r *rand.Rand) demand.Demand {
	switch r.IntN(6) {
	case 0:
		d.Place = &geo.Point{Lat: d.Place.Lat + 0.02*(r.Float64()-0.5), Lng: d.Place.Lng + 0.02*(r.Float64()-0.5)}
	case 1:
		d.Category = (d.Category + 1) % 3
	case 2:
		d.Deleted = !d.Deleted
	case 3:
		d.Created = d.Created.Add(-time.Hour)
	case 4:
		d.Updated = d.Updated.Add(-time.Hour)
	case 5:
		d.Published = !d.Published
	}
	return d
}

func importDemands(t *testing.T, s *bunstore.Store, all ...demand.Demand) {
	t.Helper()
	records := make([]any, len(all))
	for i, d := range all {
		records[i] = d
	}
	require.NoError(t, imports(t.Context(), s, records...))
}

func TestFED05_counts_within_a_circle_are_exact_after_any_change(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		s, r := bothServers(t, url), rand.New(rand.NewPCG(3, 4))
		all := make([]demand.Demand, 600)
		for i := range all {
			all[i] = s.located(demand.ID(i+1), r)
		}
		importDemands(t, s.writer, all...)
		for turn := range 30 {
			for range 1 + r.IntN(20) {
				i := r.IntN(len(all))
				all[i] = altered(all[i], r)
				importDemands(t, s.writer, all[i])
			}
			s.agreeOn(t, fmt.Sprint("changes of turn ", turn), []feed.Selection{lakeside})
		}
		for i := range all {
			all[i].Deleted = true
		}
		importDemands(t, s.writer, all...)
		require.Empty(t, metasOf(t, s.reader, lakeside).Metas)
	})
}

// counted are the selections of which trees are read while others write: from listings, and from counters.
var counted = []feed.Selection{lakeside, {Kinds: []feed.Kind{feed.Demand}}}

func TestFED05_counts_are_exact_while_demands_are_imported(t *testing.T) {
	const demands = 60
	bunstore.OnEach(t, func(t *testing.T, url string) {
		s := bothServers(t, url)
		var begun, done atomic.Int64
		var over atomic.Bool
		var writing, beside sync.WaitGroup
		for n, server := range []*bunstore.Store{s.reader, s.writer} {
			r := rand.New(rand.NewPCG(7, uint64(n)))
			writing.Go(func() {
				for id := 1 + n; id <= demands; id += 2 {
					d := s.located(demand.ID(id), r)
					d.Place = &geo.Point{Lat: 30.5 + 0.02*r.Float64(), Lng: 120.5 + 0.02*r.Float64()}
					begun.Add(1)
					assert.NoError(t, imports(t.Context(), server, d))
					done.Add(1)
				}
			})
			beside.Go(func() {
				for turn := 0; !over.Load(); turn++ {
					if !assert.NoError(t, assertBetween(t.Context(), server, counted[turn%len(counted)], &done, &begun)) {
						return
					}
				}
			})
		}
		writing.Wait()
		over.Store(true)
		beside.Wait()
		s.agreeOn(t, "all are done", counted)
		require.Empty(t, checked(t, s.writer, false))
		require.Equal(t, int64(demands), done.Load())
	})
}

// assertBetween returns an error unless the tree has everything finished before, and nothing
// that begins afterwards.
func assertBetween(ctx context.Context, s *bunstore.Store, sel feed.Selection, done, begun *atomic.Int64) error {
	atLeast := int(done.Load())
	_, metas, err := s.Feed().Metas(ctx, sel)
	atMost, sum := int(begun.Load()), 0
	for _, meta := range metas {
		sum += meta.Count
	}
	if err == nil && (sum < atLeast || sum > atMost) {
		err = fmt.Errorf("%d are shown; there are %d to %d", sum, atLeast, atMost)
	}
	return err
}
