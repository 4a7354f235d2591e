package bunstore

import (
	"context"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
)

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
