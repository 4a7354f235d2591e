package bunstore

import (
	"context"
	"fmt"
	"iter"

	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// PersonalData implements personaldata.Store. Every writer that it shares rows with takes the same locks in the same
// order, as the comments of Events, Images and ImportStore say.
type PersonalData struct{ s *Store }

// PersonalData returns the store of all that belongs to a person.
func (s *Store) PersonalData() PersonalData { return PersonalData{s} }

var _ personaldata.Store = PersonalData{}

// notErased is the condition on users that excludes those whose data was erased.
const notErased = "phone NOT LIKE 'erased-%'"

// personalSteps are the statements for the data of one person. Each reads only entries of indexes that belong to the
// person.
type personalSteps struct {
	personRecords   map[personaldata.Kind]string // $1 user, then the key before the first record, then the limit
	personRemaining map[personaldata.Kind]string // $1 user
	personErase     map[personaldata.Kind]string // $1 user, $2 limit
	eraseSteps
}

func newPersonalSteps(d dialect) personalSteps {
	s := personalSteps{
		personRecords: map[personaldata.Kind]string{}, personRemaining: remainingStatements(), personErase: map[personaldata.Kind]string{},
		eraseSteps: newEraseSteps(d),
	}
	for kind, read := range personalReads(d) {
		s.personRecords[kind] = read.statement()
	}
	for kind, e := range erasable() {
		s.personErase[kind] = e.statement()
	}
	return s
}

// personalPage is how many records Records reads at once.
const personalPage = 200

// Records reads in pages: each is a short statement, and nothing is locked between them.
func (v PersonalData) Records(ctx context.Context, id user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		read, known := personalReads(v.s.dialect)[k]
		if !known {
			yield(nil, fmt.Errorf("unknown kind of personal data %q", k))
			return
		}
		for after := read.begin; ; {
			last := read.keyTargets()
			args := append(append([]any{int64(id)}, after...), int64(personalPage))
			records, err := readAll(ctx, v.s, v.s.sql.personRecords[k], args, read.read(v.s.dialect, last))
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
			after = values(last)
		}
	}
}

// Remaining counts in an index.
func (v PersonalData) Remaining(ctx context.Context, id user.ID, k personaldata.Kind) (n int, err error) {
	statement, is := v.s.sql.personRemaining[k]
	if !is {
		return 0, ctx.Err()
	}
	err = v.s.read(ctx, func(ctx context.Context) error {
		return v.s.each(ctx, statement, []any{int64(id)}, func(scan func(...any) error) error { return scan(&n) })
	})
	return n, err
}

// Erase runs one transaction. When the account has been erased it also discards deleted rows from the
// files of the database.
func (v PersonalData) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (n int, err error) {
	erase := map[personaldata.Kind]func(context.Context, *transaction, user.ID, int) (int, error){
		personaldata.Events: v.eraseEvents, personaldata.Comments: v.eraseComments, personaldata.Likes: v.eraseLikes,
		personaldata.Images: v.eraseImages, personaldata.Account: v.eraseAccount,
		personaldata.Publications: v.eraseRecords(personaldata.Publications), personaldata.Nodes: v.eraseRecords(personaldata.Nodes),
		personaldata.Demands: v.eraseRecords(personaldata.Demands),
	}[k]
	if erase == nil {
		if v.s.sql.personErase[k] == "" { // a kind that is kept
			return 0, ctx.Err()
		}
		erase = func(ctx context.Context, tx *transaction, id user.ID, limit int) (int, error) {
			return rowsOf(ctx, tx, v.s.sql.personErase[k], int64(id), int64(limit))
		}
	}
	err = v.s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		n, err = erase(ctx, tx, id, limit)
		return err
	})
	if err == nil && n == 0 && k == personaldata.Account {
		err = v.s.call(ctx, func(ctx context.Context) error { return v.s.dialect.discardDeleted(ctx, v.s.db) })
	}
	return n, err
}

// rowsOf runs a statement that returns a row for each row that it changes, and returns their number.
func rowsOf(ctx context.Context, tx *transaction, statement string, args ...any) (n int, err error) {
	err = tx.run(ctx, step{statement: statement, args: args, row: func(scan func(...any) error) error {
		n++
		return scan(new(int64))
	}})
	return n, err
}
