package memory

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// ImportStore is the store as imported.Store.
type ImportStore struct{ s *Store }

// Imports returns the store's port for imported records.
func (s *Store) Imports() ImportStore { return ImportStore{s} }

var _ imported.Store = ImportStore{}

// importState is the state of finished and running imports.
type importState struct {
	users      map[string]user.ID // by source id
	sources    map[user.ID]string
	hadAccount map[user.ID]bool // had an account before
	bundles    map[publication.BundleID]publication.Bundle
	news       map[string]int // indexes in the store's news
	waiting    map[lineKey]waitingLine
	arrivals   number
	progress   map[string][]byte
	completion imported.Completion // the last one
	covers     map[imported.Digest]media.Picture
}

func newImportState() importState {
	return importState{
		users: map[string]user.ID{}, sources: map[user.ID]string{}, hadAccount: map[user.ID]bool{},
		bundles: map[publication.BundleID]publication.Bundle{}, news: map[string]int{},
		waiting: map[lineKey]waitingLine{}, progress: map[string][]byte{}, covers: map[imported.Digest]media.Picture{},
	}
}

// lineKey identifies a line.
type lineKey struct {
	file   string
	number int64
}

type waitingLine struct {
	arrived int64
	ref     imported.Ref
	raw     []byte
}

func (v ImportStore) Apply(ctx context.Context, d imported.Batch) (imported.BatchResult, error) {
	return write(ctx, v.s, func() (imported.BatchResult, error) {
		for _, line := range d.Lines {
			if err := checkRecord(line.Record); err != nil {
				return imported.BatchResult{}, err
			}
		}
		return v.s.applyBatch(d), nil
	})
}

// applyBatch stores the batch. It can't fail, so it never stores a part.
func (s *Store) applyBatch(d imported.Batch) imported.BatchResult {
	c := &s.imports
	for _, n := range d.Abandoned {
		delete(c.waiting, lineKey{d.File, n})
	}
	outcomes, ready := s.plan(d.Lines)
	stored := map[imported.Ref]int64{} // arrival numbers of their lines
	for _, i := range ready {
		line := d.Lines[i]
		outcomes[i].Status = s.storeRecord(line.Record)
		stored[line.Record.Ref()] = c.arrived(d.File, line.Number)
	}
	for i, line := range d.Lines {
		at := lineKey{d.File, line.Number}
		if !outcomes[i].IsStored() {
			c.waiting[at] = waitingLine{c.arrived(d.File, line.Number), line.Record.Ref(), bytes.Clone(line.Raw)}
		} else {
			delete(c.waiting, at)
		}
	}
	replaced := 0
	maps.DeleteFunc(c.waiting, func(_ lineKey, w waitingLine) bool {
		at, is := stored[w.ref]
		if is = is && w.arrived < at; is {
			replaced++
		}
		return is
	})
	c.progress[d.File] = bytes.Clone(d.Progress)
	return imported.BatchResult{Outcomes: outcomes, Replaced: replaced}
}

// arrived returns the arrival number of a waiting line, or a new one.
func (c *importState) arrived(file string, number int64) int64 {
	if w, waits := c.waiting[lineKey{file, number}]; waits {
		return w.arrived
	}
	return c.arrivals.next()
}

// plan returns the outcomes of the lines, and the indexes of those to store, in order.
func (s *Store) plan(lines []imported.Line) (outcomes []imported.Outcome, ready []int) {
	outcomes = make([]imported.Outcome, len(lines))
	var batch []imported.Record
	var places []int
	phones := map[user.Phone]string{} // claimed by this batch
	for i, line := range lines {
		if p, is := line.Record.(imported.UserRecord); is {
			if wrong := p.Problem(s.existingAccounts(p, phones)); wrong != nil {
				outcomes[i] = imported.Outcome{Status: imported.Refused, Wrong: wrong}
				continue
			}
			phones[p.Phone] = p.Source
		}
		batch, places = append(batch, line.Record), append(places, i)
	}
	tree := map[feed.CategoryID]feed.CategoryID{}
	for _, c := range s.categories {
		tree[c.ID] = c.Parent
	}
	plan := imported.PlanOf(batch, s.known(imported.NeedsOf(batch)), tree)
	for i, wrong := range plan.Missing {
		outcomes[places[i]] = imported.Outcome{Status: imported.Waits, Wrong: wrong}
	}
	for _, i := range plan.Ready {
		ready = append(ready, places[i])
	}
	return outcomes, ready
}

// existingAccounts returns the user's account and the account that has the user's phone number.
func (s *Store) existingAccounts(p imported.UserRecord, taken map[user.Phone]string) (own, holder *imported.ExistingAccount) {
	of := func(id user.ID) *imported.ExistingAccount {
		return &imported.ExistingAccount{Source: s.imports.sources[id], Phone: s.accounts[id].Phone}
	}
	if id, is := s.imports.users[p.Source]; is {
		own = of(id)
	}
	if source, is := taken[p.Phone]; is {
		holder = &imported.ExistingAccount{Source: source, Phone: p.Phone}
	} else if id, is := s.phones[p.Phone]; is {
		holder = of(id)
	}
	return own, holder
}

func (v ImportStore) Progress(ctx context.Context, file string) ([]byte, error) {
	return read(ctx, v.s, func() ([]byte, error) {
		return bytes.Clone(v.s.imports.progress[file]), nil
	})
}

func (v ImportStore) Waiting(ctx context.Context, file string, after int64, most, size int) ([]imported.Line, error) {
	return read(ctx, v.s, func() ([]imported.Line, error) {
		var lines []imported.Line
		for at, w := range v.s.imports.waiting {
			if at.file == file && at.number > after {
				lines = append(lines, imported.Line{Number: at.number, Raw: bytes.Clone(w.raw)})
			}
		}
		sortFunc(lines, func(a, b imported.Line) int { return cmp.Compare(a.Number, b.Number) })
		lines = first(lines, max(most, 0))
		for n, l := range lines {
			if size <= 0 {
				return lines[:n], nil
			}
			size -= len(l.Raw)
		}
		return lines, nil
	})
}

func (v ImportStore) Finish(ctx context.Context, files ...string) error {
	return exec(ctx, v.s, func() error {
		for _, file := range files {
			delete(v.s.imports.progress, file)
		}
		maps.DeleteFunc(v.s.imports.waiting, func(at lineKey, _ waitingLine) bool { return slices.Contains(files, at.file) })
		return nil
	})
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	return exec(ctx, v.s, func() error {
		if v.s.imports.completion.Ended.Before(c.Ended) {
			v.s.imports.completion = c
		}
		return nil
	})
}

func (v ImportStore) Known(ctx context.Context, refs []imported.Ref) (map[imported.Ref]bool, error) {
	return read(ctx, v.s, func() (map[imported.Ref]bool, error) {
		return v.s.known(refs), nil
	})
}

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (p media.Picture, found bool, err error) {
	p, err = read(ctx, v.s, func() (media.Picture, error) {
		p, found = v.s.imports.covers[d]
		return copyPicture(p), nil
	})
	return p, found, err
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (media.Picture, error) {
	return write(ctx, v.s, func() (media.Picture, error) {
		if _, is := v.s.imports.covers[d]; !is {
			v.s.imports.covers[d] = copyPicture(p)
		}
		return copyPicture(v.s.imports.covers[d]), nil
	})
}
