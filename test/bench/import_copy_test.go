package bench

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// tablesInOrder finds the tables, those first that others refer to.
const tablesInOrder = `
	WITH RECURSIVE depths (id, depth) AS (
		SELECT oid, 0 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
		UNION
		SELECT c.conrelid, d.depth + 1 FROM depths d JOIN pg_constraint c ON c.contype = 'f' AND c.confrelid = d.id AND c.conrelid <> d.id)
	SELECT id::regclass::text FROM depths GROUP BY id ORDER BY MAX(depth), 1`

// copyTime returns how long COPY takes to store the rows of a database in another one, which gets the program's schema.
func copyTime(ctx context.Context, from, into string) (took time.Duration, err error) {
	if err := prepare(ctx, into); err != nil {
		return 0, err
	}
	source, err := pgx.Connect(ctx, from)
	if err != nil {
		return 0, err
	}
	defer source.Close(context.WithoutCancel(ctx))
	target, err := pgx.Connect(ctx, into)
	if err != nil {
		return 0, err
	}
	defer target.Close(context.WithoutCancel(ctx))
	rows, _ := source.Query(ctx, tablesInOrder)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, err
	}
	for _, name := range tables {
		var isFilled bool // by the schema
		if err := target.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&isFilled); err != nil {
			return 0, err
		}
		if isFilled {
			continue
		}
		var stored bytes.Buffer
		if _, err := source.PgConn().CopyTo(ctx, &stored, "COPY "+name+" TO STDOUT (FORMAT binary)"); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		began := time.Now()
		if _, err := target.PgConn().CopyFrom(ctx, &stored, "COPY "+name+" FROM STDIN (FORMAT binary)"); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		took += time.Since(began)
	}
	return took, nil
}
