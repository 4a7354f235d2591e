package bootstrap

import (
	"context"
	"iter"

	"plaza/adapters/bunstore"
	"plaza/application/places"
)

// CheckPlaces checks the places of events in the database with the same analyser as the servers.
func CheckPlaces(ctx context.Context, database *bunstore.Store, repair bool) iter.Seq2[places.Misplaced, error] {
	return initialisePlaces(database.Events(), database.Events()).Check(ctx, repair)
}
