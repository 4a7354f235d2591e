package bunstore

import (
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

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

// readingColumns returns a reader of the columns of an R.
func readingColumns[R any](columns engine.Columns[R], record func(R) personaldata.Record) recordReader {
	return func(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
		row, err := columns.Reader(d)(scan)
		return record(row), err
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
	err := scan(memberColumns.Targets(&m, d, (*int64)(&a.User), &phone, d.List(&scopes), &a.Staff, &a.Disabled,
		engine.OrZeroText[string]{Into: &source}, (*engine.Cover)(&m.Avatar), engine.IntoTime{Into: &m.Seen})...)
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

func readEvent(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
	e, err := eventReader(d)(scan)
	return personaldata.NewEventRecord(e.State), err
}

func readImage(scan engine.Scanner, d engine.Dialect) (personaldata.Record, error) {
	row, err := imageAll.Reader(d)(scan)
	if err != nil {
		return nil, err
	}
	i, err := row.image()
	return personaldata.NewImageRecord(i), err
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
