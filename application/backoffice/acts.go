package backoffice

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/user"
)

var acts = Table[audit.Record]{
	[]string{"id", "at", "by", "by_name", "act", "object", "object_id", "about", "about_name", "reason"},
	func(a audit.Record) [][]any {
		return [][]any{{a.ID, a.At, a.By.Name(), a.ByName, a.Act, a.Object.Kind, a.Object.ID, a.About, a.AboutName, a.Reason}}
	},
}

// Recorded returns the acts of staff that the query admits and the actor may see (MOD-04), which are read by cursors. Where a record
// has lost a name of then, it has the name of now.
func (b *BackOffice) Recorded(ctx context.Context, actor access.Actor, q audit.Query) Listing[audit.Record] {
	q = SeenBy(actor, q)
	return listing("audit", acts, &q.Span, func(r page.Request) (page.Page[audit.Record], error) {
		q.CursorRequest = page.Behind(r.After(), r.Size())
		list, err := b.ports.Audit.List(ctx, q)
		if err != nil {
			return page.Page[audit.Record]{}, err
		}
		var ids []user.ID
		for _, r := range list.Items {
			ids = append(ids, r.By.Staff, r.About)
		}
		names, err := b.Names(ctx, ids...)
		return page.Map(partOf(r, list), func(r audit.Record) audit.Record {
			r.ByName, r.AboutName = cmp.Or(r.ByName, names[r.By.Staff]), cmp.Or(r.AboutName, names[r.About])
			return r
		}), err
	})
}

// SeenBy returns the query of those acts that the actor may see.
func SeenBy(actor access.Actor, q audit.Query) audit.Query {
	if seen := actor.Acts(); q.Acts == nil {
		q.Acts = seen
	} else if seen != nil {
		q.Acts = slices.DeleteFunc(slices.Clone(q.Acts), func(act audit.Act) bool { return !slices.Contains(seen, act) })
	}
	return q
}

// ReadActs returns the query of the parameters by, act and about, which value returns by their names (OFF-05).
func ReadActs(value func(name string) string) (q audit.Query, err error) {
	var wrong fault.Fields
	by, notUID := strconv.ParseInt(value("by"), 10, 64)
	if q.By.Staff = user.ID(by); (notUID != nil || by < 1) && value("by") != "" {
		if q.By, err = audit.Person(value("by")); err != nil {
			wrong.Add("by", "Enter a uid, or the name of a person at the command line.")
		}
	}
	if act := chosen(&wrong, value, "act", "", audit.Acts()...); act != "" {
		q.Acts = []audit.Act{act}
	}
	about, notUID := strconv.ParseInt(value("about"), 10, 64)
	if q.About = user.ID(about); (notUID != nil || about < 1) && value("about") != "" {
		wrong.Add("about", "A positive integer is required.")
	}
	return q, wrong.Err()
}
