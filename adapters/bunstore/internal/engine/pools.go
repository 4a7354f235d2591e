package engine

import (
	"database/sql"
	"time"
)

// Pool describes a pool of connections to the database. Its counts begin when the store is
// opened.
type Pool struct {
	Name                string
	Acquired, Idle, Max int           // connections now, and the most that may be open
	Waits               int64         // calls that had to wait for a connection
	Waited              time.Duration // by all of them together
}

// Pools returns the pools of the store: that of Postgres, or those of the reading connections
// and of the writing one of SQLite.
func (s *DB) Pools() []Pool { return s.Dialect.pools(s) }

func (d Postgres) pools(*DB) []Pool {
	stat := d.Pool.Stat()
	return []Pool{{
		Name: "requests", Acquired: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
		Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
	}}
}

func (d SQLite) pools(s *DB) []Pool {
	pool := func(name string, stats sql.DBStats) Pool {
		return Pool{
			Name: name, Acquired: stats.InUse, Idle: stats.Idle, Max: stats.MaxOpenConnections,
			Waits: stats.WaitCount, Waited: stats.WaitDuration,
		}
	}
	writer := pool("writer", s.Writer.Stats())
	writer.Waits += d.writers.waits.Load()
	writer.Waited += time.Duration(d.writers.waited.Load())
	return []Pool{pool("reader", s.Reader.Stats()), writer}
}
