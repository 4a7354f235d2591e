package bootstrap

import (
	"context"
	"errors"
	"iter"
	"time"

	"plaza/adapters/bunstore"
	"plaza/application/cleanup"
	"plaza/application/places"
	"plaza/bootstrap/settings"
)

// CheckPlaces checks the places of events in the database with the same analyser as the servers.
func CheckPlaces(ctx context.Context, database *bunstore.Store, repair bool) iter.Seq2[places.Misplaced, error] {
	return initialisePlaces(database.Events(), database.Events()).Check(ctx, repair)
}

// CheckPictures checks the files of pictures. It calls found for each finding.
func CheckPictures(ctx context.Context, c settings.Config, database *bunstore.Store, repair bool, found func(cleanup.Finding)) (err error) {
	pictures, _, err := picturesOf(ctx, c, database, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeMedia(pictures)) }()
	for f, err := range cleanup.New(database.DeletionQueue(), pictures, time.Now).Check(ctx, repair) {
		if err != nil {
			return err
		}
		found(f)
	}
	return nil
}
