package bench

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"plaza/domain/event"
)

// visitor is the i-th caller, and an event of another user that the caller may see: every
// other one of a contact, of whom the callers see more.
func (d *dataset) visitor(table string, i int) (caller, on int) {
	r := roll(table, i)
	caller = r.IntN(d.tokens())
	for {
		author := r.IntN(d.users)
		if r.in(2) {
			author = (caller + 1) % d.users
		}
		on = author*eventsEach + r.IntN(eventsEach)
		e := d.event(on)
		isOpen := e.permission == event.Public || e.permission == event.Contact && author == (caller+1)%d.users
		if author != caller && isOpen && e.status == event.Normal {
			return caller, on
		}
	}
}

func visit(d *dataset, i int) request {
	caller, on := d.visitor("event", i)
	q := getAs(caller, fmt.Sprintf("/api/xfile/event/%d/", on+1))
	q.part = fmt.Appendf(nil, `"id":%d,`, on+1)
	return q
}

// visitAuthor asks for the events of the author of one that the caller may see.
func visitAuthor(d *dataset, i int) request {
	caller, on := d.visitor("list", i)
	q := getAs(caller, fmt.Sprintf("/api/xfile/event/%d/view-list/", on/eventsEach+1))
	q.part = fmt.Appendf(nil, `"id":%d,`, on+1)
	return q
}

// followedEvents asks for the timeline of a user who follows many.
func followedEvents(d *dataset, i int) request {
	r := roll("timeline", i)
	return getAs(r.IntN((d.tokens()-1)/readersApart+1)*readersApart, "/api/xfile/event/following/")
}

// followedCards is followedEvents without the moment, news and comments, which Plaza does not read then (GEN-17).
func followedCards(d *dataset, i int) request {
	r := roll("timeline", i)
	return getAs(r.IntN((d.tokens()-1)/readersApart+1)*readersApart, "/api/xfile/event/following/?fields="+
		"id,event_time,title,content,plates.sizes.sm,user.uid,user.username,user.avatars.sizes.sm,comment_count,like_count")
}

// searched asks for one to three words of the title of an event or a demand, and every twentieth time for one that no text has.
func searched(d *dataset, i int) request {
	r := roll("search", i)
	title := roll("event texts", r.IntN(d.events))
	if r.in(2) {
		title = roll("demand texts", r.IntN(d.demands))
	}
	from := strings.Fields(strings.ReplaceAll(title.text(40), "&", "")) // a mark is no word
	q := "unheard"
	if !r.in(20) {
		q = pick(r, from)
		for range r.IntN(3) {
			q += " " + pick(r, from)
		}
	}
	return getAs(r.IntN(d.tokens()), "/api/search/?q="+url.QueryEscape(q))
}

func comment(d *dataset, i int) request {
	caller, on := d.visitor("comment", i)
	q := withSerial("POST", "/api/activity/comment/", authorised(caller), fmt.Sprintf(`{"event": %d, "content": "A walk `, on+1), `"}`)
	q.status, q.part = http.StatusCreated, []byte(`"content":"A walk `)
	q.reread = getAs(caller, fmt.Sprintf("/api/activity/comment/?event=%d&page_size=1", on+1)).raw
	q.differs = []string{"id", "content", "create_time"}
	return q
}

// like is of an event that the caller does not like yet: the events come one after the other,
// and every time with another caller.
func like(d *dataset, i int) request {
	caller, on := (i+i/d.events)%d.tokens(), i*stride%d.events
	for e := d.event(on); !e.isListed() || e.author == int64(caller+1) || d.isLiked(on, caller); e = d.event(on) {
		on = (on + 1) % d.events
	}
	path := fmt.Sprintf("/api/activity/like/%d/", on+1)
	q := withBody("PUT", path, authorised(caller), "")
	q.status, q.once = http.StatusNoContent, true
	q.reread = getAs(caller, path).raw
	return q
}

// isLiked says whether the dataset has the user's like.
func (d *dataset) isLiked(on, user int) bool {
	for n := range d.event(on).likes {
		if d.liker(on, n) == int64(user+1) {
			return true
		}
	}
	return false
}
