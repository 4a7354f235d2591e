package bench

import (
	"fmt"
	"iter"
	"time"

	"plaza/domain/event"
)

// eventFacts are what several tables say of an event.
type eventFacts struct {
	author     int64
	day        time.Time
	category   int64
	permission event.Permission
	status     event.Status
	created    time.Time
	modified   time.Time
	comments   int
	likes      int
}

// event is the i-th of all; the first eventsEach are the first user's.
func (d *dataset) event(i int) eventFacts {
	r := roll("events", i)
	created := r.before(history)
	e := eventFacts{
		author: int64(i/eventsEach + 1), day: d.dayOf(r.IntN(d.days)), category: d.shelves["xfile"].of(i),
		permission: event.Public, status: event.Normal,
		created: created, modified: created.Add(time.Duration(r.IntN(1e6)) * time.Microsecond),
	}
	switch lot := r.IntN(20); {
	case lot < 5:
		e.permission = event.Contact
	case lot < 8:
		e.permission = event.Private
	}
	if r.in(10) {
		e.status = event.Draft
	}
	if r.in(5) {
		e.comments, e.likes = 1+r.IntN(3), r.IntN(4)
	}
	return e
}

func (d *dataset) dayOf(i int) time.Time { return epoch.AddDate(0, 0, -1-i) }

func (e eventFacts) isListed() bool { return e.status == event.Normal && e.permission == event.Public }

func (d *dataset) eventRow(i int) []any {
	e, r := d.event(i), roll("event texts", i)
	title, at, published := r.text(40), spot{}, e.created
	if e.status == event.Draft {
		published = time.Time{}
	}
	if r.in(3) {
		at = pick(r, cities)
		title = at.name + " " + title
	}
	return []any{
		int64(i + 1), e.author, day{e.day}, title, r.text(200), "<p>" + pick(r, words[:20]) + "</p>", orNone(e.category),
		int(e.permission), int(e.status), at.province, at.city, "", e.created, e.modified, orNever(published),
	}
}

// comment is the n-th on an event: by whom, and when.
func (d *dataset) comment(on, n int) (author int64, created time.Time) {
	r := roll("comments", on*8+n)
	return int64(r.IntN(d.users) + 1), d.event(on).modified.Add(time.Duration(n+1) * time.Minute)
}

func (d *dataset) comments() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		var id int64
		for i := range d.events {
			for n := range d.event(i).comments {
				id++
				author, created := d.comment(i, n)
				if !yield([]any{id, int64(i + 1), author, roll("said", i*8+n).text(60), created}) {
					return
				}
			}
		}
	}
}

// plates hang on one event in twenty.
func (d *dataset) plates() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		var id int64
		for i := 0; i < d.events; i += 20 {
			for n := range 1 + i/20%2 {
				id++
				photo := fmt.Sprintf("private/%02x/%08x-%d.jpg", i%256, i, n)
				if !yield([]any{id, int64(i + 1), photo, 1600, 1200, d.event(i).created}) {
					return
				}
			}
		}
	}
}

// liker is the n-th user who likes the event.
func (d *dataset) liker(on, n int) int64 { return int64((on*3+n)%d.users + 1) }

// likes are those of as many users as the event says, one after the other.
func (d *dataset) likes() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range d.events {
			for n := range d.event(i).likes {
				if !yield([]any{int64(i + 1), d.liker(i, n)}) {
					return
				}
			}
		}
	}
}

// news is of every day, in turns from each city and from nowhere.
func (d *dataset) news(i int) []any {
	r := roll("news", i)
	at, country := pick(r, cities), "中国"
	if r.in(4) {
		at, country = spot{}, ""
	}
	return []any{
		int64(i + 1), r.text(12), "/logos/site.png", fmt.Sprintf("https://news.example/%d", i+1), r.text(40),
		day{d.dayOf(i % d.days)}, "<p>" + pick(r, words[:20]) + "</p>", "society", at.city, "", at.province, country,
	}
}
