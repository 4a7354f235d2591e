package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/imported"
)

// step is an action of a person at a time.
type step struct {
	at    time.Time
	who   handle
	where string // its row, for errors
	do    action
}

// action runs the step as the given actor.
type action func(ctx context.Context, s *replay, actor access.Actor) error

// plan collects the steps of all tables, and all errors in the tables, before anything is
// written.
type plan struct {
	files      fs.FS
	zones      map[handle]*time.Location
	joined     map[handle]time.Time
	categories map[string]feed.CategoryID // by slug; "" is none
	published  map[string]time.Time       // by the event's id in the tables
	where      string                     // the row that is planned
	steps      []step
}

// newPlan returns a plan without steps.
func newPlan(files fs.FS) (*plan, error) {
	p := &plan{
		files: files, zones: map[handle]*time.Location{}, joined: map[handle]time.Time{},
		categories: map[string]feed.CategoryID{"": 0}, published: map[string]time.Time{},
	}
	return p, errors.Join(
		eachRecord(files, categoriesFile, func(_ string, c imported.CategoryRecord) error {
			p.categories[c.Slug] = c.ID
			return nil
		}),
		eachRecord(files, peopleFile, func(_ string, someone imported.UserRecord) error {
			zone, err := time.LoadLocation(someone.Timezone)
			p.zones[handle(someone.Source)], p.joined[handle(someone.Source)] = zone, someone.Joined
			return err
		}),
	)
}

func planEach[T any](p *plan, table string, row func(T) error) error {
	return eachRow(p.files, table, func(where string, r T) error {
		p.where = where
		return row(r)
	})
}

// chronological returns the steps in chronological order. Those of the same time are in the order in which they were added.
func (p *plan) chronological() []step {
	return slices.SortedStableFunc(slices.Values(p.steps), func(a, b step) int { return a.at.Compare(b.at) })
}

// add plans an action of the person, who must have joined.
func (p *plan) add(at time.Time, who handle, do action) error {
	joined, err := find(p.joined, "person", who)
	if err == nil && at.Before(joined) {
		err = fmt.Errorf("%s has not joined yet", who)
	}
	p.steps = append(p.steps, step{at, who, p.where, do})
	return err
}

// addLocal plans an action of the person at a time in the person's time zone.
func (p *plan) addLocal(local string, who handle, do action) error {
	at, err := p.instant(who, local)
	if err != nil {
		return err
	}
	return p.add(at, who, do)
}

// addAfter plans an action of the person some time after an event was published.
func (p *plan) addAfter(id string, after time.Duration, who handle, do action) error {
	published, err := find(p.published, "event", id)
	if err != nil {
		return err
	}
	return p.add(published.Add(after), who, do)
}

// instant parses a time in the person's time zone.
func (p *plan) instant(who handle, local string) (time.Time, error) {
	zone, err := find(p.zones, "person", who)
	if err != nil {
		return time.Time{}, err
	}
	return time.ParseInLocation("2006-01-02 15:04", local, zone)
}
