package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// unusual are settings on which the meaning of a statement or of its answer depends, with values that
// operators of other programs use. Those of the second list can't be set behind a pooler.
var unusual = [2][][2]string{
	{{"standard_conforming_strings", "off"}, {"client_encoding", "GBK"}, {"DateStyle", "SQL, DMY"}, {"TimeZone", "'Asia/Kathmandu'"}},
	{
		{"IntervalStyle", "sql_standard"}, {"bytea_output", "escape"}, {"extra_float_digits", "-15"}, {"array_nulls", "off"},
		{"transform_null_equals", "on"}, {"gin_fuzzy_search_limit", "1"}, {"default_transaction_isolation", "serializable"},
	},
}

// MakeUnusual gives the database, for the sessions that begin afterwards, unusual settings: behind a
// pooler those alone that it keeps for each client.
func MakeUnusual(at string, behindPooler bool) error {
	all := unusual[0]
	if !behindPooler {
		all = append(all[:len(all):len(all)], unusual[1]...)
	}
	return set(at, all...)
}

// Set changes a setting of the database, for the sessions that begin afterwards.
func Set(at, setting, value string) error { return set(at, [2]string{setting, value}) }

func set(at string, settings ...[2]string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if err == nil {
			_, err = conn.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{conn.Config().Database}.Sanitize()+" SET "+s[0]+" = "+s[1])
		}
	}
	return errors.Join(err, conn.Close(ctx))
}
