package bunstore

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/user"
)

// add adds the rows to the table, if there are any.
func (t *batchApply) add(ctx context.Context, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	return t.tx.Copy(table, columns, rows)
}

// store writes the changes of the table.
func (t *batchApply) store(ctx context.Context, table string, columns []string, c tableChanges) error {
	if err := t.add(ctx, table, columns, c.added); err != nil {
		return err
	}
	return t.tx.Run(ctx, c.changed...)
}

// noteOutcome sets the outcome of the record at the index, and reports whether it must be
// stored.
func (t *batchApply) noteOutcome(index int, stored, same bool) bool {
	switch {
	case !stored:
		t.outcomes[index].Status = imported.New
	case same:
		t.outcomes[index].Status = imported.Same
	default:
		t.outcomes[index].Status = imported.Changed
	}
	return !same || !stored
}

func (t *batchApply) users(ctx context.Context, ready map[imported.Kind][]int) error {
	var added [][]any
	var steps []engine.Step
	var sources []string
	var named, renamed []user.Member // the latter had names
	for _, i := range ready[imported.User] {
		p := t.batch.Records[i].(imported.UserRecord)
		own, has := t.accounts[p.Source]
		next := own.Member
		next.Firstname, next.Lastname = p.Firstname, p.Lastname
		if !own.adopted {
			next = p.Member
			next.ID = own.ID
		}
		if !t.noteOutcome(i, has, reflect.DeepEqual(next, own.Member)) {
			continue
		}
		holder, held := t.holders[p.Phone.E164()]
		switch {
		case has:
			args := append([]any{p.Source}, memberColumns.Values(&next, t.s.Dialect)...)
			steps = append(steps, engine.Step{Statement: t.s.steps.updateUser, Args: args})
			if next.Firstname != own.Firstname || next.Lastname != own.Lastname {
				renamed = append(renamed, next)
			}
		case held:
			t.uids[p.Source] = holder.ID
			steps = append(steps, engine.Step{Statement: t.s.steps.adopt, Args: []any{int64(holder.ID), p.Source, p.Firstname, p.Lastname}})
			renamed = append(renamed, user.Member{ID: holder.ID, Firstname: p.Firstname, Lastname: p.Lastname})
		default:
			a := account{source: p.Source, phone: p.Phone.String(), Member: p.Member}
			added, sources = append(added, newAccounts.Values(&a, t.s.Dialect)), append(sources, p.Source)
			named = append(named, p.Member)
		}
	}
	if err := t.add(ctx, newAccounts.Name, newAccounts.Names(), added); err != nil {
		return err
	}
	if err := t.tx.Run(ctx, appendRead(t, steps, t.s.steps.userIDs, sources, t.scanUser)...); err != nil {
		return err
	}
	for i, source := range sources {
		named[i].ID = t.uids[source]
	}
	if err := t.s.addPrefixes(ctx, t.tx, named...); err != nil {
		return err
	}
	return t.s.replacePrefixes(ctx, t.tx, renamed...)
}

// categories stores the categories in the order of the plan: parents before children.
func (t *batchApply) categories(ctx context.Context, ready map[imported.Kind][]int) error {
	var c tableChanges
	for _, i := range ready[imported.Category] {
		next := t.batch.Records[i].(imported.CategoryRecord).Category
		old, has := t.categoryByID[next.ID]
		if t.noteOutcome(i, has, old == next) {
			c.put(categoryTable.Values(&next, t.s.Dialect), has, t.s.steps.updateCategory)
			t.tx.changes.total(categories, 0)
		}
	}
	return t.store(ctx, categoryTable.Name, categoryTable.Names(), c)
}

func (t *batchApply) nodes(ctx context.Context, ready map[imported.Kind][]int) error {
	var all []replacement
	for _, i := range ready[imported.Node] {
		r := t.batch.Records[i].(imported.NodeRecord)
		r.Author = t.uids[r.By]
		all = t.replace(all, i, item{feed.Node, int64(r.ID)}, r.Node)
	}
	return t.put(ctx, feed.Node, all)
}

func (t *batchApply) demands(ctx context.Context, ready map[imported.Kind][]int) error {
	var all []replacement
	for _, i := range ready[imported.Demand] {
		r := t.batch.Records[i].(imported.DemandRecord)
		r.Author, r.Tags, r.Images = t.uids[r.By], nilIfEmpty(r.Tags), nilIfEmpty(r.Images)
		all = t.replace(all, i, item{feed.Demand, int64(r.ID)}, r.Demand)
	}
	return t.put(ctx, feed.Demand, all)
}

// replacement replaces an old record by the next; old is nil for a new one.
type replacement struct {
	at        item
	old, next feed.Listable
}

// replace appends the record at the index unless it is stored unchanged.
func (t *batchApply) replace(all []replacement, index int, at item, next feed.Listable) []replacement {
	old, has := t.records[at.kind][at.id]
	if !t.noteOutcome(index, has, has && reflect.DeepEqual(old, next)) {
		return all
	}
	return append(all, replacement{at, old, next})
}

// put stores the records of the kind and lists them.
func (t *batchApply) put(ctx context.Context, kind feed.Kind, all []replacement) error {
	var c tableChanges
	table := recordTables[kind]
	for _, r := range all {
		c.put(table.valuesOf(r.next, t.s.Dialect), r.old != nil, t.s.steps.updateRecord[kind])
		t.relist(r.at, r.old, r.next)
	}
	return t.store(ctx, table.tableName(), table.Names(), c)
}

// relist replaces the listing of the old record. New listings are collected for insertListings.
func (t *batchApply) relist(at item, old, next feed.Listable) {
	was, is := listedOrNot(old), listedOrNot(next)
	if was != nil || is == nil {
		t.tx.changes.replace(at, was, is)
		return
	}
	t.tx.changes.add(is)
	t.listings = append(t.listings, is)
}

// insertListings adds the new listings, sorted so that neighbours in most indexes come together.
func (t *batchApply) insertListings(ctx context.Context) error {
	slices.SortFunc(t.listings, func(a, b *feed.Listing) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Kind, b.Kind), b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	all := make([][]any, len(t.listings))
	for i, l := range t.listings {
		all[i] = listingValues(l, t.s.Dialect)
	}
	return t.add(ctx, "feed_listings", listingColumns, all)
}

func listedOrNot(record feed.Listable) *feed.Listing {
	if record == nil {
		return nil
	}
	return listed(record)
}

func (t *batchApply) howToRecords(ctx context.Context, ready map[imported.Kind][]int) error {
	var c tableChanges
	for _, i := range ready[imported.HowTo] {
		r := t.batch.Records[i].(imported.HowToRecord)
		r.Robot, r.Bundles = t.uids[r.By], nilIfEmpty(r.Bundles)
		old, has := t.howTos[r.Ref()]
		if t.noteOutcome(i, has, reflect.DeepEqual(old, r.HowTo)) {
			c.put(howToTable.Values(&r.HowTo, t.s.Dialect), has, t.s.steps.updateHowTo)
		}
	}
	return t.store(ctx, howToTable.Name, howToTable.Names(), c)
}

func (t *batchApply) news(ctx context.Context, ready map[imported.Kind][]int) error {
	var c tableChanges
	for _, i := range ready[imported.News] {
		r := t.batch.Records[i].(imported.NewsRecord)
		r.ID = 0
		old, has := t.newsBySource[r.Source]
		if t.noteOutcome(i, has, old == r.Item) {
			c.put(newsTable.Values(&r, t.s.Dialect), has, t.s.steps.updateNews)
		}
	}
	return t.store(ctx, newsTable.Name, newsTable.Names(), c)
}

// addTexts adds the statements of texts.
func (s *importSteps) addTexts(d engine.Dialect) {
	s.putText, s.removeTexts = map[feed.Kind]string{}, map[feed.Kind]string{}
	for kind, table := range textTables {
		s.putText[kind] = "INSERT INTO " + table + " AS t (id, html) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET html = EXCLUDED.html" +
			" WHERE t.html <> EXCLUDED.html RETURNING id"
		s.removeTexts[kind] = "DELETE FROM " + table + " WHERE " + d.Among("id", "$1") + " RETURNING id"
	}
}

// texts stores the texts of the publications and nodes, which are stored already, and removes those of records that
// have none. The database compares the texts, so that none of them is read. A record of which only the text
// has changed is a changed one.
func (t *batchApply) texts(ctx context.Context, ready map[imported.Kind][]int) error {
	added, removed := map[feed.Kind][][]any{}, map[feed.Kind][]int64{}
	var steps []engine.Step
	places := map[item]int{}
	changed := func(kind feed.Kind) func(scan func(...any) error) error {
		return func(scan func(...any) error) error {
			at := item{kind: kind}
			err := scan(&at.id)
			if place, is := places[at]; is && t.outcomes[place].Status == imported.Same {
				t.outcomes[place].Status = imported.Changed
			}
			return err
		}
	}
	for _, i := range slices.Concat(ready[imported.Publication], ready[imported.Node]) {
		ref := t.batch.Records[i].Ref()
		at, html := item{listedKinds[ref.Kind], ref.Number()}, string(htmlOf(t.batch.Records[i]))
		places[at] = i
		_, has := t.records[at.kind][at.id]
		switch {
		case has && html != "":
			steps = append(steps, engine.Step{Statement: t.s.steps.putText[at.kind], Args: []any{at.id, html}, Row: changed(at.kind)})
		case has:
			removed[at.kind] = append(removed[at.kind], at.id)
		case html != "":
			added[at.kind] = append(added[at.kind], []any{at.id, html})
		}
	}
	for kind, table := range textTables {
		if err := t.add(ctx, table, []string{"id", "html"}, added[kind]); err != nil {
			return err
		}
		steps = appendRead(t, steps, t.s.steps.removeTexts[kind], removed[kind], changed(kind))
	}
	return t.tx.Run(ctx, steps...)
}

func htmlOf(record imported.Record) markup.HTML {
	switch r := record.(type) {
	case imported.PublicationRecord:
		return r.HTML
	case imported.NodeRecord:
		return r.HTML
	}
	return ""
}
