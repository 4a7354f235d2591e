// Package demo has the demo data: a dozen fictional users and a robot, with their diaries of
// autumn 2026, comments, publications, translations, images, demands and orders. For the back office one of them advertises, and an
// order was paid twice.
//
// The data is in files beside the code. Users, publications and other importable records are in the format of an
// import. The rest is in tables and is replayed through the use cases in chronological order,
// with a clock set to the time of each action. So the data obeys all rules, users comment only
// on events that they may see, and the result is always the same.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"plaza/domain/access"
	"plaza/domain/imported"
	"plaza/domain/user"
)

// Load writes the demo data, unless its first account has a password: then it changes nothing.
// On an empty store the uids are the line numbers of people.jsonl. Records that were
// imported before stay unchanged. A Load that was interrupted after the import is not
// completed later.
func Load(ctx context.Context, p Ports) error { return load(ctx, p, embedded) }

func load(ctx context.Context, p Ports, files fs.FS) error {
	loaded, err := isLoaded(ctx, p.Accounts, p.Directory)
	if err != nil || loaded {
		return err
	}
	steps, err := stepsOf(files)
	if err != nil {
		return err
	}
	if err := importRecords(ctx, p.Importer, files); err != nil {
		return err
	}
	s := newReplay(p)
	for _, d := range steps {
		s.now = d.at
		if err := d.do(ctx, s, s.actors[d.who]); err != nil {
			return fmt.Errorf("%s: %s: %w", d.where, d.who, err)
		}
	}
	return nil
}

// Check returns why Load would refuse the store: ErrRemoved after Remove, or access.ErrPhoneTaken if an account of another person
// has a phone number of the demo data, whose password Load would change.
func Check(ctx context.Context, accounts access.Accounts, directory user.Directory) error {
	_, err := isLoaded(ctx, accounts, directory)
	return err
}

// isLoaded reports whether the demo data is loaded. Its errors are those of Check.
func isLoaded(ctx context.Context, accounts access.Accounts, directory user.Directory) (bool, error) {
	own, err := demoAccounts(ctx, accounts, directory)
	switch {
	case err != nil:
		return false, err
	case slices.ContainsFunc(own, isRemoved):
		return false, ErrRemoved
	case slices.ContainsFunc(own, func(a access.Account) bool { return a.Hash != "" }):
		return true, nil
	}
	people, err := people(embedded)
	for _, someone := range people {
		account, none := accounts.ByPhone(ctx, someone.Phone)
		switch {
		case none == nil && account.Hash != "":
			return false, fmt.Errorf("%s: %w", someone.Source, access.ErrPhoneTaken)
		case none != nil && !errors.Is(none, access.ErrNoAccount):
			return false, none
		}
	}
	return false, err
}

// stepsOf reads all tables and returns their steps in chronological order; those of the same
// time are in the order of the tables.
func stepsOf(files fs.FS) ([]step, error) {
	p, err := newPlan(files)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		eachRecord(files, peopleFile, func(where string, someone imported.UserRecord) error {
			p.where = where
			return p.join(someone)
		}),
		planEach(p, "follows", p.follow),
		planEach(p, "blocks", p.block),
		planEach(p, "events", p.write),
		planEach(p, "plates", p.attach),
		planEach(p, "likes", p.like),
		planEach(p, "comments", p.comment),
		planEach(p, "images", p.upload),
		planEach(p, "orders", p.order),
		planEach(p, paidTwice, p.payTwice),
		planEach(p, "reports", p.report),
		planEach(p, "disabled", p.disable),
	)
	return p.chronological(), err
}
