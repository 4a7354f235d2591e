package staff

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/audit"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

type caseRow struct {
	bun.BaseModel  `bun:"table:report_cases,alias:c"`
	ID             moderation.CaseID `bun:",pk,autoincrement"`
	Kind           moderation.Kind
	ObjectID       int64
	OwnerID        user.ID
	FirstReported  engine.Time
	LastReported   engine.Time
	Spam           int
	Abuse          int
	Illegal        int
	Other          int
	Decided        engine.Time
	Outcome        moderation.Outcome `bun:",nullzero"`
	DecidedBy      user.ID            `bun:",nullzero"`
	DecidedPerson  string             `bun:",nullzero"`
	DecisionReason string
	engine.PageRow
}

func (r caseRow) aCase() moderation.Case {
	return moderation.Case{
		ID: r.ID, Thing: moderation.Thing{Kind: r.Kind, ID: r.ObjectID}, Owner: r.OwnerID, First: r.FirstReported.Time,
		Last: r.LastReported.Time,
		People: map[moderation.Reason]int{
			moderation.Spam: r.Spam, moderation.Abuse: r.Abuse, moderation.Illegal: r.Illegal, moderation.Other: r.Other,
		},
		Decision: moderation.Decision{
			Outcome: r.Outcome, At: r.Decided.Time, By: audit.Actor{Staff: r.DecidedBy, Person: r.DecidedPerson}, Reason: r.DecisionReason,
		},
	}
}

const (
	// addToCase counts a report in the open case of the thing $1 $2, whose owner is $3: for the reason $4 at $5.
	addToCase = `
		INSERT INTO report_cases AS c (kind, object_id, owner_id, first_reported, last_reported, spam, abuse, illegal, other)
		VALUES ($1, $2, $3, $5, $5, CASE $4 WHEN 'spam' THEN 1 ELSE 0 END, CASE $4 WHEN 'abuse' THEN 1 ELSE 0 END,
			CASE $4 WHEN 'illegal' THEN 1 ELSE 0 END, CASE $4 WHEN 'other' THEN 1 ELSE 0 END)
		ON CONFLICT (kind, object_id) WHERE decided IS NULL DO UPDATE
		SET last_reported = EXCLUDED.last_reported, spam = c.spam + EXCLUDED.spam, abuse = c.abuse + EXCLUDED.abuse,
			illegal = c.illegal + EXCLUDED.illegal, other = c.other + EXCLUDED.other
		RETURNING id`

	// insertReport adds the report of the user $1 of the thing $2 $3 to the case $4: $5 reason, $6 words, $7 created.
	insertReport = `
		INSERT INTO reports (author_id, kind, object_id, case_id, reason, content, created) VALUES ($1, $2, $3, $4, $5, $6, $7)
		RETURNING id`

	// keepVersion keeps the content $3 of the digest $2, unless the case $1 has it; $4 is now.
	keepVersion = `
		INSERT INTO kept_versions (case_id, digest, content, created) VALUES ($1, $2, $3, $4)
		ON CONFLICT (case_id, digest) DO NOTHING`

	// copiedInCase finds the pictures of which the open case of the thing $1 $2 has copies.
	copiedInCase = `
		SELECT p.name, p.key, c.id AS case_id FROM report_cases c JOIN kept_pictures p ON p.case_id = c.id
		WHERE c.kind = $1 AND c.object_id = $2 AND c.decided IS NULL`

	// reportOf finds the report of the user $1 of the thing $2 $3.
	reportOf = `
		SELECT id, author_id, kind, object_id, case_id, reason, content, created, owner_id, decided, outcome
		FROM report_entries WHERE author_id = $1 AND kind = $2 AND object_id = $3`

	// notesOfCase finds the newest $2 reports of the case $1 that have a text.
	notesOfCase = `
		SELECT id, author_id, kind, object_id, case_id, reason, content, created FROM reports
		WHERE case_id = $1 AND content <> '' ORDER BY id DESC LIMIT CAST($2 AS bigint)`
)

func (v Moderation) ReportsBy(ctx context.Context, by user.ID, s page.Span, r page.Request) (page.Page[moderation.Report], error) {
	p, err := engine.ListPage[reportRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Within(query.Where("author_id = ?", by), "created", s)
	}, engine.LatestID(s, func(r reportRow) int64 { return int64(r.ID) }))
	return page.Map(p, reportRow.report), err
}

// Report locks the thing, so that of the reports of one person one is stored, and of several new pictures one copy is kept.
func (v Moderation) Report(
	ctx context.Context, r moderation.Report, charges ...ratelimit.Charge,
) (stored moderation.Report, isNew bool, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		var first *reportRow
		var now *moderation.Subject
		people.ChargeAll(tx, charges)
		tx.Lock(fmt.Sprint("reports of ", r.Kind, " ", r.Thing.ID))
		engine.Found(tx, tx.Queue(reportOf, r.By, r.Kind, r.Thing.ID), func(row *reportRow) error {
			first = new(*row)
			return nil
		})
		engine.Found(tx, tx.Queue(v.DB.Pick(reportedOfKind[r.Kind]), []int64{r.Thing.ID}), func(row *subjectRow) error {
			now = new(row.subject(r.Thing))
			return nil
		})
		if err := tx.Send(); err != nil {
			return err
		}
		unneeded, err := maps.Clone(r.Copies), error(nil)
		if isNew = first == nil; isNew {
			stored, err = addReport(tx, r, now, unneeded)
		} else {
			stored = first.report()
		}
		for _, key := range unneeded {
			if key != "" {
				tx.Queue("INSERT INTO discards (key, due) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", key, time.UnixMicro(0))
			}
		}
		return err
	})
	return stored, isNew, err
}

// addReport adds the report, and keeps the thing, if it exists, with those of the copies that the case lacks, which it takes out of the
// unneeded ones. It finds what the case has once it has locked the case: a former one may have been decided meanwhile.
func addReport(
	tx *engine.Tx, r moderation.Report, now *moderation.Subject, unneeded moderation.Copies,
) (moderation.Report, error) {
	copied := moderation.Copies{}
	tx.Queue(addToCase, r.Kind, r.Thing.ID, r.Owner, r.Reason, r.Created).Into((*int64)(&r.Case))
	engine.Found(tx, tx.Queue(copiedInCase, r.Kind, r.Thing.ID), func(row *pictureRow) error {
		copied[row.Name] = row.Key
		return nil
	})
	if err := tx.Send(); err != nil {
		return r, err
	}
	tx.Queue(insertReport, r.By, r.Kind, r.Thing.ID, r.Case, r.Reason, r.Text, r.Created).Into((*int64)(&r.ID))
	if now != nil {
		tx.Queue(keepVersion, r.Case, now.Digest(), engine.AsJSON{Of: now.Snapshot}, r.Created)
		for _, p := range now.Uncopied(copied) {
			key, is := r.Copies[p.Name]
			if !is {
				return r, moderation.ErrUncopied
			}
			if delete(unneeded, p.Name); key != "" {
				tx.Queue("INSERT INTO kept_pictures (case_id, name, key) VALUES ($1, $2, $3)", r.Case, p.Name, key)
			}
		}
	}
	r.Copies = nil
	err := tx.Send()
	return r, err
}

// pictureRow is a copy that a case keeps.
type pictureRow struct {
	CaseID moderation.CaseID
	Name   string
	Key    media.Key
}

func (v Moderation) Copied(ctx context.Context, t moderation.Thing, charges ...ratelimit.Charge) (moderation.Copies, error) {
	if err := people.CheckCharges(ctx, v.DB, charges); err != nil {
		return nil, err
	}
	rows, err := engine.All[pictureRow](ctx, v.DB, copiedInCase, t.Kind, t.ID)
	copied := moderation.Copies{}
	for _, row := range rows {
		copied[row.Name] = row.Key
	}
	return copied, err
}

func (v Moderation) HasReported(ctx context.Context, by user.ID, t moderation.Thing) (bool, error) {
	rows, err := engine.All[reportRow](ctx, v.DB, reportOf, by, t.Kind, t.ID)
	return len(rows) > 0, err
}

func (v Moderation) Case(ctx context.Context, id moderation.CaseID) (moderation.Case, error) {
	row, err := engine.SelectOne[caseRow](ctx, v.DB, moderation.ErrNoReport, "id = ?", id)
	return row.aCase(), err
}

func (v Moderation) Cases(ctx context.Context, q moderation.Query) (page.CursorPage[moderation.Case], error) {
	at := "first_reported"
	if q.IsDecided {
		at = "decided"
	}
	order := engine.Latest(v.DB, q.Span, at, "id", func(r caseRow) page.Cursor { return r.aCase().AtCursor() })
	p, err := engine.ListPage[caseRow](ctx, v.DB, q.Paged(), func(query *bun.SelectQuery) *bun.SelectQuery {
		if q.IsDecided {
			query = query.Where("decided IS NOT NULL")
		} else {
			query = query.Where("decided IS NULL")
		}
		if q.Reason != "" {
			query = query.Where("? > 0", bun.Ident(q.Reason))
		}
		if !q.Before.IsZero() {
			query = query.Where("first_reported < ?", engine.At(q.Before))
		}
		return engine.WhereSet(engine.WhereSet(engine.Within(query, at, q.Span), "kind", q.Kind), "owner_id", q.Owner)
	}, order)
	found := page.CursorPage[moderation.Case]{Items: engine.Mapped(p.Items, caseRow.aCase), Next: p.Next}
	if err == nil {
		err = v.addKept(ctx, found.Items)
	}
	return found, err
}

// versionRow is a form in which the thing of a case was reported.
type versionRow struct {
	CaseID  moderation.CaseID
	Content string
	Created engine.Time
}

// versionsOfCases finds the first form of each of the cases $1, and the latest $2 others.
var versionsOfCases = engine.Both(`
	SELECT v.case_id, v.content, v.created FROM kept_versions v
	WHERE v.case_id = ANY($1) AND (
		NOT EXISTS (SELECT 1 FROM kept_versions w WHERE w.case_id = v.case_id AND w.id < v.id)
		OR (SELECT COUNT(*) FROM kept_versions w WHERE w.case_id = v.case_id AND w.id > v.id) < $2)
	ORDER BY v.case_id, v.id`)

// picturesOfCases finds the copies that the cases $1 keep.
var picturesOfCases = engine.Both("SELECT case_id, name, key FROM kept_pictures WHERE case_id = ANY($1)")

// addKept adds what the cases keep, and their notes.
func (v Moderation) addKept(ctx context.Context, cases []moderation.Case) error {
	var versions []versionRow
	var pictures []pictureRow
	var notes []reportRow
	ids := engine.Mapped(cases, func(c moderation.Case) moderation.CaseID { return c.ID })
	reads := []engine.Step{
		engine.Rows(v.DB, &versions, v.DB.Pick(versionsOfCases), ids, moderation.MostVersions-1),
		engine.Rows(v.DB, &pictures, v.DB.Pick(picturesOfCases), ids),
	}
	for _, id := range ids {
		reads = append(reads, engine.Rows(v.DB, &notes, notesOfCase, id, moderation.MostNotes))
	}
	if err := v.DB.ReadRows(ctx, func() { versions, pictures, notes = nil, nil, nil }, reads...); err != nil {
		return err
	}
	of, copies := map[moderation.CaseID]*moderation.Case{}, map[moderation.CaseID]moderation.Copies{}
	for i, c := range cases {
		of[c.ID], copies[c.ID] = &cases[i], moderation.Copies{}
	}
	for _, p := range pictures {
		copies[p.CaseID][p.Name] = p.Key
	}
	for _, row := range versions {
		s, err := snapshotOf(row.Content, copies[row.CaseID])
		if err != nil {
			return err
		}
		c := of[row.CaseID]
		c.Versions = append(c.Versions, moderation.Version{Since: row.Created.Time, Snapshot: s})
	}
	for _, row := range notes {
		c, note := of[row.CaseID], row.report()
		note.Owner, note.Decided, note.Outcome = c.Owner, c.At, c.Outcome
		c.Notes = append(c.Notes, note)
	}
	return nil
}

func (v Moderation) Decide(ctx context.Context, id moderation.CaseID, then time.Time) (decided moderation.Case, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		var row caseRow
		err := v.DB.Selecting(tx).Model(&row).Where("id = ?", id).Scan(tx.Context())
		if err != nil {
			return engine.OrNotFound(err, moderation.ErrNoReport)
		}
		if decided = row.aCase(); decided.IsDecided() {
			return moderation.ErrDecided
		}
		audit.Made(ctx, audit.Numbered(audit.Report, id), row.OwnerID)
		decided.Decision = moderation.DecisionBy(ctx, moderation.OutcomeDismissed, then)
		return people.DecideCase(tx, decided.Thing, decided.Decision)
	})
	return decided, err
}
