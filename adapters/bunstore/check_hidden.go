package bunstore

import (
	"context"
	"fmt"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/instant"
	"plaza/domain/moderation"
)

// hideable is a table whose rows can be hidden. The row x has the owner, and is hidden if the condition holds.
type hideable struct {
	kind                   moderation.Kind
	table, owner, isHidden string
}

var hideables = []hideable{
	{moderation.Event, "events", "x.author_id", "x.withheld_status IS NOT NULL"},
	{moderation.Comment, "comments", "x.author_id", "x.hidden"},
	{moderation.Image, "images", "x.owner_id", "x.hidden"},
}

// hidden compares what is hidden with the stored hidings. A thing without its hiding stays hidden: it gets one that gives no
// reason, so that staff can restore it. A hiding of something else goes.
func (c check) hidden(ctx context.Context) error {
	for _, of := range hideables {
		hiding := "FROM hidden_things h WHERE h.kind = '" + string(of.kind) + "'"
		lacking := "SELECT x.id FROM " + of.table + " x WHERE " + of.isHidden + " AND NOT EXISTS (SELECT 1 " + hiding + " AND h.object_id = x.id)"
		err := c.suspects(ctx, lacking, func(ctx context.Context, id int64) error { return c.lackingHiding(ctx, of, lacking, id) })
		if err != nil {
			return err
		}
		left := "SELECT h.object_id " + hiding + " AND NOT EXISTS (SELECT 1 FROM " + of.table + " x WHERE x.id = h.object_id AND " +
			of.isHidden + " AND " + of.owner + " = h.owner_id)"
		err = c.suspects(ctx, left, func(ctx context.Context, id int64) error { return c.leftHiding(ctx, of, left, id) })
		if err != nil {
			return err
		}
	}
	return nil
}

// lackingHiding locks the thing and looks again.
func (c check) lackingHiding(ctx context.Context, of hideable, lacking string, id int64) error {
	return c.inspect(ctx, func(ctx context.Context, tx *listedTransaction) (string, error) {
		lock := "SELECT id FROM " + of.table + " WHERE id = $1 " + c.Dialect.ForUpdate()
		if _, err := numbersOf(ctx, tx, lock, id); err != nil {
			return "", err
		}
		stillLacking, err := numbersOf(ctx, tx, lacking+" AND x.id = $1", id)
		if err != nil || len(stillLacking) == 0 {
			return "", err
		}
		return fmt.Sprintf("%s %d is hidden, and why is not stored", of.kind, id), tx.Run(ctx, engine.Step{
			Statement: "INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at) SELECT $2, x.id, " + of.owner +
				", '', $3 FROM " + of.table + " x WHERE x.id = $1",
			Args: []any{id, string(of.kind), c.Dialect.Instant(instant.Normalise(time.Now()))},
		})
	})
}

// leftHiding locks the hiding and looks again.
func (c check) leftHiding(ctx context.Context, of hideable, left string, id int64) error {
	return c.inspect(ctx, func(ctx context.Context, tx *listedTransaction) (string, error) {
		lock := "SELECT object_id FROM hidden_things WHERE kind = $2 AND object_id = $1 " + c.Dialect.ForUpdate()
		if _, err := numbersOf(ctx, tx, lock, id, string(of.kind)); err != nil {
			return "", err
		}
		stillLeft, err := numbersOf(ctx, tx, left+" AND h.object_id = $1", id)
		if err != nil || len(stillLeft) == 0 {
			return "", err
		}
		return fmt.Sprintf("%s %d is stored as hidden, and is not", of.kind, id), tx.Run(ctx, engine.Step{
			Statement: "DELETE FROM hidden_things WHERE kind = $2 AND object_id = $1", Args: []any{id, string(of.kind)},
		})
	})
}
