package bunstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// recountedEvents recomputes the counts of events from their comments and likes.
const recountedEvents = `
	SELECT e.id AS event_id, e.author_id,
		(SELECT COUNT(*) FROM comments c WHERE c.event_id = e.id AND NOT c.hidden) AS comments,
		(SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id) AS likes,
		(SELECT MAX(c.created) FROM comments c WHERE c.event_id = e.id AND NOT c.hidden) AS commented
	FROM events e`

type eventCountsRow struct {
	bun.BaseModel `bun:"table:event_counts,alias:n"`
	EventID       event.ID `bun:",pk"`
	AuthorID      user.ID
	Comments      int
	Likes         int
	Commented     engine.Time
}

// discussions compares the counts of all events with their comments and likes. It locks an event's counts and checks them again.
func (c check) discussions(ctx context.Context) error {
	wrong := c.Reader.NewSelect().TableExpr("(?) AS r", bun.Safe(recountedEvents)).Column("r.event_id").
		Join("LEFT JOIN event_counts k ON k.event_id = r.event_id").
		Where("(k.author_id, k.comments, k.likes, k.commented) IS DISTINCT FROM (r.author_id, r.comments, r.likes, r.commented)")
	return c.suspects(ctx, wrong, func(tx *engine.Tx, id int64) (string, error) {
		var is, should eventCountsRow
		var isMissing bool
		tx.Queue(`
			INSERT INTO event_counts (event_id, author_id) SELECT id, author_id FROM events WHERE id = $1
			ON CONFLICT (event_id) DO NOTHING
			RETURNING TRUE`, id).Into(&isMissing)
		if err := c.Selecting(tx).Model(&is).Where("event_id = ?", id).Scan(tx.Context()); err != nil {
			return "", engine.OrNotFound(err, nil) // removed meanwhile
		}
		err := tx.NewSelect().Model(&should).ModelTableExpr("(?) AS n", bun.Safe(recountedEvents)).Where("event_id = ?", id).
			Scan(tx.Context())
		switch {
		case err != nil || is == should && !isMissing:
			return "", err
		case is == should:
			return fmt.Sprintf("event %d has no counts", id), nil
		}
		_, err = tx.NewUpdate().Model(&should).WherePK().Exec(tx.Context())
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

// wrongNotice is the condition on notifications n of a person's act that are not those of a comment, a reply, a like or a subscription, or
// have another owner than that says, or whose owner and actor are blocked. A withdrawn one is that of a like that was taken back,
// or of a hidden comment.
const wrongNotice = `n.actor_id IS NOT NULL AND EXISTS (
	SELECT 1 FROM (SELECT 1 AS one) o
	LEFT JOIN comments c ON c.id = CASE WHEN n.kind IN ('comment', 'reply') THEN n.object_id END AND c.author_id = n.actor_id
	LEFT JOIN likes l ON l.event_id = CASE n.kind WHEN 'like' THEN n.object_id END AND l.user_id = n.actor_id
	LEFT JOIN subscriptions s ON s.followed_id = CASE n.kind WHEN 'follow' THEN n.object_id END AND s.user_id = n.actor_id
	LEFT JOIN events e ON e.id = COALESCE(c.event_id, l.event_id)
	LEFT JOIN comments r ON r.id = c.reply_to
	WHERE CASE WHEN n.withdrawn AND n.kind = 'like' THEN l.event_id IS NOT NULL
			ELSE n.withdrawn <> COALESCE(c.hidden, FALSE) OR n.owner_id = n.actor_id
				OR CASE WHEN n.kind = 'reply' AND c.reply_to > 0 THEN n.owner_id <> COALESCE(r.author_id, n.owner_id)
					ELSE n.owner_id <> COALESCE(e.author_id, s.followed_id, 0) END END
		OR EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.owner_id AND b.other_id = n.actor_id))`

// wrongRows are those n of a table that must not be stored.
var wrongRows = []struct{ table, key, finding, condition string }{
	{
		"subscriptions", "id", "subscription %d is to a user who is blocked",
		"EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.user_id AND b.other_id = n.followed_id)",
	},
	{
		"blocks", "user_id", "a block of user %d is by no one",
		"NOT n.is_by_user AND NOT (SELECT b.is_by_user FROM blocks b WHERE b.user_id = n.other_id AND b.other_id = n.user_id)",
	},
	{
		"contacts", "user_id", "user %d has a contact without following each other", `(SELECT COUNT(*) FROM subscriptions s
		WHERE s.user_id = n.user_id AND s.followed_id = n.contact_id OR s.user_id = n.contact_id AND s.followed_id = n.user_id) < 2`,
	},
	{"notifications", "id", "notification %d tells of nothing that concerns its user", wrongNotice},
}

func (c check) wrongRows(ctx context.Context) error {
	for _, w := range wrongRows {
		if err := c.remove(ctx, w.table, w.key, w.finding, w.condition); err != nil {
			return err
		}
	}
	return nil
}

// contacts adds the rows of contacts of those who follow each other.
func (c check) contacts(ctx context.Context) error {
	lacking := func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.TableExpr("subscriptions s").
			Join("JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id").
			Where("NOT EXISTS (SELECT 1 FROM contacts k WHERE k.user_id = s.user_id AND k.contact_id = s.followed_id)")
	}
	all := lacking(c.Reader.NewSelect()).Distinct().Column("s.user_id")
	return c.suspects(ctx, all, func(tx *engine.Tx, id int64) (string, error) {
		added, err := engine.Written(tx.NewRaw("INSERT INTO contacts (user_id, contact_id) ? ON CONFLICT DO NOTHING",
			lacking(tx.NewSelect()).Column("s.user_id", "s.followed_id").Where("s.user_id = ?", id)).Exec(tx.Context()))
		if err != nil || added == 0 {
			return "", err
		}
		return fmt.Sprintf("user %d lacks %d contacts who follow each other", id, added), nil
	})
}

// ownersSums are columns that have a sum for each owner, and what they should be. A finding is about the owner, the stored sum and
// the right one.
var ownersSums = []struct{ table, column, sums, finding string }{
	{
		"image_counts", "kept", "SELECT owner_id, COUNT(*) AS total FROM images WHERE deleted IS NULL GROUP BY owner_id",
		"image count of user %d is %d; should be %d",
	},
	{
		"picture_totals", "bytes", "SELECT owner_id, CAST(SUM(bytes) AS bigint) AS total FROM pictures GROUP BY owner_id",
		"pictures of user %d take %d bytes; should be %d",
	},
	{
		"notification_counts", "total", "SELECT owner_id, COUNT(*) AS total FROM notifications WHERE NOT withdrawn GROUP BY owner_id",
		"notifications of user %d are counted as %d; should be %d",
	},
	{
		"notification_counts", "unread", `
		SELECT owner_id, COUNT(*) AS total FROM notifications n
		WHERE NOT withdrawn AND id > (SELECT k.read_up_to FROM notification_counts k WHERE k.owner_id = n.owner_id)
		GROUP BY owner_id`,
		"unread notifications of user %d are counted as %d; should be %d",
	},
	{
		"profile_counts", "events", `
		SELECT author_id AS owner_id, COUNT(*) AS total FROM events WHERE status = 100 AND permission = 0 AND NOT hidden GROUP BY author_id`,
		"public events of user %d are counted as %d; should be %d",
	},
	{
		"profile_counts", "followers",
		"SELECT followed_id AS owner_id, COUNT(*) AS total FROM subscriptions WHERE followed_id IS NOT NULL GROUP BY followed_id",
		"followers of user %d are counted as %d; should be %d",
	},
	{
		"profile_counts", "followed",
		"SELECT user_id AS owner_id, COUNT(*) AS total FROM subscriptions WHERE followed_id IS NOT NULL GROUP BY user_id",
		"those whom user %d follows are counted as %d; should be %d",
	},
}

// ownersSums compares the sums with the rows of each owner. It locks a sum and checks it again.
func (c check) ownersSums(ctx context.Context) error {
	for _, s := range ownersSums {
		table, column, sums := bun.Ident(s.table), bun.Ident(s.column), bun.Safe(s.sums)
		wrong := c.Reader.NewSelect().ColumnExpr("COALESCE(r.owner_id, k.owner_id)").
			TableExpr("(?) AS r FULL JOIN ? AS k ON k.owner_id = r.owner_id", sums, table).
			Where("COALESCE(k.?, 0) <> COALESCE(r.total, 0)", column)
		err := c.suspects(ctx, wrong, func(tx *engine.Tx, owner int64) (string, error) {
			_, err := tx.NewRaw(`INSERT INTO ? AS k (owner_id, ?) VALUES (?, 0)
				ON CONFLICT (owner_id) DO UPDATE SET owner_id = k.owner_id`, table, column, owner).Exec(tx.Context())
			if err != nil {
				return "", err
			}
			var is, should int64
			err = tx.NewSelect().ColumnExpr("k.?, COALESCE(r.total, 0)", column).TableExpr("? AS k", table).
				Join("LEFT JOIN (?) AS r ON r.owner_id = ?", sums, owner).Where("k.owner_id = ?", owner).Scan(tx.Context(), &is, &should)
			if err != nil || is == should {
				return "", err
			}
			_, err = tx.NewUpdate().Table(s.table).Set("? = ?", column, should).Where("owner_id = ?", owner).Exec(tx.Context())
			return fmt.Sprintf(s.finding, owner, is, should), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sameTelephones finds accounts of one telephone.
const sameTelephones = `
	SELECT string_agg(CAST(id AS text), ', ' ORDER BY id) AS accounts FROM users
	GROUP BY replace(phone, '-', '') HAVING COUNT(*) > 1
	ORDER BY MIN(id)`

// telephones finds accounts of one telephone under several login names, from before AUT-03. People decide which of them
// stays.
func (c check) telephones(ctx context.Context) error {
	var same []string
	err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) error { return db.NewRaw(sameTelephones).Scan(ctx, &same) })
	for _, accounts := range same {
		c.found(Finding{What: fmt.Sprintf("the accounts %s have login names of one telephone", accounts)})
	}
	return err
}

// namesRow has the names of a user, and the stored beginnings of their words, in order and separated by spaces.
type namesRow struct {
	ID                            user.ID
	Firstname, Lastname, Prefixes string
}

func (r namesRow) member() user.Member {
	return user.Member{ID: r.ID, Firstname: r.Firstname, Lastname: r.Lastname}
}

func (r namesRow) isFound() bool { return r.Prefixes == strings.Join(r.member().NamePrefixes(), " ") }

// names compares the names of all users with the beginnings by which they are found. It locks a user and checks it again.
func (c check) names(ctx context.Context) error {
	read := func(ctx context.Context, query *bun.SelectQuery, condition string, arg any) (rows []namesRow, err error) {
		err = query.Table("users").Column("id", "firstname", "lastname").ColumnExpr(`COALESCE((
			SELECT string_agg(n.prefix, ' ' ORDER BY n.prefix) FROM name_prefixes n WHERE n.user_id = users.id), '') AS prefixes`).
			Where(condition, arg).Order("id").Limit(checkBatch).Scan(ctx, &rows)
		return rows, err
	}
	for after := user.ID(0); ; {
		var rows []namesRow
		err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) (err error) {
			rows, err = read(ctx, db.NewSelect(), "id > ?", after)
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		after = rows[len(rows)-1].ID
		err = inspect(ctx, c, slices.DeleteFunc(rows, namesRow.isFound), func(tx *engine.Tx, row namesRow) (string, error) {
			if _, err := c.Selecting(tx).Table("users").Column("id").Where("id = ?", row.ID).Exec(tx.Context()); err != nil {
				return "", err
			}
			again, err := read(tx.Context(), tx.NewSelect(), "id = ?", row.ID)
			if err != nil || len(again) == 0 || again[0].isFound() {
				return "", err
			}
			return fmt.Sprintf("the beginnings of the names of user %d are wrong", row.ID), people.ReplacePrefixes(tx, again[0].member())
		})
		if err != nil {
			return err
		}
	}
}
