package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

type ImportStore view

func (v ImportStore) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	return write(ctx, v.s, func() ([]imported.Outcome, error) {
		for _, record := range b.Records {
			if err := checkRecord(record); err != nil {
				return nil, err
			}
		}
		tree := map[feed.CategoryID]feed.CategoryID{}
		for _, c := range v.s.categories {
			tree[c.ID] = c.Parent
		}
		ready, outcomes := imported.Decide(b.Records, v.s.existingAccounts, v.s.known(imported.NeedsOf(b.Records)), tree)
		for _, i := range ready {
			outcomes[i].Status = v.s.storeRecord(b.Records[i])
		}
		v.s.imports.progress[b.Import] = bytes.Clone(b.Progress)
		return outcomes, nil
	})
}

// existingAccounts returns the user's account and the account that has the user's phone number.
func (s *Store) existingAccounts(p imported.UserRecord) (own, holder *imported.ExistingAccount) {
	of := func(id user.ID) *imported.ExistingAccount {
		return &imported.ExistingAccount{Source: s.imports.sources[id], Phone: s.accounts[id].Phone}
	}
	if id, is := s.imports.users[p.Source]; is {
		own = of(id)
	}
	if id, is := s.telephones[p.Phone.E164()]; is {
		holder = of(id)
	}
	return own, holder
}

func (v ImportStore) Progress(ctx context.Context, name string) ([]byte, error) {
	return read(ctx, v.s, func() ([]byte, error) { return bytes.Clone(v.s.imports.progress[name]), nil })
}

func (v ImportStore) Finish(ctx context.Context, name string) error {
	return exec(ctx, v.s, func() error {
		delete(v.s.imports.progress, name)
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

func (v ImportStore) BeginRun(ctx context.Context, began time.Time, files []string) (imported.RunID, error) {
	return write(ctx, v.s, func() (imported.RunID, error) {
		r := imported.Run{
			ID: imported.RunID(len(v.s.imports.runs) + 1), State: imported.RunUnfinished, Began: began, RunCounts: imported.RunCounts{Files: files},
		}
		v.s.imports.runs, v.s.imports.rejects = append(v.s.imports.runs, copyOf(r)), append(v.s.imports.rejects, nil)
		return r.ID, nil
	})
}

func (v ImportStore) EndRun(ctx context.Context, r imported.Run, rejects []imported.RejectedLine) error {
	return exec(ctx, v.s, func() error {
		v.s.imports.runs[r.ID-1], v.s.imports.rejects[r.ID-1] = copyOf(r), cloneRejects(first(rejects, imported.MaxRejects))
		return nil
	})
}

func cloneRejects(all []imported.RejectedLine) []imported.RejectedLine {
	cloned := copyOf(all)
	for i := range cloned {
		cloned[i].Fields = maps.Clone(cloned[i].Fields)
	}
	return cloned
}

func (v ImportStore) Runs(ctx context.Context, f imported.RunFilter, p page.Request) (page.Page[imported.Run], error) {
	return read(ctx, v.s, func() (page.Page[imported.Run], error) {
		selected := filter(slices.Values(copyOf(v.s.imports.runs)), func(r imported.Run) bool {
			return (f.State == "" || r.State == f.State) && (!f.IsRejecting || len(v.s.imports.rejects[r.ID-1]) > 0) && f.Has(r.Began)
		})
		key := page.Keys(f.Span, func(r imported.Run) page.Cursor { return page.Cursor{ID: int64(r.ID)} })
		return page.Slice(p, sorted(selected, latest(key)), key)
	})
}

func (v ImportStore) RejectsOf(ctx context.Context, id imported.RunID) ([]imported.RejectedLine, error) {
	return read(ctx, v.s, func() ([]imported.RejectedLine, error) {
		if id < 1 || int(id) > len(v.s.imports.rejects) {
			return nil, imported.ErrNoRun
		}
		return cloneRejects(v.s.imports.rejects[id-1]), nil
	})
}

func (v ImportStore) Known(ctx context.Context, refs []imported.Ref) (map[imported.Ref]bool, error) {
	return read(ctx, v.s, func() (map[imported.Ref]bool, error) { return v.s.known(refs), nil })
}

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (p media.Picture, found bool, err error) {
	p, err = read(ctx, v.s, func() (media.Picture, error) {
		p, found = v.s.imports.covers[d]
		return copyOf(p), nil
	})
	return p, found, err
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (media.Picture, error) {
	return write(ctx, v.s, func() (media.Picture, error) {
		if _, is := v.s.imports.covers[d]; !is {
			v.s.imports.covers[d] = copyOf(p)
		}
		return copyOf(v.s.imports.covers[d]), nil
	})
}
