package staff

import (
	"context"
	"fmt"
	"iter"
	"plaza/adapters/bunstore/people"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// PersonalData implements personaldata.Store. Every writer that it shares rows with takes the same locks in the same
// order, as the comments of Events, Images and ImportStore say.
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

// exporting returns what yields the record that export makes of each row of the statement. The keys of a zero R are less
// than all others.
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
		ctx := tx.Context()
		some := engine.Limited(tx.NewSelect().Table(kind.table).ColumnExpr(kind.key).Where(kind.left, id), limit)
		if kind.erase == nil {
			n, err = kind.change(ctx, tx, id, some)
			return err
		}
		var keys []int64
		if err := some.Scan(ctx, &keys); err != nil || len(keys) == 0 {
			n = 0
			return err
		}
		n, err = kind.erase(v, ctx, tx, id, keys)
		return err
	})
	if err == nil && n == 0 && k == personaldata.Account {
		err = v.DB.Call(ctx, v.DB.DiscardDeleted)
	}
	return n, err
}

// change deletes or blanks some rows. It repeats the condition outside of the limit, so that no plan reads the rows of
// everyone.
func (kind personalKind) change(ctx context.Context, tx *engine.Tx, id user.ID, some *bun.SelectQuery) (int, error) {
	among := "(" + kind.key + ") IN (?)"
	if kind.set != "" {
		return engine.Written(tx.NewUpdate().Table(kind.table).Set(kind.set).Where(kind.left, id).Where(among, some).Exec(ctx))
	}
	return engine.Written(tx.NewDelete().Table(kind.table).Where(kind.left, id).Where(among, some).Exec(ctx))
}

func (v PersonalData) Charge(ctx context.Context, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		people.ChargeAll(tx, charges)
		return nil
	})
}
