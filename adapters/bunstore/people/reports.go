package people

import (
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/user"
)

const (
	// endCase removes the open case of the thing $1 $2 with its reports and what it keeps, if its owner is erased.
	endCase = `
		DELETE FROM report_cases WHERE kind = $1 AND object_id = $2 AND decided IS NULL
		AND EXISTS (SELECT 1 FROM users u WHERE u.id = owner_id AND (u.erasing OR u.phone LIKE 'erased-%'))`

	// decideCase decides the open case of the thing $1 $2 at $3: $4 outcome, $5 by staff, $6 by the person at the command line, $7
	// reason.
	decideCase = `
		UPDATE report_cases SET decided = $3, outcome = $4, decided_by = $5, decided_person = $6, decision_reason = $7
		WHERE kind = $1 AND object_id = $2 AND decided IS NULL`

	// decidedReports finds the reports of the thing $1 $2 that were decided at $3.
	decidedReports = `
		SELECT r.id, r.author_id FROM reports r JOIN report_cases c ON c.id = r.case_id
		WHERE c.kind = $1 AND c.object_id = $2 AND c.decided = $3`

	// expireVersions and expirePictures make what the decided cases of the thing $1 $2 keep expire at $3.
	expireVersions = `
		UPDATE kept_versions SET expires = $3 WHERE expires IS NULL
		AND case_id IN (SELECT id FROM report_cases WHERE kind = $1 AND object_id = $2 AND decided IS NOT NULL)`
	expirePictures = `
		UPDATE kept_pictures SET expires = $3 WHERE expires IS NULL
		AND case_id IN (SELECT id FROM report_cases WHERE kind = $1 AND object_id = $2 AND decided IS NOT NULL)`
)

// DecideCase decides the open case of the thing, if there is one, and stores the notices with those to its reporters: both lock counts
// of people, in one order. It locks the case before what the case keeps, as a report does. What no act decides has no time, and stays
// open.
func DecideCase(tx *engine.Tx, t moderation.Thing, d moderation.Decision, notices ...notification.Notice) error {
	if d.At.IsZero() {
		return nil
	}
	tx.Queue(endCase, t.Kind, t.ID)
	tx.Queue(decideCase, t.Kind, t.ID, d.At, d.Outcome, engine.NullIfZero(d.By.Staff), engine.NullIfZero(d.By.Person), d.Reason)
	tx.Queue(expireVersions, t.Kind, t.ID, d.At.Add(moderation.KeptFor))
	tx.Queue(expirePictures, t.Kind, t.ID, d.At.Add(moderation.KeptFor))
	reports := tx.Queue(decidedReports, t.Kind, t.ID, d.At)
	engine.Found(tx, reports, func(r *struct {
		ID       moderation.ReportID
		AuthorID user.ID
	}) error {
		decided := moderation.Report{ID: r.ID, By: r.AuthorID, Decided: d.At, Outcome: d.Outcome}
		notices = append(notices, notification.OfDecision(decided))
		return nil
	})
	err := tx.Send()
	Notify(tx, notices...)
	return err
}
