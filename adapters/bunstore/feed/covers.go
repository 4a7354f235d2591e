package feed

import (
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/feed"
	"plaza/domain/media"
)

// DiscardCovers queues those of the covers that no record has, and makes imports store them anew.
func DiscardCovers(db *engine.DB, tx *engine.Tx, covers []string) {
	tx.Queue(db.Pick(discardCovers), covers, time.UnixMicro(0))
	tx.Queue(db.Pick(forgetCovers), covers)
}

// discardCovers queues at $2 those of the covers $1 that no record has. It reads the records once for all covers.
var discardCovers = engine.Text{
	Postgres: `
	INSERT INTO discards (key, due)
	SELECT c.key, $2 FROM unnest($1::text[]) AS c (key)
	WHERE c.key NOT IN (
		SELECT cover ->> 'key' FROM publications WHERE cover ->> 'key' IS NOT NULL
		UNION ALL SELECT cover ->> 'key' FROM nodes WHERE cover ->> 'key' IS NOT NULL
		UNION ALL SELECT cover ->> 'key' FROM demands WHERE cover ->> 'key' IS NOT NULL)
	ON CONFLICT (key) DO NOTHING`,

	SQLite: `
	INSERT INTO discards (key, due)
	SELECT c.value, $2 FROM json_each($1) AS c
	WHERE c.value NOT IN (
		SELECT cover ->> 'key' FROM publications WHERE cover ->> 'key' IS NOT NULL
		UNION ALL SELECT cover ->> 'key' FROM nodes WHERE cover ->> 'key' IS NOT NULL
		UNION ALL SELECT cover ->> 'key' FROM demands WHERE cover ->> 'key' IS NOT NULL)
	ON CONFLICT (key) DO NOTHING`,
}

// forgetCovers makes imports store those of the covers $1 anew that are queued.
var forgetCovers = engine.Both(`
	DELETE FROM import_covers
	WHERE picture ->> 'key' IN (SELECT d.key FROM discards d WHERE d.key = ANY($1))`)

// moveCover moves the cover of the record for all records that have it, if it moves with the record. Imports store it anew. It returns
// media.ErrMoving if other records have come to show it since the moves were planned, or none shows it any more.
func moveCover(tx *engine.Tx, kind feed.Kind, id int64, moves media.Moves) error {
	var key *string
	tx.Queue("SELECT key FROM moving_covers WHERE kind = $1 AND id = $2", kind, id).Into(&key)
	if err := tx.Send(); err != nil {
		return err
	}
	switch {
	case key == nil && len(moves.To) == 0:
		return nil
	case key == nil:
		return media.ErrMoving
	}
	if _, err := moves.Of(media.Key(*key)); err != nil {
		return err
	}
	people.MovePictures(tx, moves, media.Key(*key))
	tx.Queue("UPDATE kept_covers SET key = $2 WHERE key = $1", *key, moves.To[media.Key(*key)])
	tx.Queue("DELETE FROM import_covers WHERE picture ->> 'key' = $1", *key)
	return nil
}
