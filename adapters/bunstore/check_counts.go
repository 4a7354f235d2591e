package bunstore

import (
	"context"
	"fmt"
	"plaza/adapters/bunstore/diary"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/userimage"
)

// discussed recomputes the counts of an event from its comments and likes.
const discussed = `
	(SELECT COUNT(*) FROM comments c WHERE c.event_id = e.id AND NOT c.hidden) AS comments,
	(SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id) AS likes,
	(SELECT MAX(c.created) FROM comments c WHERE c.event_id = e.id AND NOT c.hidden) AS commented`

// discussions compares the counts of all events with their comments and likes.
func (c check) discussions(ctx context.Context) error {
	recounted := c.Reader.NewSelect().TableExpr("events e").ColumnExpr("e.id, e.author_id").ColumnExpr(discussed)
	return c.suspects(ctx, c.Reader.NewSelect().TableExpr("(?) AS r", recounted).Column("r.id").
		Join("LEFT JOIN event_counts k ON k.event_id = r.id").
		Where("k.event_id IS NULL OR k.author_id <> r.author_id OR k.comments <> r.comments OR k.likes <> r.likes"+
			" OR COALESCE(k.commented <> r.commented, k.commented IS NOT NULL OR r.commented IS NOT NULL)"), c.recountEvent)
}

// suspects passes the number in each row of the query to fn.
func (c check) suspects(
	ctx context.Context, query interface {
		Scan(ctx context.Context, into ...any) error
	}, fn func(ctx context.Context, id int64) error,
) error {
	var ids []int64
	err := c.Read(ctx, func(ctx context.Context) error {
		ids = nil
		return query.Scan(ctx, &ids)
	})
	for _, id := range ids {
		if err == nil {
			err = fn(ctx, id)
		}
	}
	return err
}

// recountEvent locks the event's counts and checks them again.
func (c check) recountEvent(ctx context.Context, id int64) error {
	return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
		tx.Queue(`
			INSERT INTO event_counts (event_id, author_id) SELECT id, author_id FROM events WHERE id = $1
			ON CONFLICT (event_id) DO NOTHING`, id)
		var is diary.EventCountsRow
		if err := c.Selecting(tx).Model(&is).Where("event_id = ?", id).Scan(ctx); err != nil {
			return "", engine.OrNotFound(err, nil) // removed meanwhile
		}
		should := is
		if err := tx.NewSelect().TableExpr("events e").ColumnExpr("e.author_id").ColumnExpr(discussed).Where("e.id = ?", id).
			Scan(ctx, &should.AuthorID, &should.Comments, &should.Likes, &should.Commented); err != nil {
			return "", err
		}
		if is == should {
			return "", nil
		}
		_, err := tx.NewUpdate().Model(&should).WherePK().Exec(ctx)
		return fmt.Sprintf("counts of event %d are %d comments and %d likes; should be %d and %d",
			id, is.Comments, is.Likes, should.Comments, should.Likes), err
	})
}

// images reads all images.
func (c check) images(ctx context.Context) error {
	for after := userimage.ID(0); ; {
		rows, err := engine.SelectAll[diary.ImageRow](ctx, c.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
			return query.Where("id > ?", after).Order("id").Limit(checkBatch)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			after = row.ID
			if _, err := row.Image(); err != nil {
				c.found(Finding{What: err.Error()})
			}
		}
	}
}

// wrongNotice is the condition on notifications n that are not those of a comment, a like or a subscription, or have another
// owner than that says, or whose owner and actor are blocked. A withdrawn one is that of a like that was taken back, or of a
// hidden comment.
const wrongNotice = `EXISTS (
	SELECT 1 FROM (SELECT 1 AS one) o
	LEFT JOIN comments c ON c.id = CASE n.kind WHEN 'comment' THEN n.object_id END AND c.author_id = n.actor_id
	LEFT JOIN likes l ON l.event_id = CASE n.kind WHEN 'like' THEN n.object_id END AND l.user_id = n.actor_id
	LEFT JOIN subscriptions s ON s.followed_id = CASE n.kind WHEN 'follow' THEN n.object_id END AND s.user_id = n.actor_id
	LEFT JOIN events e ON e.id = COALESCE(c.event_id, l.event_id)
	WHERE CASE WHEN n.withdrawn AND n.kind = 'like' THEN l.event_id IS NOT NULL
			ELSE n.withdrawn <> COALESCE(c.hidden, FALSE) OR n.owner_id = n.actor_id
				OR n.owner_id <> COALESCE(e.author_id, s.followed_id, 0) END
		OR EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.owner_id AND b.other_id = n.actor_id))`

// notifications removes wrong notifications.
func (c check) notifications(ctx context.Context) error {
	return c.wrongRows(ctx, "notifications", "id", "notification %d tells of nothing that concerns its user", wrongNotice)
}

// follows removes subscriptions across a block.
func (c check) follows(ctx context.Context) error {
	return c.wrongRows(ctx, "subscriptions", "id", "subscription %d is to a user who is blocked",
		"EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.user_id AND b.other_id = n.followed_id)")
}

// blocks removes blocks that are by neither user.
func (c check) blocks(ctx context.Context) error {
	return c.wrongRows(ctx, "blocks", "user_id", "a block of user %d is by no one",
		"NOT n.is_by_user AND NOT (SELECT b.is_by_user FROM blocks b WHERE b.user_id = n.other_id AND b.other_id = n.user_id)")
}

// lackingContacts finds those who follow each other without the row of contacts that says so.
const lackingContacts = `
	SELECT DISTINCT s.user_id
	FROM subscriptions s JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id
	WHERE NOT EXISTS (SELECT 1 FROM contacts k WHERE k.user_id = s.user_id AND k.contact_id = s.followed_id)`

// contacts makes contacts equal to those who follow each other.
func (c check) contacts(ctx context.Context) error {
	err := c.wrongRows(ctx, "contacts", "user_id", "user %d has a contact without following each other", `(SELECT COUNT(*) FROM subscriptions s
		WHERE s.user_id = n.user_id AND s.followed_id = n.contact_id OR s.user_id = n.contact_id AND s.followed_id = n.user_id) < 2`)
	if err != nil {
		return err
	}
	return c.suspects(ctx, c.Reader.NewRaw(lackingContacts), func(ctx context.Context, id int64) error {
		return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
			added, err := engine.Written(tx.NewRaw(`
				INSERT INTO contacts (user_id, contact_id) SELECT s.user_id, s.followed_id
				FROM subscriptions s JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id
				WHERE s.user_id = ? ON CONFLICT DO NOTHING`, id).Exec(ctx))
			if err != nil || added == 0 {
				return "", err
			}
			return fmt.Sprintf("user %d lacks %d contacts who follow each other", id, added), nil
		})
	})
}

// wrongRows removes the rows n of the table on which the condition holds. It locks the rows of a key, and looks again.
func (c check) wrongRows(ctx context.Context, table, key, finding, condition string, args ...any) error {
	all := c.Reader.NewSelect().TableExpr("? AS n", bun.Ident(table)).ColumnExpr("n.?", bun.Ident(key)).Where(condition, args...)
	return c.suspects(ctx, all, func(ctx context.Context, id int64) error {
		return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
			if err := c.lockRows(ctx, tx, table, key, id); err != nil {
				return "", err
			}
			wrong, err := engine.Affected(tx.NewDelete().TableExpr("? AS n", bun.Ident(table)).
				Where("n.? = ?", bun.Ident(key), id).Where(condition, args...).Exec(ctx))
			if err != nil || !wrong {
				return "", err
			}
			return fmt.Sprintf(finding, id), nil
		})
	})
}

// lockRows locks the rows of the table whose key is the number.
func (c check) lockRows(ctx context.Context, tx *engine.Tx, table, key string, id int64) error {
	var locked []int64
	return c.Selecting(tx).Table(table).Column(key).Where("? = ?", bun.Ident(key), id).Scan(ctx, &locked)
}

// ownersSum is a column that has a sum over the rows of each owner.
type ownersSum struct {
	table, column      string
	value, rows, where string // the sum, and what it is taken over
	finding            string // of the owner, the stored sum and the right one
}

var ownersSums = []ownersSum{
	{"image_counts", "kept", "COUNT(*)", "images", "deleted IS NULL", "image count of user %d is %d; should be %d"},
	{
		"picture_totals", "bytes", "CAST(COALESCE(SUM(bytes), 0) AS bigint)", "pictures", "TRUE",
		"pictures of user %d take %d bytes; should be %d",
	},
	{
		"notification_counts", "total", "COUNT(*)", "notifications", "NOT withdrawn",
		"notifications of user %d are counted as %d; should be %d",
	},
	{
		"notification_counts", "unread", "COUNT(*)", "notifications n",
		"NOT withdrawn AND id > (SELECT k.read_up_to FROM notification_counts k WHERE k.owner_id = n.owner_id)",
		"unread notifications of user %d are counted as %d; should be %d",
	},
}

// recounted selects the sum.
func (s ownersSum) recounted(query *bun.SelectQuery) *bun.SelectQuery {
	return query.TableExpr(s.rows).ColumnExpr(s.value + " AS total").Where(s.where)
}

// ownersSums compares the sums with the rows of each owner.
func (c check) ownersSums(ctx context.Context) error {
	for _, s := range ownersSums {
		wrong := c.Reader.NewSelect().ColumnExpr("COALESCE(r.owner_id, k.owner_id)").
			TableExpr("(?) AS r", s.recounted(c.Reader.NewSelect()).Column("owner_id").Group("owner_id")).
			Join("FULL JOIN ? AS k ON k.owner_id = r.owner_id", bun.Ident(s.table)).
			Where("COALESCE(k.?, 0) <> COALESCE(r.total, 0)", bun.Ident(s.column))
		err := c.suspects(ctx, wrong, func(ctx context.Context, owner int64) error { return c.recountOwner(ctx, s, owner) })
		if err != nil {
			return err
		}
	}
	return nil
}

// recountOwner locks the sum and checks it again.
func (c check) recountOwner(ctx context.Context, s ownersSum, owner int64) error {
	return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
		if _, err := tx.NewRaw("INSERT INTO ? (owner_id, ?) VALUES (?, 0) ON CONFLICT (owner_id) DO NOTHING",
			bun.Ident(s.table), bun.Ident(s.column), owner).Exec(ctx); err != nil {
			return "", err
		}
		var is, should int64
		if err := c.Selecting(tx).Table(s.table).Column(s.column).Where("owner_id = ?", owner).Scan(ctx, &is); err != nil {
			return "", err
		}
		err := s.recounted(tx.NewSelect()).Where("owner_id = ?", owner).Scan(ctx, &should)
		if err != nil || is == should {
			return "", err
		}
		_, err = tx.NewUpdate().Table(s.table).Set("? = ?", bun.Ident(s.column), should).Where("owner_id = ?", owner).Exec(ctx)
		return fmt.Sprintf(s.finding, owner, is, should), err
	})
}

// Backup writes a consistent copy of the database into a new file while servers run. It
// returns a fault on Postgres, which has its own tools.
func (s *Store) Backup(ctx context.Context, path string) error {
	if err := audit.CheckCopy(ctx); err != nil {
		return err
	}
	return s.Explain(ctx, s.Dialect.Backup(ctx, path))
}

// telephones finds accounts of one telephone under several login names, from before AUT-03. People decide which of them
// stays.
func (c check) telephones(ctx context.Context) error {
	var all []string
	err := c.Read(ctx, func(ctx context.Context) error {
		all = nil
		return c.Reader.NewSelect().Table("users").ColumnExpr("string_agg(CAST(id AS text), ', ' ORDER BY id)").
			GroupExpr("replace(phone, '-', '')").Having("count(*) > 1").OrderExpr("min(id)").Scan(ctx, &all)
	})
	for _, ids := range all {
		c.found(Finding{What: fmt.Sprintf("the accounts %s have login names of one telephone", ids)})
	}
	return err
}
