package bunstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/imported"
	"plaza/domain/page"
)

// importRunRow is a run of an import without its rejects.
type importRunRow struct {
	bun.BaseModel `bun:"table:import_runs,alias:r"`
	ID            imported.RunID `bun:",pk,autoincrement"`
	State         imported.RunState
	Unfinished    bool
	Began         engine.Time
	Ended         engine.Time // of an unfinished one when it began
	Counts        string      // JSON of imported.RunCounts
	engine.PageRow
}

// BeginRun stores the run as an interrupted one, as which it counts for older programs.
func (v ImportStore) BeginRun(ctx context.Context, began time.Time, files []string) (id imported.RunID, err error) {
	counts, err := json.Marshal(imported.RunCounts{Files: files})
	if err != nil {
		return 0, fmt.Errorf("encode run of an import: %w", err)
	}
	at := v.s.Dialect.Instant(began)
	return id, v.s.writeAll(ctx, []engine.Step{{
		Statement: "INSERT INTO import_runs (state, unfinished, began, ended, counts, rejects) " + v.s.Dialect.Values("$1, true, $2, $3, $4, '[]'") + " RETURNING id",
		Args:      []any{string(imported.RunInterrupted), at, at, string(counts)}, Row: engine.Into((*int64)(&id)),
	}})
}

func (v ImportStore) EndRun(ctx context.Context, r imported.Run, rejects []imported.RejectedLine) error {
	counts, err := json.Marshal(r.RunCounts)
	if err != nil {
		return fmt.Errorf("encode run of an import: %w", err)
	}
	lines, err := json.Marshal(rejects[:min(len(rejects), imported.MaxRejects)])
	if err != nil {
		return fmt.Errorf("encode rejects of an import: %w", err)
	}
	return v.s.writeAll(ctx, []engine.Step{{
		Statement: "UPDATE import_runs SET state = $1, unfinished = false, ended = $2, counts = $3, rejects = $4 WHERE id = $5",
		Args:      []any{string(r.State), v.s.Dialect.Instant(r.Ended), string(counts), string(lines), int64(r.ID)},
	}})
}

func (v ImportStore) Runs(ctx context.Context, p page.Request) (page.Page[imported.Run], error) {
	rows, err := engine.ListPage[importRunRow](ctx, v.s.DB, p, func(query *bun.SelectQuery) *bun.SelectQuery { return query }, "id DESC")
	if err != nil {
		return page.Page[imported.Run]{}, err
	}
	runs := make([]imported.Run, len(rows.Items))
	for i, row := range rows.Items {
		runs[i] = imported.Run{ID: row.ID, State: row.State, Began: row.Began.Time, Ended: row.Ended.Time}
		if row.Unfinished {
			runs[i].State, runs[i].Ended = imported.RunUnfinished, time.Time{}
		}
		if err := json.Unmarshal([]byte(row.Counts), &runs[i].RunCounts); err != nil {
			return page.Page[imported.Run]{}, fmt.Errorf("decode run %d of imports: %w", row.ID, err)
		}
	}
	return page.With(rows, runs), nil
}

func (v ImportStore) RejectsOf(ctx context.Context, id imported.RunID) (rejects []imported.RejectedLine, err error) {
	var stored []string
	stored, err = engine.ReadAll(ctx, v.s.DB, "SELECT rejects FROM import_runs WHERE id = $1", []any{int64(id)},
		func(scan engine.Scanner) (lines string, err error) {
			err = scan(&lines)
			return lines, err
		})
	switch {
	case err != nil:
		return nil, err
	case len(stored) == 0:
		return nil, imported.ErrNoRun
	}
	if err := json.Unmarshal([]byte(stored[0]), &rejects); err != nil {
		return nil, fmt.Errorf("decode rejects of import %d: %w", id, err)
	}
	return rejects, nil
}
