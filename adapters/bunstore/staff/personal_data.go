package staff

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// PersonalData implements personaldata.Store. Every writer that it shares rows with takes the same locks in the same
// order, as the comments of diary.Events, diary.Images and imports.Store say.
type PersonalData struct{ DB *engine.DB }

// personalPage is how many records Records reads at once.
const personalPage = 200

// exported is a record, or the error of its row, and the keys that order it.
type exported struct {
	record personaldata.Record
	keys   []any
	err    error
}

func keyed(record personaldata.Record, keys ...any) exported { return exported{record, keys, nil} }

// personalRecords yields the records of a kind. It reads in pages: each is a short statement, and nothing is locked between
// them.
type personalRecords func(ctx context.Context, db *engine.DB, id user.ID, yield func(personaldata.Record, error) bool)

// exporting returns what yields the record that export makes of each row of the statement. That finds those of the user $1 behind
// the key $3, and $4, at most $2 in the order of the keys. The keys of a zero R are less than all others.
func exporting[R any](statement string, export func(*R) exported) personalRecords {
	return func(ctx context.Context, db *engine.DB, id user.ID, yield func(personaldata.Record, error) bool) {
		for after := export(new(R)).keys; ; {
			rows, err := engine.All[R](ctx, db, statement, append([]any{id, personalPage}, after...)...)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range rows {
				next := export(&rows[i])
				if after = next.keys; !yield(next.record, next.err) || next.err != nil {
					return
				}
			}
			if len(rows) < personalPage {
				return
			}
		}
	}
}

// exportingRows is exporting for the rows of a model that satisfy the condition on the user ?0. bun makes the statement, of the
// model's columns and of more. The key is one column or two.
func exportingRows[R any](condition, key string, export func(*R) exported, more ...string) personalRecords {
	return func(ctx context.Context, db *engine.DB, id user.ID, yield func(personaldata.Record, error) bool) {
		places := []string{"$3", "$4"}[:len(export(new(R)).keys)]
		query := db.Reader.NewSelect().Model((*R)(nil)).ColumnExpr("?TableColumns").Where(condition, bun.Safe("$1")).
			Where("(?) > (?)", bun.Safe(key), bun.Safe(strings.Join(places, ", "))).
			OrderExpr("? LIMIT CAST($2 AS bigint)", bun.Safe(key))
		for _, column := range more {
			query = query.ColumnExpr(column)
		}
		exporting(query.String(), export)(ctx, db, id, yield)
	}
}

func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		kind, known := personalKinds[k]
		if !known {
			yield(nil, fmt.Errorf("unknown kind of personal data %q", k))
			return
		}
		kind.records(ctx, v.DB, id, yield)
	}
}

// Remaining counts in an index.
func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (n int, err error) {
	kind := personalKinds[k]
	if kind.table == "" {
		return 0, ctx.Err()
	}
	err = v.DB.Read(ctx, func(ctx context.Context) error {
		return v.DB.Reader.NewSelect().Table(kind.table).ColumnExpr("COUNT(*)").Where(kind.left, id).Scan(ctx, &n)
	})
	return n, err
}

// Erase runs one transaction. When the account has been erased it also discards deleted rows from the
// files of the database.
func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (n int, err error) {
	kind := personalKinds[k]
	if kind.table == "" {
		return 0, ctx.Err()
	}
	err = v.DB.Write(ctx, func(tx *engine.Tx) (err error) {
		some := engine.Limited(tx.NewSelect().Table(kind.table).ColumnExpr(kind.key).Where(kind.left, id), limit)
		if kind.erase == nil {
			n, err = kind.change(tx, id, some)
			return err
		}
		var keys []int64
		if err := some.Scan(tx.Context(), &keys); err != nil || len(keys) == 0 {
			n = 0
			return err
		}
		n, err = kind.erase(v, tx, id, keys)
		return err
	})
	if err == nil && n == 0 && k == personaldata.Account {
		err = v.DB.DiscardDeleted(ctx)
	}
	return n, err
}

// change deletes or blanks some rows. It repeats the condition outside of the limit, so that no plan reads the rows of
// everyone.
func (kind personalKind) change(tx *engine.Tx, id user.ID, some *bun.SelectQuery) (int, error) {
	among := "(" + kind.key + ") IN (?)"
	if kind.set != "" {
		return engine.Written(tx.NewUpdate().Table(kind.table).Set(kind.set).Where(kind.left, id).Where(among, some).Exec(tx.Context()))
	}
	return engine.Written(tx.NewDelete().Table(kind.table).Where(kind.left, id).Where(among, some).Exec(tx.Context()))
}

func (v PersonalData) Charge(ctx context.Context, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		people.ChargeAll(tx, charges)
		return nil
	})
}
