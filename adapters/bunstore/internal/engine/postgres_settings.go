package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// What statements and their answers mean depends on these settings, which a server, a database and
// a role may each set. Every connection sets them itself.
var (
	// trackedSettings are those that a pooler also keeps for each of its clients.
	trackedSettings = map[string]string{
		"standard_conforming_strings": "on", "client_encoding": "UTF8", "datestyle": "ISO, MDY", "timezone": "UTC",
	}
	// otherSettings can't be set behind a pooler. There the server must have these values.
	otherSettings = map[string]string{
		"intervalstyle": "postgres", "bytea_output": "hex", "extra_float_digits": "1", "array_nulls": "on", "transform_null_equals": "off",
		"gin_fuzzy_search_limit": "0", "default_transaction_isolation": "read committed", "default_transaction_deferrable": "off",
	}
	// givenSettings are the operator's alone: changing them would go against what they are for.
	givenSettings = map[string]string{
		"server_encoding": "UTF8", "default_transaction_read_only": "off", "session_replication_role": "origin",
	}
)

// ErrSettings is why a server does not start, and is not ready: the database has a setting with which
// Plaza would misread it, or could store nothing. The text says which.
var ErrSettings = errors.New("the database's settings do not fit Plaza")

// ping returns ErrSettings if a setting has another value than statements need, or if Postgres refuses new connections.
func (d Postgres) ping(ctx context.Context, db *bun.DB) error {
	needed := maps.Clone(givenSettings)
	maps.Copy(needed, trackedSettings)
	maps.Copy(needed, otherSettings)
	names := slices.Sorted(maps.Keys(needed))
	values, targets := make([]string, len(names)), []any{}
	for i := range values {
		targets = append(targets, &values[i])
	}
	var schema *string
	query := "SELECT current_setting('" + strings.Join(names, "'), current_setting('") + "'), current_schema()"
	err := db.NewRaw(query).Scan(ctx, append(targets, &schema)...)
	if err != nil {
		return err
	}
	for i, name := range names {
		if want := needed[name]; values[i] != want {
			return fmt.Errorf("%w: %s is %q and must be %q", ErrSettings, name, values[i], want)
		}
	}
	if schema == nil {
		return fmt.Errorf("%w: search_path names no schema that exists and that the role may use", ErrSettings)
	}
	return d.Opening.check(ctx)
}
