package bunstore

import (
	"context"
	"fmt"
	"iter"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/markup"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// PersonalData implements personaldata.Store. Every writer that it shares rows with takes the same locks in the same
// order, as the comments of Events, Images and ImportStore say.
type PersonalData struct{ s *Store }

// PersonalData returns the store of all that belongs to a person.
func (s *Store) PersonalData() PersonalData { return PersonalData{s} }

// notErased is the condition on users that excludes those whose data was erased.
const notErased = "phone NOT LIKE 'erased-%'"

// personalPage is how many records Records reads at once.
const personalPage = 200

// Records reads in pages: each is a short statement, and nothing is locked between them.
func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		kind, known := v.kinds()[k]
		if !known {
			yield(nil, fmt.Errorf("unknown kind of personal data %q", k))
			return
		}
		for after := kind.begin; ; {
			args := append([]any{int64(id), int64(personalPage)}, after...)
			last := make([]any, len(after))
			records, err := engine.ReadAll(ctx, v.s.DB, kind.records(), args, func(scan engine.Scanner) (personaldata.Record, error) {
				return kind.read(behind(last, scan), v.s.Dialect)
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if len(records) < personalPage {
				return
			}
			after = last
		}
	}
}

// behind returns a Scanner of the columns behind the keys, which it scans into the list.
func behind(keys []any, scan engine.Scanner) engine.Scanner {
	return func(targets ...any) error {
		all := make([]any, 0, len(keys)+len(targets))
		for i := range keys {
			all = append(all, &keys[i])
		}
		return scan(append(all, targets...)...)
	}
}

// Remaining counts in an index.
func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (n int, err error) {
	kind := v.kinds()[k]
	if kind.kept {
		return 0, ctx.Err()
	}
	err = v.s.Read(ctx, func(ctx context.Context) error {
		return v.s.ScanRows(ctx, kind.remaining(), []any{int64(id)}, func(scan func(...any) error) error { return scan(&n) })
	})
	return n, err
}

// Erase runs one transaction. When the account has been erased it also discards deleted rows from the
// files of the database.
func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (n int, err error) {
	kind := v.kinds()[k]
	if kind.kept {
		return 0, ctx.Err()
	}
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		var ids []int64
		err := tx.Run(ctx, engine.Step{Statement: kind.some(), Args: []any{int64(id), int64(limit)}, Row: func(scan func(...any) error) error {
			keys := make([]any, len(kind.begin))
			err := behind(keys, scan)()
			last, _ := keys[len(keys)-1].(int64)
			ids = append(ids, last)
			return err
		}})
		n = len(ids)
		if err != nil || n == 0 || kind.erase == nil {
			return err
		}
		n, err = kind.erase(ctx, tx, id, ids)
		return err
	})
	if err == nil && n == 0 && k == personaldata.Account {
		err = v.s.Call(ctx, func(ctx context.Context) error { return v.s.Dialect.DiscardDeleted(ctx, v.s.Writer) })
	}
	return n, err
}

func (v PersonalData) Charge(ctx context.Context, charges ...ratelimit.Charge) error {
	return v.s.write(ctx, func(_ context.Context, tx *listedTransaction) error {
		chargeAll(tx.Tx, charges)
		return nil
	})
}

// numbersOf runs a statement that returns numbers.
func numbersOf(ctx context.Context, tx *listedTransaction, statement string, args ...any) (all []int64, err error) {
	err = tx.Run(ctx, engine.Step{Statement: statement, Args: args, Row: func(scan func(...any) error) error {
		var value int64
		err := scan(&value)
		all = append(all, value)
		return err
	}})
	return all, err
}

// recordReader scans a row into a record.
type recordReader func(engine.Scanner, engine.Dialect) (personaldata.Record, error)

// reading returns a reader of rows into an R, which record turns into a record.
func reading[R any](targets func(*R) []any, record func(R) personaldata.Record) recordReader {
	return func(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
		var row R
		err := scan(targets(&row)...)
		return record(row), err
	}
}

// readingModel returns a reader of the columns of a model.
func readingModel[R any](s *Store, record func(R) personaldata.Record) recordReader {
	return func(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
		var row R
		err := scan(engine.TargetsOf(s.DB, &row)...)
		return record(row), err
	}
}

// readingText returns a reader of the columns of a model, and of its text.
func readingText[R any](s *Store, record func(R, markup.HTML) personaldata.Record) recordReader {
	return func(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
		var row R
		var html string
		err := scan(append(engine.TargetsOf(s.DB, &row), &html)...)
		return record(row, markup.HTML(html)), err
	}
}

// readingLogins returns a reader of a network and a time.
func readingLogins(record func(string, time.Time) personaldata.Record) recordReader {
	return func(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
		var network string
		var at time.Time
		err := scan(&network, engine.IntoTime{Into: &at})
		return record(network, at), err
	}
}

// optionalTarget scans an ID; NULL becomes zero.
func optionalTarget[N ~int64](id *N) any { return engine.OrZeroNumber[N]{Into: id} }

func readAccount(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
	var a access.Account
	var m user.Member
	var phone, source string
	var scopes []string
	err := scan((*int64)(&a.User), &phone, d.List(&scopes), &a.Staff, &a.Disabled,
		engine.OrZeroText[string]{Into: &source}, (*engine.Cover)(&m.Avatar), engine.IntoTime{Into: &m.Seen},
		&m.Firstname, &m.Lastname, &m.Expertise, &m.Location, &m.Timezone, engine.IntoTime{Into: &m.Joined})
	if err != nil {
		return nil, err
	}
	a.Phone, err = phoneOf(phone)
	a.Scopes = scopesOf(scopes)
	return personaldata.NewAccountRecord(a, m, source), err
}

func readSession(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
	var t access.Token
	var scopes []string
	err := scan((*int64)(&t.ID), d.List(&scopes), (*int64)(&t.TTL), engine.IntoTime{Into: &t.Created}, engine.IntoTime{Into: &t.Used})
	t.Scopes = scopesOf(scopes)
	return personaldata.NewSessionRecord(t), err
}

func readEvent(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
	e, err := scanEvent(scan)
	return personaldata.NewEventRecord(e.state()), err
}

func readImage(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
	row, err := scanImage(scan, d)
	if err != nil {
		return nil, err
	}
	i, err := row.image()
	return personaldata.NewImageRecord(i), err
}

func readNotification(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
	var id notification.ID
	var n notification.Notice
	err := scan((*int64)(&id), (*string)(&n.Kind), (*int64)(&n.By), &n.Object, engine.IntoTime{Into: &n.Created})
	return personaldata.NewNotificationRecord(id, n), err
}

func readPrepayment(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
	var of payment.OrderID
	var p payment.Prepayment
	err := scan((*int64)(&of), (*string)(&p.TradeNo), (*int)(&p.Intent.EndType), (*string)(&p.Intent.App), &p.Intent.OpenID,
		(*string)(&p.State), engine.IntoTime{Into: &p.Created})
	return personaldata.NewPrepaymentRecord(of, p), err
}

func readKey(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
	var name, made string
	var since time.Time
	var id int64
	err := scan(&name, engine.IntoTime{Into: &since}, &made, optionalTarget(&id))
	return personaldata.NewIdempotencyKeyRecord(name, since, idempotency.Kind(made), id), err
}

func readRateLimit(scan engine.Scanner, _ engine.Dialect) (personaldata.Record, error) {
	var action string
	var until int64 // microseconds since 1970
	err := scan(&action, &until)
	return personaldata.NewRateLimitRecord(ratelimit.Action(action), time.UnixMicro(until).UTC()), err
}
