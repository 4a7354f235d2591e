package bunstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/feed"
)

// replicaReads returns the hot reads that a replica may answer: lists of what everybody may
// see, or of what the primary has just found that the caller may see. Tokens, relations, events,
// money and versions are never among them: what they decide must not be old.
//
// The whole list of a user's images is not among them either: its rows are sent while they are
// read, so the primary could not repeat a read that fails halfway.
func replicaReads(hot statements) map[string]bool {
	reads := map[string]bool{
		hot.tree: true, hot.treeNear: true, hot.pageMerged: true, hot.pageNear: true, // the feed
		hot.latest: true, hot.latestOf: true, hot.latestOrigins: true, hot.latestOriginsOf: true, // publications
		hot.translations: true, // of publications
		hot.comments:     true, // on an event that the caller was found to see
		hot.members:      true, // people, as everybody sees them
	}
	for _, statement := range hot.pageOf { // the feed
		reads[statement] = true
	}
	for filter, statement := range hot.images { // pages of a user's images
		if filter.page {
			reads[statement] = true
		}
	}
	return reads
}

// replicaStatements are the statements that only a store with replicas sends.
type replicaStatements struct {
	session   string // the hot read session, with the number of the user's writes
	addWrite  string // $1 user
	position  string // on the primary: of its log, and the cluster's identifier
	state     string // on a replica: whether it is one, the position that it has replayed, the identifier
	isNew     string // $1 position, $2 user, $3 writes: whether it has replayed the position, and has the writes
	isCurrent string // $1 kinds, $2 version: whether it has the version of the feed
}

func newReplicaStatements(d dialect) replicaStatements {
	const system = "(SELECT system_identifier FROM pg_control_system())"
	return replicaStatements{
		session: sessionColumns + ", COALESCE(p.writes, 0)" + sessionRows,
		// It is the last step before the commit, so its lock is held for no longer.
		addWrite: "INSERT INTO presence AS p (user_id, seen, writes) " + d.values("CAST($1 AS bigint), now(), 1") +
			" ON CONFLICT (user_id) DO UPDATE SET writes = p.writes + 1",
		position: "SELECT CAST(pg_current_wal_lsn() AS text), " + system,
		state:    "SELECT pg_is_in_recovery(), COALESCE(CAST(pg_last_wal_replay_lsn() AS text), '0/0'), " + system,
		isNew: "SELECT pg_is_in_recovery() AND COALESCE(pg_last_wal_replay_lsn() >= CAST(CAST($1 AS text) AS pg_lsn), FALSE)," +
			" COALESCE((SELECT writes FROM presence WHERE user_id = $2), 0) >= $3",
		isCurrent: "SELECT (" + feedVersion(d) + ") >= $2",
	}
}

var (
	// errLags reports that a replica is older than what any read may show.
	errLags = errors.New("it lags behind")
	// errBehind reports that a replica is older than what this read must show.
	errBehind = errors.New("the replica does not have what the read must show")
)

// readRows runs a hot read. A replica answers it if it may and can, else the primary. reset is
// called before each try.
func (s *Store) readRows(ctx context.Context, read step, reset func()) error {
	return s.read(ctx, func(ctx context.Context) error {
		if s.replicas != nil && s.replicas.answer(ctx, read, reset) {
			return nil
		}
		reset()
		return s.dialect.query(ctx, read)
	})
}

// answer lets a replica answer the read, and reports whether it did.
//
// In the round trip of the read, and before it, the replica proves three things. It has replayed
// what the primary had written maxLag ago, so a caller sees what others wrote that much later at
// most. It has counted as many writes of the caller's own account as the primary had when the
// request began, so callers see what they wrote themselves. And it has what the read requires in
// addition. A later statement of the same round trip sees at least as much: replay only advances,
// and one round trip is one session of one server, also behind a pooler or a balancer.
func (r *replicas) answer(ctx context.Context, read step, reset func()) bool {
	own := access.OwnWritesOf(ctx)
	if own == nil || !r.reads[read.statement] {
		return false
	}
	if r.try(ctx, own, read, reset) {
		return true
	}
	r.onPrimary.Add(1)
	return false
}

func (r *replicas) try(ctx context.Context, own *access.OwnWrites, read step, reset func()) bool {
	r.begun.Do(r.begin)
	needed, known := r.progress.since(time.Now().Add(-r.maxLag))
	one := r.next()
	if !known || one == nil || own.Written() {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	reset()
	err := one.transactAll(bounded, nil, slices.Concat([]step{r.isNew(needed, own)}, read.proof, []step{read}))
	if err == nil && read.isEnough != nil && !read.isEnough() {
		err = errBehind
	}
	return one.note(ctx, err)
}

// next returns a replica that is used, each in turn, or nil.
func (r *replicas) next() *replica {
	turn := r.turn.Add(1)
	for i := range uint32(len(r.all)) {
		if one := r.all[(turn+i)%uint32(len(r.all))]; one.ready.Load() {
			return one
		}
	}
	return nil
}

// isNew returns the step in which a replica proves that it is new enough for every read.
func (r *replicas) isNew(needed logPosition, own *access.OwnWrites) step {
	return step{
		statement: r.sql.isNew, args: []any{needed.String(), int64(own.Account()), own.Counted()}, readsOnly: true,
		row: func(scan func(...any) error) error {
			var hasReplayed, hasOwn bool
			switch err := scan(&hasReplayed, &hasOwn); {
			case err != nil:
				return err
			case !hasReplayed:
				return errLags
			case !hasOwn:
				return errBehind
			}
			return nil
		},
	}
}

// showsVersion returns the steps in which a replica proves that it has the version of the
// selection. Without a version there are none.
func (s *Store) showsVersion(sel feed.Selection) []step {
	if s.replicas == nil || sel.AtLeast == 0 {
		return nil
	}
	return []step{{
		statement: s.replicas.sql.isCurrent, args: []any{s.dialect.listOf(kindNames(sel.Kinds)), int64(sel.AtLeast)}, readsOnly: true,
		row: func(scan func(...any) error) error {
			var isCurrent bool
			if err := scan(&isCurrent); err != nil || isCurrent {
				return err
			}
			return errBehind
		},
	}}
}

// note counts a read by its result, and reports whether the replica answered it. After a failure
// the replica is not used for a while.
func (r *replica) note(ctx context.Context, err error) (answered bool) {
	switch {
	case err == nil:
		r.served.Add(1)
		return true
	case ctx.Err() != nil: // the caller has left
	case errors.Is(err, errBehind):
		r.behind.Add(1)
	case errors.Is(err, errLags):
		r.behind.Add(1)
		r.use(err.Error())
	case r.classify(err) == retryable: // replay needed what the read was reading
		r.failed.Add(1)
	default:
		r.failed.Add(1)
		r.fail(err)
	}
	return false
}

// ownWrite returns the step that counts a write for the account of the request, by which replicas
// prove that they have it. It comes last. Without replicas, and for writes that are not a
// request's, ownWrite returns no step.
func (s *Store) ownWrite(ctx context.Context) []step {
	own := access.OwnWritesOf(ctx)
	if s.replicas == nil || own == nil || own.Account() == 0 {
		return nil
	}
	own.SetWritten() // before it is known to succeed
	return []step{{statement: s.replicas.sql.addWrite, args: []any{int64(own.Account())}}}
}
