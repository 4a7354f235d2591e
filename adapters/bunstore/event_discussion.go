package bunstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

type commentRow struct {
	bun.BaseModel `bun:"table:comments,alias:c"`
	ID            event.CommentID `bun:",pk,autoincrement"`
	EventID       event.ID
	AuthorID      user.ID
	Content       string
	Created       engine.Time
	Hidden        bool
}

func (r commentRow) comment() event.Comment {
	return event.Comment{
		ID: r.ID, Event: r.EventID, Author: r.AuthorID, Content: r.Content, Created: r.Created.Time, Hidden: r.Hidden,
	}
}

// discussionSteps are the statements that add comments and likes. The first to write is the
// one that must match, which checks that the user may see the event, unless that is known, and locks its counts.
type discussionSteps struct {
	countComment  string // $1 event, $2 created, $3 author, $4 isSeen
	insertComment string // $1 event, $2 author, $3 content, $4 created
	lockCounts    string // $1 event, $2 user, $3 isSeen
	countLike     string // $1 event, $2 user
	insertLike    string // $1 event, $2 user
	countUnlike   string // $1 event, $2 user
	deleteLike    string // $1 event, $2 user
	atOnceSteps
}

// atOnceSteps are statements that do the work of several of the others. They are empty where a query cannot write.
type atOnceSteps struct {
	likeAtOnce    string // lockCounts, countLike, insertLike and notifyOfLike, whose parameters it has; then $6 isSeen
	commentAtOnce string // countComment, insertComment and notifyOfComment, whose parameters it has; then $6 content, $7 isSeen; returns the author, too
}

func newAtOnceSteps(d engine.Dialect) atOnceSteps {
	if !d.WritesInQueries() {
		return atOnceSteps{}
	}
	return atOnceSteps{
		likeAtOnce: "WITH locked AS (SELECT event_id, author_id FROM event_counts WHERE event_id = $1" +
			ifSeen("$1", "$3", "$6") + d.UnlessMissed() + " FOR NO KEY UPDATE)," +
			" liked AS (INSERT INTO likes (event_id, user_id) SELECT event_id, $3 FROM locked ON CONFLICT DO NOTHING RETURNING event_id)," +
			" counted AS (UPDATE event_counts n SET likes = n.likes + 1 FROM liked WHERE n.event_id = liked.event_id)," +
			" told AS (" + notifyOf("author_id", "event_id", "FROM locked WHERE author_id <> $3 AND EXISTS (SELECT 1 FROM liked)") +
			") SELECT event_id FROM locked",
		commentAtOnce: "WITH counted AS (" + countComment("$4") + ifSeen("$1", "$3", "$7") + d.UnlessMissed() + " RETURNING event_id, author_id)," +
			" said AS (INSERT INTO comments (event_id, author_id, content, created) SELECT event_id, $3, $6, $4 FROM counted" +
			" RETURNING id)," +
			" told AS (" + notifyOf("author_id", "id", "FROM counted CROSS JOIN said WHERE author_id <> $3") + ") SELECT said.id, " + memberFields +
			" FROM said" + joinMember("$3"),
	}
}

// countComment returns the statement that counts one more comment on the event $1, created then.
func countComment(created string) string {
	return "UPDATE event_counts SET comments = comments + 1, commented = CASE WHEN commented > " + created +
		" THEN commented ELSE " + created + " END WHERE event_id = $1"
}

// ifSeen continues a condition: the user may see the event, which exists. All are parameters; isSeen says that this is known.
func ifSeen(on, user, isSeen string) string {
	var visible []string
	for _, status := range event.Statuses() {
		visible = append(visible, fmt.Sprintf("e.status = %d AND (%s)", status, isVisible(user, status)))
	}
	return " AND (" + isSeen + " OR EXISTS (SELECT 1 FROM events e WHERE e.id = " + on + " AND (" + strings.Join(visible, " OR ") + ")))"
}

func newDiscussionSteps(d engine.Dialect) discussionSteps {
	liked := "EXISTS (SELECT 1 FROM likes l WHERE l.event_id = $1 AND l.user_id = $2)" + d.UnlessMissed()
	return discussionSteps{
		atOnceSteps:   newAtOnceSteps(d),
		countComment:  d.MustMatch(countComment("$2")+ifSeen("$1", "$3", "$4")+d.UnlessMissed(), "event_id"),
		insertComment: "INSERT INTO comments (event_id, author_id, content, created) " + d.Values("$1, $2, $3, $4") + " RETURNING id",
		lockCounts: d.MustFind("SELECT event_id FROM event_counts WHERE event_id = $1" + ifSeen("$1", "$2", "$3") + d.UnlessMissed() + " " +
			d.LockRows("FOR NO KEY UPDATE")),
		countLike:   "UPDATE event_counts SET likes = likes + 1 WHERE event_id = $1 AND NOT " + liked,
		insertLike:  "INSERT INTO likes (event_id, user_id) " + d.Values("$1, $2") + " ON CONFLICT DO NOTHING",
		countUnlike: "UPDATE event_counts SET likes = likes - 1 WHERE event_id = $1 AND " + liked,
		deleteLike:  "DELETE FROM likes WHERE event_id = $1 AND user_id = $2" + d.UnlessMissed(),
	}
}

func (v Events) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (event.Comment, *user.Member, error) {
	members := map[user.ID]*user.Member{}
	before, steps := v.s.commentSteps(&c, members)
	if err := v.discuss(ctx, c.Event, c.Author, append(before, v.roomForComment(c)...), charges, steps); err != nil {
		return event.Comment{}, nil, err
	}
	c.Completes = nil
	return c, members[c.Author], nil
}

// commentSteps returns the steps that store the comment, which gets its number, and its notification, and complete its key;
// and those before them. They add the author to the members.
func (s *Store) commentSteps(c *event.Comment, members map[user.ID]*user.Member) (before, steps []engine.Step) {
	on, at, id := int64(c.Event), s.Dialect.Instant(c.Created), (*int64)(&c.ID)
	notice := s.noticeArgs(on, notification.OfComment(*c))
	if s.steps.commentAtOnce != "" && c.Completes == nil {
		return nil, []engine.Step{{Statement: s.steps.commentAtOnce, Args: append(notice, c.Content), MustMatch: true, Missed: event.ErrNotFound, Row: func(scan engine.Scanner) error {
			var author user.Member
			err := scan(append([]any{id}, memberTargets(&author, s.Dialect)...)...)
			addMember(members, author)
			return err
		}}}
	}
	readAuthor := s.membersOf([]user.ID{c.Author}, func(m user.Member) { addMember(members, m) })
	readAuthor.ReadsOnly = true
	return []engine.Step{readAuthor}, slices.Concat([]engine.Step{
		{Statement: s.steps.countComment, Args: []any{on, at, int64(c.Author)}, MustMatch: true, Missed: event.ErrNotFound},
		{Statement: s.steps.insertComment, Args: []any{on, int64(c.Author), c.Content, at}, Row: engine.Into(id)},
		{Statement: s.steps.notifyOfComment, Args: notice},
	}, completion(c.Completes, s.steps.completeComment))
}

// discuss runs the user's steps on the event, the first of which must match, all in one round trip
// with those that are before. That first step takes isSeen as its last argument: the gate has found that the user may see the
// event. If the gate finds none, each step says on its own what it misses.
func (v Events) discuss(
	ctx context.Context, on event.ID, by user.ID, before []engine.Step, charges []ratelimit.Charge, steps []engine.Step,
) error {
	charges = slices.DeleteFunc(slices.Clone(charges), ratelimit.Charge.IsFree)
	unseen := slices.Clip(steps[0].Args)
	steps[0].Args = append(unseen, len(charges) == 1)
	err := v.s.writeAll(ctx, slices.Concat(before, v.s.gated(charges, v.s.steps.chargeOn, []any{int64(on), int64(by)}, steps)))
	if errors.Is(err, engine.ErrMissed) {
		steps[0].Args = append(unseen, false)
		err = v.s.writeAll(ctx, slices.Concat(before, v.s.chargeSteps(charges), steps))
	}
	return err
}

func (v Events) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	row, err := engine.SelectOne[commentRow](ctx, v.s.DB, event.ErrNoComment, "id = ?", id)
	return row.comment(), err
}

// RemoveComment finds the latest remaining comment in a separate statement: only after
// the lock does it see all concurrent comments.
func (v Events) RemoveComment(ctx context.Context, id event.CommentID) error {
	return v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		on, err := v.s.lockCommented(ctx, tx, id)
		if err != nil {
			return err
		}
		counted, err := numbersOf(ctx, tx, "DELETE FROM comments WHERE id = $1 RETURNING CASE WHEN hidden THEN 0 ELSE 1 END", int64(id))
		if err == nil && len(counted) == 0 {
			err = event.ErrNoComment
		}
		if err != nil || counted[0] == 0 {
			return err
		}
		return tx.Run(ctx, recountComments(on, -1))
	})
}

// lockCommented locks the counts of the comment's event, without which no comment changes or goes, and returns the event.
func (s *Store) lockCommented(ctx context.Context, tx *listedTransaction, id event.CommentID) (on event.ID, err error) {
	// A comment never moves to another event.
	err = tx.NewSelect().Model((*commentRow)(nil)).Column("event_id").Where("id = ?", id).Scan(ctx, &on)
	if err == nil {
		err = s.lockCounts(ctx, tx, on)
	}
	return on, engine.OrNotFound(err, event.ErrNoComment)
}

// recountComments returns the step that counts so many more comments on the event, whose counts are locked.
func recountComments(on event.ID, more int64) engine.Step {
	return engine.Step{Statement: "UPDATE event_counts SET comments = comments + $2, commented = (SELECT max(c.created)" +
		" FROM comments c WHERE c.event_id = $1 AND NOT c.hidden) WHERE event_id = $1", Args: []any{int64(on), more}}
}

// turnComment hides or restores the comment with its notification, and returns its author.
func (v Events) turnComment(ctx context.Context, tx *listedTransaction, id event.CommentID, isHidden bool) (user.ID, error) {
	var row commentRow
	on, err := v.s.lockCommented(ctx, tx, id)
	if err == nil {
		err = engine.OrNotFound(tx.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx), event.ErrNoComment)
	}
	if err == nil {
		row.Hidden, err = moderation.Turned(row.Hidden, isHidden)
	}
	if err != nil {
		return 0, err
	}
	more := int64(1)
	if isHidden {
		more = -1
	}
	if _, err := tx.NewUpdate().Model(&row).Column("hidden").WherePK().Exec(ctx); err != nil {
		return 0, err
	}
	return row.AuthorID, tx.Run(ctx, recountComments(on, more), engine.Step{
		Statement: "UPDATE notifications SET withdrawn = $3 WHERE actor_id = $1 AND kind = 'comment' AND object_id = $2",
		Args:      []any{int64(row.AuthorID), int64(id), isHidden},
	})
}

// lockCounts locks the counts of the event, which also prevents its removal. It returns
// sql.ErrNoRows if the event does not exist.
func (s *Store) lockCounts(ctx context.Context, tx *listedTransaction, on event.ID) error {
	var locked event.ID
	query := "SELECT event_id FROM event_counts WHERE event_id = ? " + s.Dialect.ForUpdate()
	return tx.NewRaw(query, on).Scan(ctx, &locked)
}

func (v Events) Comments(
	ctx context.Context, on event.ID, viewer user.ID, r page.Request,
) (page.Page[event.Comment], map[user.ID]*user.Member, error) {
	members := map[user.ID]*user.Member{}
	args := []any{int64(on), int64(r.Size()), int64(r.Offset()), int64(viewer)}
	p, err := engine.ReadPage(ctx, v.s.DB, r, v.s.hotReads.comments, args, func(total *int) func(engine.Scanner) (event.Comment, error) {
		read := commentReader(v.s.Dialect, members, total)
		return func(scan engine.Scanner) (event.Comment, error) {
			row, err := read(scan)
			row.EventID = on
			return row.comment(), err
		}
	})
	return p, members, err
}

// commentFields are the columns of a comment c and its author, and commentAuthor joins the author.
var (
	commentFields = "c.id, c.author_id, c.content, c.created, " + memberFields
	commentAuthor = joinMember("c.author_id")
)

// commentReader returns a function that scans commentFields, after columns for the targets before.
// It adds the author to the members.
func commentReader(d engine.Dialect, members map[user.ID]*user.Member, before ...any) func(engine.Scanner) (commentRow, error) {
	var row commentRow
	var author user.Member
	targets := slices.Concat(before,
		[]any{(*int64)(&row.ID), (*int64)(&row.AuthorID), &row.Content, &row.Created}, memberTargets(&author, d))
	return func(scan engine.Scanner) (commentRow, error) {
		err := scan(targets...)
		addMember(members, author)
		return row, err
	}
}

// commentsPage is the hot read of a page of the comments on the event $1 that the viewer $4 sees: $2 of them after $3. Only
// the authors of the page are looked up. The counts of all comments and of hidden ones need an index alone.
var commentsPage = "SELECT (SELECT COUNT(*) FROM comments WHERE event_id = $1)" +
	" - (SELECT COUNT(*) FROM comments c WHERE c.event_id = $1 AND c.hidden AND c.author_id <> $4) - CASE WHEN " + hasBlocks("$4") +
	" THEN (SELECT COUNT(*) FROM comments c WHERE c.event_id = $1 AND NOT c.hidden AND " + isBlocked("$4", "c.author_id") + ") ELSE 0 END, " +
	commentFields + " FROM (SELECT c.id, c.author_id, c.content, c.created FROM comments c WHERE c.event_id = $1 AND " +
	notBlocked("$4", "c.author_id") + " AND " + notHidden("$4") + " ORDER BY c.created DESC, c.id DESC" +
	" LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) c" + commentAuthor + " ORDER BY c.created DESC, c.id DESC"

// notHidden returns the condition that the comment c is not hidden from the viewer, a parameter, as event.Comment.VisibleTo has it.
func notHidden(viewer string) string { return "(NOT c.hidden OR c.author_id = " + viewer + ")" }

// newestComments returns the query for the newest comments on each event in $1, at most
// $2 each, that the viewer $3 sees.
func newestComments(d engine.Dialect) string {
	return "SELECT c.event_id, " + commentFields +
		d.ForEach(unlessBlocked("$3", "c.author_id", func(condition string) string {
			return "SELECT id FROM (SELECT c.id FROM comments c WHERE c.event_id = {1} AND " + notHidden("$3") + condition +
				" ORDER BY c.created DESC, c.id DESC LIMIT CAST($2 AS bigint)) part"
		}), "bigint") +
		" JOIN comments c ON c.id = top.id" + commentAuthor + " ORDER BY w.place, c.created DESC, c.id DESC"
}

// Like locks the counts by a statement of their own: the later ones see all concurrent likes.
func (v Events) Like(ctx context.Context, l event.Like, charges ...ratelimit.Charge) error {
	return v.discuss(ctx, l.Event, l.By, nil, charges, v.s.likeSteps(l))
}

// likeSteps returns the steps that store or remove the like of the event and the user, with its count and its notification.
func (s *Store) likeSteps(l event.Like) []engine.Step {
	of, notice := []any{int64(l.Event), int64(l.By)}, notification.OfLike(l)
	if l.IsLiked && s.steps.likeAtOnce != "" {
		return []engine.Step{{Statement: s.steps.likeAtOnce, Args: s.noticeArgs(notice.Object, notice), MustMatch: true, Missed: event.ErrNotFound}}
	}
	lock := engine.Step{Statement: s.steps.lockCounts, Args: of, MustMatch: true, Missed: event.ErrNotFound}
	count, notify, write := s.steps.countUnlike, s.withdrawStep(notice), s.steps.deleteLike
	if l.IsLiked {
		notify = engine.Step{Statement: s.steps.notifyOfLike, Args: s.noticeArgs(notice.Object, notice)}
		count, write = s.steps.countLike, s.steps.insertLike
	}
	return []engine.Step{lock, {Statement: count, Args: of}, notify, {Statement: write, Args: of}}
}

func (v Events) Likings(ctx context.Context, on []event.ID, viewer user.ID) (map[event.ID]event.Liking, error) {
	likings := make(map[event.ID]event.Liking, len(on))
	args := []any{v.s.Dialect.ListOf(engine.Numbers(on)), int64(viewer)}
	_, err := engine.ReadAll(ctx, v.s.DB, v.s.hotReads.likings, args, func(scan engine.Scanner) (l event.Liking, err error) {
		var follows, followed, blocked bool
		err = scan(&follows, &followed, &blocked, (*int64)(&l.Event), (*int64)(&l.Author),
			(*int64)(&l.State.Status), (*int)(&l.State.Permission), &l.Likes, &l.IsLiked)
		l.Relation = subscription.Relate(viewer, l.Author, follows, followed, blocked)
		likings[l.Event] = l
		return l, err
	})
	return likings, err
}
