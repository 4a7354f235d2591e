package importing

import "plaza/domain/imported"

// Count counts stored records.
type Count struct {
	New     int64 `json:"new"`
	Changed int64 `json:"changed"`
	Same    int64 `json:"unchanged"`
}

// Stored returns the total.
func (c Count) Stored() int64 { return c.New + c.Changed + c.Same }

// Summary counts the lines of an import and their results.
type Summary struct {
	Lines    int64                   `json:"lines"` // lines read, blank ones included
	Kinds    map[imported.Kind]Count `json:"kinds"`
	Replaced int64                   `json:"replaced"` // lines that could not be stored and were superseded by a later one of the same record
	Rejected int64                   `json:"rejected"`
	Waiting  int64                   `json:"waiting"` // for records that may be in the unread rest of a damaged file
	Done     float64                 `json:"-"`       // part of the work that is done, from 0 to 1
}

// All returns the sum over all kinds.
func (s Summary) All() Count {
	var sum Count
	for _, c := range s.Kinds {
		sum = Count{New: sum.New + c.New, Changed: sum.Changed + c.Changed, Same: sum.Same + c.Same}
	}
	return sum
}

// Records returns the number of records that were stored, replaced or rejected.
func (s Summary) Records() int64 { return s.All().Stored() + s.Replaced + s.Rejected }

// count counts a record that was stored. Bundles that are read again count only if they were not
// stored in an earlier reading.
func (r *run) count(kind imported.Kind, status imported.Status) {
	c := r.summary.Kinds[kind]
	switch {
	case kind == imported.Bundle && r.at.Reading > 1:
		if status == imported.New {
			r.newBundles++
		}
		return
	case status == imported.New:
		c.New++
	case status == imported.Changed:
		c.Changed++
	default:
		c.Same++
	}
	r.summary.Kinds[kind] = c
}

// beginNextReading counts the bundles that waited in the reading before and were stored in this
// one. None of them was the same as the stored one, because that one needs no other bundles.
func (r *run) beginNextReading() {
	if stored := r.at.WaitingBefore - r.at.Waiting; r.at.Reading > 1 && stored > 0 {
		added := min(r.newBundles, stored)
		c := r.summary.Kinds[imported.Bundle]
		c.New, c.Changed = c.New+added, c.Changed+stored-added
		r.summary.Kinds[imported.Bundle] = c
	}
	r.at, r.newBundles = r.at.next(), 0
}

// progressed reports the summary after a step with the file.
func (r *run) progressed(n int) {
	var read, size int64
	for _, f := range r.files {
		r, of := f.Size()
		read, size = read+r, size+of
	}
	part := float64(read) / float64(max(size, 1))
	switch {
	case r.at.Last:
		part = (1 + part) / 2
	case r.at.Reading == 1:
		part /= 2
	default:
		part = 0.5
	}
	r.summary.Done = part
	r.watcher.Progressed(r.files[n].Source, r.summary)
}
