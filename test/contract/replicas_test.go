//go:build soak

package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/test/postgres"
)

// replicated are two servers that share a Postgres with a streaming replica.
type replicated struct {
	*server
	primary, standby *postgres.Server
}

// withReplica starts servers once the replica follows; the settings are of the replica.
func withReplica(t *testing.T, change func(*bootstrap.Config), settings ...string) *replicated {
	t.Helper()
	r := &replicated{primary: postgres.Start(t)}
	r.standby = r.primary.Standby(t, settings...)
	on := store{name: "replicated", servers: 2, fresh: func(*testing.T) string { return r.primary.URL("postgres") }}
	r.server = on.startWith(t, func(c *bootstrap.Config) {
		c.DatabaseReplicaURLs = bootstrap.DatabaseURLs{r.standby.URL("postgres")}
		change(c)
	})
	awaitReplicas(t, r.server, true)
	return r
}

// counted returns how many reads the replica has answered, and for how many it was too old.
func (r *replicated) counted() (served, behind int64) {
	for _, app := range r.apps {
		for _, one := range replicasOf(app) {
			served, behind = served+one.Served, behind+one.Behind
		}
	}
	return served, behind
}

// onStandby runs a statement on the replica.
func (r *replicated) onStandby(t *testing.T, statement string) {
	t.Helper()
	onDatabase(t, r.standby.URL("postgres"), statement)
}

// pause stops the replay of the replica until resume.
func (r *replicated) pause(t *testing.T)  { r.onStandby(t, "SELECT pg_wal_replay_pause()") }
func (r *replicated) resume(t *testing.T) { r.onStandby(t, "SELECT pg_wal_replay_resume()") }

// caughtUp waits until the replica shows what the primary has committed.
func (r *replicated) caughtUp(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	primary, err := pgx.Connect(ctx, r.primary.URL("postgres"))
	require.NoError(t, err)
	defer primary.Close(ctx)
	standby, err := pgx.Connect(ctx, r.standby.URL("postgres"))
	require.NoError(t, err)
	defer standby.Close(ctx)
	var position string
	require.NoError(t, primary.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&position))
	require.Eventually(t, func() bool {
		var is bool
		err := standby.QueryRow(ctx, "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", position).Scan(&is)
		return err == nil && is
	}, replicaPatience, 5*time.Millisecond)
}

func unlimitedWrites(c *bootstrap.Config) { c.Limits = "off" }

func TestReplicas_callers_see_what_they_wrote_through_any_server(t *testing.T) {
	for name, change := range map[string]func(*bootstrap.Config){
		"directly":       unlimitedWrites,
		"through_pooler": func(c *bootstrap.Config) { unlimitedWrites(c); c.DatabasePooler = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withReplica(t, change, "recovery_min_apply_delay=200ms")
			ada, bob := r.member(t), r.member(t)
			id := ada.publishes(t, "x")
			kept := 0
			for i := range 100 { // an odd number of requests each, so that writer and reader alternate
				said := ada.comments(t, id, fmt.Sprint(i))
				list := ada.get(t, commentsOn(id)).is(http.StatusOK)
				require.Equal(t, said, list.int("data.0.id"), "comment %d", i)
				require.Equal(t, kept+1, list.int("pagination.total_count"))
				if kept++; i%2 == 0 {
					ada.delete(t, commentPath(said)).is(http.StatusNoContent)
					kept--
					require.Equal(t, kept, ada.get(t, commentsOn(id)).is(http.StatusOK).int("pagination.total_count"))
				}
				bob.get(t, commentsOn(id)).is(http.StatusOK) // may be a moment old
			}
			served, behind := r.counted()
			assert.Positive(t, served, "the replica answers readers")
			assert.Positive(t, behind, "the replica did not have what the writer wrote")
			require.Eventually(t, func() bool {
				return bob.get(t, commentsOn(id)).is(http.StatusOK).int("pagination.total_count") == kept
			}, replicaPatience, 10*time.Millisecond, "others see it a moment later")
		})
	}
}

func TestReplicas_other_tokens_of_the_account_see_its_writes(t *testing.T) {
	r := withReplica(t, unlimitedWrites)
	ada := r.member(t)
	key, err := r.app.Signin.Issue(t.Context(), ada.id, nil, 0)
	require.NoError(t, err)
	phone := r.with(key.Reveal())
	id := ada.publishes(t, "x")
	r.caughtUp(t)
	r.pause(t)
	defer r.resume(t)
	for i := range 5 {
		said := ada.comments(t, id, fmt.Sprint(i))
		require.Equal(t, said, phone.get(t, commentsOn(id)).is(http.StatusOK).int("data.0.id"))
	}
}

// TestReplicas_show_nobody_what_is_out_of_sight keeps the replica at a moment when all was public.
func TestReplicas_show_nobody_what_is_out_of_sight(t *testing.T) {
	r := withReplica(t, func(c *bootstrap.Config) { c.DatabaseReplicaLag = time.Minute })
	ada, bob := r.member(t), r.member(t)
	secret, open := ada.publishes(t, "secret"), ada.publishes(t, "open")
	said := ada.comments(t, secret, "between us")
	old := ada.comments(t, open, "old")
	bob.publishes(t, "of the same day")
	r.caughtUp(t)
	bob.get(t, commentsOn(secret)).is(http.StatusOK).shows(object{"0.id": said})
	r.pause(t)
	defer r.resume(t)

	ada.patch(t, eventPath(secret), object{"view_permission": 200}).is(http.StatusOK)
	for range 2 { // at each server
		bob.unseen(t, secret)
		bob.get(t, commentsOn(secret)).invalid("event")
		for _, list := range []string{eventsOf(ada), events, eventPath(open)} {
			assert.NotContains(t, string(bob.get(t, list).is(http.StatusOK).body), "secret", list)
		}
	}
	ada.patch(t, eventPath(secret), object{"view_permission": 0}).is(http.StatusOK)
	for range 2 {
		bob.reads(t, secret)
	}
	ada.delete(t, eventPath(secret)).is(http.StatusNoContent)
	for range 2 {
		bob.unseen(t, secret)
		bob.get(t, commentsOn(secret)).invalid("event")
	}

	// What may be a moment old, as the guide says.
	ada.delete(t, commentPath(old)).is(http.StatusNoContent)
	for range 2 {
		assert.Zero(t, ada.get(t, commentsOn(open)).is(http.StatusOK).int("pagination.total_count"))
	}
	require.Eventually(t, func() bool {
		return bob.get(t, commentsOn(open)).is(http.StatusOK).int("pagination.total_count") == 1
	}, replicaPatience, 10*time.Millisecond, "from the replica")
	r.resume(t)
	require.Eventually(t, func() bool {
		return bob.get(t, commentsOn(open)).is(http.StatusOK).int("pagination.total_count") == 0
	}, replicaPatience, 10*time.Millisecond)
}

// TestReplicas_pages_of_the_feed_are_those_of_the_version keeps the replica before the change.
func TestReplicas_pages_of_the_feed_are_those_of_the_version(t *testing.T) {
	r := withReplica(t, func(c *bootstrap.Config) { c.DatabaseReplicaLag = time.Minute })
	ada := r.member(t)
	r.storesCategory(t, 1, 0, "Books")
	r.storesItem(t, ada, 1, 1)
	r.caughtUp(t)
	r.anyone().get(t, "/api/feed/items/1/?type=node").is(http.StatusOK)
	served, _ := r.counted()
	assert.Positive(t, served)
	r.pause(t)
	defer r.resume(t)
	for id := 2; id < 6; id++ {
		r.storesItem(t, ada, id, 1)
		for range 2 { // at each server
			for _, kind := range []string{"node", "publication", "demand"} {
				assert.Equal(t, id, r.anyone().get(t, "/api/feed/items/1/?type="+kind).is(http.StatusOK).int("pagination.total_count"), kind)
			}
			assert.Equal(t, 3*id, r.anyone().get(t, "/api/feed/categories/").is(http.StatusOK).int("data.0.meta.feeds_count"))
		}
	}
}

func TestReplicas_that_lag_too_far_are_not_used(t *testing.T) {
	r := withReplica(t, func(c *bootstrap.Config) { c.DatabaseReplicaLag = 2 * time.Second })
	ada, bob := r.member(t), r.member(t)
	id := ada.publishes(t, "x")
	r.caughtUp(t)
	require.Never(t, func() bool {
		for _, app := range r.apps {
			if !replicasOf(app)[0].IsUsed {
				return true
			}
		}
		return false
	}, 4*time.Second, 20*time.Millisecond, "an idle primary is no lag")

	r.pause(t)
	ada.comments(t, id, "0")
	awaitReplicas(t, r.server, false)
	for i := 1; i < 10; i++ {
		said := ada.comments(t, id, fmt.Sprint(i))
		for range 2 {
			require.Equal(t, said, bob.get(t, commentsOn(id)).is(http.StatusOK).int("data.0.id"))
		}
	}
	r.resume(t)
	awaitReplicas(t, r.server, true)
}

func TestReplicas_that_fail_cost_speed_only(t *testing.T) {
	for name, c := range map[string]struct{ breaks, mends func(*postgres.Server) }{
		"killed":  {(*postgres.Server).Kill, (*postgres.Server).Start},
		"stopped": {(*postgres.Server).Stop, (*postgres.Server).Start},
		"frozen":  {(*postgres.Server).Freeze, (*postgres.Server).Thaw},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withReplica(t, func(*bootstrap.Config) {})
			ada, bob := r.member(t), r.member(t)
			id := ada.publishes(t, "x")
			r.caughtUp(t)
			bob.get(t, commentsOn(id)).is(http.StatusOK)
			c.breaks(r.standby)
			for i := range 20 {
				said := ada.comments(t, id, fmt.Sprint(i))
				for _, reader := range []person{ada, bob} {
					require.Equal(t, said, reader.get(t, commentsOn(id)).is(http.StatusOK).int("data.0.id"))
				}
				r.anyone().get(t, "/api/feed/categories/").is(http.StatusOK)
			}
			awaitReplicas(t, r.server, false)
			c.mends(r.standby)
			awaitReplicas(t, r.server, true)
			before, _ := r.counted()
			require.Eventually(t, func() bool {
				bob.get(t, commentsOn(id)).is(http.StatusOK)
				now, _ := r.counted()
				return now > before
			}, replicaPatience, 10*time.Millisecond)
		})
	}
}

func TestReplicas_that_are_away_at_the_start_stop_no_server(t *testing.T) {
	r := withReplica(t, func(c *bootstrap.Config) {})
	r.stop()
	r.standby.Stop()
	r.run(t)
	r.anyone().get(t, "/api/feed/categories/").is(http.StatusOK)
	r.standby.Start()
	awaitReplicas(t, r.server, true)
}

func TestReplicas_are_measured(t *testing.T) {
	r := withReplica(t, func(*bootstrap.Config) {})
	name := replicasOf(r.app)[0].Name
	for series, least := range map[string]float64{
		`plaza_database_replica_used{replica="` + name + `"}`:                         2,
		`plaza_database_replica_reads_total{outcome="served",replica="` + name + `"}`: 1,
		`plaza_database_replica_reads_total{outcome="behind",replica="` + name + `"}`: 0,
		`plaza_database_replica_reads_total{outcome="failed",replica="` + name + `"}`: 0,
		`plaza_database_replica_reads_on_primary_total`:                               1,
		`plaza_database_replica_lag_seconds{replica="` + name + `"}`:                  0,
		`plaza_database_connections{pool="replica ` + name + `",state="max"}`:         2,
	} {
		awaitReplicas(t, r.server, true)
		value, found := r.metric(t, series)
		assert.True(t, found, series)
		assert.GreaterOrEqual(t, value, least, series)
	}
}
