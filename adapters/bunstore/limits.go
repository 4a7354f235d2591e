package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Within returns the events as a store that was opened with the quotas.
func (v Events) Within(l quota.Limits) Events { return Events{v.s, l} }

// Within returns the images as a store that was opened with the quotas.
func (v Images) Within(l quota.Limits) Images { return Images{v.s, l} }

// Within returns the subscriptions as a store that was opened with the quotas.
func (v Subscriptions) Within(l quota.Limits) Subscriptions { return Subscriptions{v.s, l} }

// Within returns the blocks as a store that was opened with the quotas.
func (v Blocks) Within(l quota.Limits) Blocks { return Blocks{v.s, l} }

// Within returns the accounts as a store that was opened with the quotas.
func (v Accounts) Within(l quota.Limits) Accounts { return Accounts{v.s, l} }

// Room implements quota.Room.
type Room struct {
	s      *Store
	limits quota.Limits
}

// Room returns the room within the quotas.
func (s *Store) Room(l quota.Limits) Room { return Room{s, l} }

// quotaSteps are the statements that keep the quotas of accounts.
//
// Drafts, comments and follows are counted in an index, at most as many as the quota has, while others
// who add one for the same account wait. The bytes of pictures have a sum for each account,
// picture_totals. A new picture is added to it by a step, a deleted one is subtracted by a
// trigger of discards, so that nothing that deletes a picture forgets it.
type quotaSteps struct {
	// lockName makes others who need room of the same name wait until the transaction ends. It is the first lock of its
	// transaction, so that writers cannot deadlock. It is empty where there is one writer at a time.
	lockName      string // $1 name
	lockDrafts    string // $1 event; lockName of its author's drafts
	draftsBelow   string // $1 author, $2 drafts
	commentsBelow string // $1 event, $2 author, $3 comments
	takeBytes     string // $1 owner, $2 bytes, $3 quota
	addPicture    string // $1 key, $2 owner, $3 bytes, $4 whether they include the sizes
	takeSizes     string // $1 key, $2 bytes; a miss if the bytes of the picture include its sizes, or it has no row
	addSizes      string // $1 key, $2 bytes
	bytesTaken    string // $1 owner
	setAvatar     string // $1 avatar, $2 user
	changeProfile string // $1 firstname, $2 lastname, $3 timezone, $4 location, $5 expertise, NULL: unchanged; $6 user
}

func newQuotaSteps(d engine.Dialect) quotaSteps {
	// below finds a row if the rows of the FROM item are fewer than the parameter. It reads no
	// more of them than that.
	below := func(rows, parameter string) string {
		parameter = "CAST(" + parameter + " AS bigint)"
		return d.MustFind("SELECT 1 WHERE (SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT " + parameter + ") counted) < " +
			parameter + d.UnlessMissed())
	}
	lockDrafts := d.LockName("'" + draftsOf + "' || author_id")
	if lockDrafts != "" {
		lockDrafts += " FROM events WHERE id = $1"
	}
	return quotaSteps{
		lockName:      d.LockName("$1"),
		lockDrafts:    lockDrafts,
		draftsBelow:   below("events e WHERE e.author_id = $1 AND e.status = 0", "$2"),
		commentsBelow: below("comments c WHERE c.event_id = $1 AND c.author_id = $2", "$3"),
		takeBytes: d.MustMatch("INSERT INTO picture_totals AS t (owner_id, bytes) SELECT CAST($1 AS bigint), CAST($2 AS bigint)"+
			" WHERE CAST($2 AS bigint) <= CAST($3 AS bigint)"+d.UnlessMissed()+" ON CONFLICT (owner_id)"+
			" DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes WHERE t.bytes + EXCLUDED.bytes <= CAST($3 AS bigint)", "bytes"),
		addPicture: "INSERT INTO pictures (key, owner_id, bytes, has_sizes) " + d.Values("$1, $2, $3, $4"),
		takeSizes: d.MustMatch("UPDATE pictures SET bytes = bytes + $2, has_sizes = TRUE WHERE key = $1 AND NOT has_sizes"+
			d.UnlessMissed(), "owner_id"),
		addSizes: "UPDATE picture_totals SET bytes = bytes + $2 WHERE owner_id = (SELECT p.owner_id FROM pictures p WHERE p.key = $1)" +
			d.UnlessMissed(),
		bytesTaken: "SELECT bytes FROM picture_totals WHERE owner_id = $1",
		setAvatar:  d.MustMatch("UPDATE users SET avatar = $1 WHERE id = $2 AND "+notErased+d.UnlessMissed(), "id"),
		changeProfile: d.MustMatch("UPDATE users SET firstname = COALESCE($1, firstname), lastname = COALESCE($2, lastname), "+
			"timezone = COALESCE($3, timezone), location = COALESCE($4, location), expertise = COALESCE($5, expertise)"+
			" WHERE id = $6 AND "+notErased+d.UnlessMissed(), "firstname", "lastname"),
	}
}

// CheckPictures asks nothing of the database if there is no quota.
func (v Room) CheckPictures(ctx context.Context, owner user.ID) error {
	if v.limits.Pictures == 0 {
		return ctx.Err()
	}
	var taken int64
	if err := v.s.ReadRow(ctx, v.s.steps.bytesTaken, []any{int64(owner)}, &taken); err != nil {
		return err
	}
	return v.limits.CheckPictures(taken + 1)
}

// CountSizes locks the picture before the total, as the trigger of discards does.
func (v Room) CountSizes(ctx context.Context, of media.Key, bytes int64) error {
	args := []any{string(of), bytes}
	err := v.s.writeAll(ctx, []engine.Step{
		{Statement: v.s.steps.takeSizes, Args: args, MustMatch: true},
		{Statement: v.s.steps.addSizes, Args: args},
	})
	if errors.Is(err, engine.ErrMissed) {
		return nil
	}
	return err
}

// countedPicture is a new picture whose bytes count for the quota of its owner.
type countedPicture struct {
	key      media.Key
	bytes    int64
	hasSizes bool // the bytes include those of its sizes (IMG-08)
}

// pictureSteps returns the steps that count new pictures of the owner.
func (s *Store) pictureSteps(l quota.Limits, owner user.ID, pictures ...countedPicture) []engine.Step {
	var all int64
	var each []engine.Step
	for _, p := range pictures {
		if p.bytes > 0 {
			all += p.bytes
			each = append(each, engine.Step{Statement: s.steps.addPicture, Args: []any{string(p.key), int64(owner), p.bytes, p.hasSizes}})
		}
	}
	if all == 0 {
		return nil
	}
	most := cmp.Or(l.Pictures, math.MaxInt64)
	take := engine.Step{Statement: s.steps.takeBytes, Args: []any{int64(owner), all, most}, MustMatch: true, Missed: l.ErrPictures()}
	return append([]engine.Step{take}, each...)
}

// newPlates returns the plates that are not stored yet as counted pictures, and clears their
// bytes, which are not stored with them.
func newPlates(plates []event.Plate) (counted []countedPicture) {
	for i, p := range plates {
		if p.ID == 0 {
			counted = append(counted, countedPicture{p.Photo, p.Bytes, true})
			plates[i].Bytes = 0
		}
	}
	return counted
}

// countsDrafts reports whether storing next in place of replaced, which may be nil, must be
// refused if its author has as many drafts as the quota.
func (v Events) countsDrafts(replaced, next *event.Event) bool {
	return v.limits.Drafts > 0 && event.AddsDraft(replaced, next)
}

// roomForDraft returns the steps that find room for another draft of the author. Without room
// the call fails with full.
func (v Events) roomForDraft(author user.ID, full error) []engine.Step {
	return append(lockStep(v.s.steps.lockName, fmt.Sprint(draftsOf, author)), v.draftsBelow(author, v.limits.Drafts, full))
}

func (v Events) draftsBelow(author user.ID, most int, full error) engine.Step {
	args := []any{int64(author), int64(most)}
	return engine.Step{Statement: v.s.steps.draftsBelow, Args: args, MustMatch: true, Missed: full, ReadsOnly: true}
}

// roomForComment returns the steps that find room for the comment.
func (v Events) roomForComment(c event.Comment) []engine.Step {
	if v.limits.Comments == 0 {
		return nil
	}
	args := []any{int64(c.Event), int64(c.Author), int64(v.limits.Comments)}
	return append(lockStep(v.s.steps.lockName, fmt.Sprint("comments of ", c.Author, " on ", c.Event)), engine.Step{
		Statement: v.s.steps.commentsBelow, Args: args, MustMatch: true, Missed: v.limits.ErrComments(), ReadsOnly: true,
	})
}

// lockDraftsWith locks the room for drafts of the author of an event that was not read yet.
func (v Events) lockDraftsWith(id event.ID) []engine.Step {
	if v.limits.Drafts == 0 {
		return nil
	}
	return lockStep(v.s.steps.lockDrafts, int64(id))
}

// draftsOf and the ID of an author are the name of the room for the author's drafts.
const draftsOf = "drafts of "

// rateLimitSteps are the statements of charges: $1 account, $2 action, $3 now, $4 price,
// $5 period. Times are in microseconds, those of now since 1970.
//
// Charges cannot cause deadlocks, because a transaction that waits for one holds nothing that
// the holder of the charge may wait for:
//
//   - A charge is the first lock of its transaction, with an exception.
//   - A change of an event first locks the event's row. The holder of the charge that it
//     waits for has locked its own event before, or changes none. So it waits for no event.
//
// Counters of the feed are locked last by every transaction. A transaction with several
// charges locks them in the order of ratelimit.Limits.Upload.
type rateLimitSteps struct {
	charge     string
	spentUntil string // $1 account, $2 action
}

func newRateLimitSteps(d engine.Dialect) rateLimitSteps {
	after := fmt.Sprintf("CASE WHEN r.until > $3 AND r.until <= $3 + $5 + %d THEN r.until ELSE $3 END + $4", ratelimit.Skew.Microseconds())
	charge := func(source string) string {
		return d.MustMatch("INSERT INTO rate_limits AS r (user_id, action, until) "+source+
			" ON CONFLICT (user_id, action) DO UPDATE SET until = "+after+" WHERE "+after+" <= $3 + $5", "until")
	}
	const values = "CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)"
	return rateLimitSteps{
		charge:     charge(d.Values(values)),
		spentUntil: "SELECT until FROM rate_limits WHERE user_id = $1 AND action = $2",
	}
}

// refused reports that the charge was not admitted.
type refused struct{ ratelimit.Charge }

func (r refused) Error() string { return "charge refused: " + string(r.Action) }

// chargeSteps returns the steps that apply the charges: each must match. A free charge has
// none. A first price never exceeds the period, so only an existing row can refuse it.
func (s *Store) chargeSteps(charges []ratelimit.Charge) (steps []engine.Step) {
	for _, c := range charges {
		if !c.IsFree() {
			steps = append(steps, engine.Step{Statement: s.steps.charge, Args: chargeArgs(c), MustMatch: true, Missed: refused{c}})
		}
	}
	return steps
}

func chargeArgs(c ratelimit.Charge) []any {
	return []any{c.Account, string(c.Action), c.Now.UnixMicro(), c.Cost().Microseconds(), c.Limit.Period.Microseconds()}
}

// minWait is the time to wait after a refusal of what would be admitted by now.
const minWait = time.Second

// orThrottled converts the refusal of a charge into its fault, which needs the stored time.
func (s *Store) orThrottled(ctx context.Context, err error) error {
	r, is := errors.AsType[refused](err)
	if !is {
		return err
	}
	var paid int64
	err = s.ReadRow(ctx, s.steps.spentUntil, []any{r.Account, string(r.Action)}, &paid)
	if err != nil {
		return err
	}
	if _, err := r.Apply(time.UnixMicro(paid)); err != nil {
		return err
	}
	return ratelimit.ErrThrottled(r.Action, minWait)
}
