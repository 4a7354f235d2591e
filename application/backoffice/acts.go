package backoffice

import (
	"context"
	"slices"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/page"
	"plaza/domain/user"
)

// RecordedAct is an act of staff, with the names of the people whom it names. People whose data was erased have none.
type RecordedAct struct {
	audit.Record
	StaffName, AboutName string
}

// Acts returns the acts of staff behind the cursor that the actor may see, the newest first: all of them, or those about a person
// (MOD-04).
func (b *BackOffice) Acts(ctx context.Context, actor access.Actor, q audit.Query) (page.CursorPage[RecordedAct], error) {
	q.Acts = actor.Acts()
	list, err := b.ports.Audit.List(ctx, q)
	if err != nil {
		return page.CursorPage[RecordedAct]{}, err
	}
	var ids []user.ID
	for _, r := range list.Items {
		ids = append(ids, r.By.Staff, r.About)
	}
	names, err := b.Names(ctx, ids...)
	acts := page.CursorPage[RecordedAct]{Next: list.Next}
	for _, r := range list.Items {
		acts.Items = append(acts.Items, RecordedAct{r, names[r.By.Staff], names[r.About]})
	}
	return acts, err
}

// Names returns the names of the people. Unknown ones, and those whose data was erased, have none.
func (b *BackOffice) Names(ctx context.Context, ids ...user.ID) (map[user.ID]string, error) {
	slices.Sort(ids)
	members, err := b.ports.Directory.Members(ctx, slices.Compact(ids))
	names := make(map[user.ID]string, len(members))
	for _, m := range members {
		names[m.ID] = m.FullName()
	}
	return names, err
}
