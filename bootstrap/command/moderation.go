package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

type moderationCommands struct {
	Reports moderationReports `cmd:"" help:"List what people reported, as it was and as it is; open reports the earliest first." example:"plaza moderation reports --limit 20 --json"`
	Hide    moderationHide    `cmd:"" help:"Hide a thing from all but its owner, and decide the reports of it." example:"plaza moderation hide comment 48 --reason Advertises"`
	Restore moderationRestore `cmd:"" help:"Show a hidden thing again." example:"plaza moderation restore comment 48 --reason 'A mistake'"`
	Decide  moderationDecide  `cmd:"" help:"Decide the reports of a thing without hiding it." example:"plaza moderation decide 7 --reason 'No spam'"`
}

type moderationReports struct {
	Decided bool              `help:"What is decided, instead of what is open."`
	Kind    moderation.Kind   `enum:"event,comment,image,user,plate,profile,publication,node,demand," default:"" help:"Only this kind of things." placeholder:"KIND"`
	Reason  moderation.Reason `enum:"spam,abuse,illegal,other," default:"" help:"Only what people reported for this reason." placeholder:"REASON"`
	Older   int64             `name:"older-than" help:"Only what was first reported more than so many hours ago." placeholder:"HOURS"`
	Limit   int               `default:"50" help:"Maximum number of things; 0 lists all." placeholder:"50"`
	JSON    bool              `name:"json" help:"Print a JSON array."`
	dataCommand
}

// staffCase is all that people report of a thing, as the command line shows it.
type staffCase struct {
	view.Case
	Texts []note          `json:"texts"`
	Then  []view.Snapshot `json:"as_reported"`
	Now   *view.Subject   `json:"subject_now"` // null: it was deleted
}

// note is what a person adds to a report.
type note struct {
	By        user.ID           `json:"by"`
	Reason    moderation.Reason `json:"reason"`
	Text      string            `json:"text"`
	CreatedAt instant.Timestamp `json:"created_at"`
}

// shownCase is a case, and its thing as it is.
type shownCase struct {
	moderation.Case
	now *moderation.Subject
}

func caseOf(c shownCase) staffCase {
	shown := staffCase{Case: view.OfCase(c.Case, c.now), Texts: []note{}, Then: []view.Snapshot{}}
	for _, n := range c.Notes {
		shown.Texts = append(shown.Texts, note{n.By, n.Reason, n.Text, instant.Timestamp(n.Created)})
	}
	for _, v := range c.Versions {
		shown.Then = append(shown.Then, view.OfSnapshot(v.Snapshot))
	}
	if c.now != nil {
		shown.Now = new(view.OfSubject(c.Kind, *c.now))
	}
	return shown
}

func caseRow(c shownCase) string {
	var s moderation.Snapshot
	if c.now != nil {
		s = c.now.Snapshot
	}
	if len(c.Versions) > 0 {
		s = c.Versions[0].Snapshot
	}
	state := string(cmp.Or(c.Outcome, "open"))
	if c.Changed(c.now) {
		state += ", changed"
	}
	people := 0
	for _, n := range c.People {
		people += n
	}
	about := cmp.Or(s.Title, s.Content, string(s.HTML), strings.TrimSpace(s.Firstname+" "+s.Lastname))
	if about == "" && len(s.Pictures) > 0 {
		about = s.Pictures[0].URL
	}
	return fmt.Sprintf("%d\t%s\t%s\t%d\t%d\t%d\t%s\t%s", c.ID, state, c.Kind, c.Thing.ID, people, c.Owner, clock(c.First),
		orDash(oneLine(about)))
}

func (c moderationReports) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return misusef("--limit can't be negative")
	}
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		cases := behind(c.Limit, func(r page.CursorRequest) (page.CursorPage[shownCase], error) {
			q := moderation.Query{IsDecided: c.Decided, Kind: c.Kind, Reason: c.Reason, CursorRequest: r}
			q.IsOldestFirst = !c.Decided
			found, err := app.Moderating.Cases(ctx, q, c.Older)
			shown := page.CursorPage[shownCase]{Next: found.Next}
			for _, one := range found.Items {
				shown.Items = append(shown.Items, shownCase{one, found.Now[one.Thing]})
			}
			return shown, err
		})
		return printList(s, c.JSON, "ID\tSTATE\tKIND\tNUMBER\tPEOPLE\tOWNER\tREPORTED\tABOUT", cases, caseRow, caseOf)
	})
}

// thingCommand is embedded in the commands that hide and restore.
type thingCommand struct {
	Kind    moderation.Kind `arg:"" optional:"" default:"" enum:",${hideable}" help:"One of ${hideable}."`
	ID      int64           `arg:"" optional:"" name:"id" help:"Its id; of a profile, the uid."`
	Address string          `help:"Address of its picture, in place of kind and id."`
	Reason  string          `required:"" help:"Reason, at most 500 characters. The owner may read why a thing is hidden."`
	actCommand
}

func (t thingCommand) turn(ctx context.Context, s streams, act audit.Act, line string) error {
	if (t.Address == "") == (t.Kind == "" || t.ID == 0) {
		return misusef("name a thing by its kind and id, or by --address")
	}
	r := audit.Record{Act: act, Object: audit.Object{Kind: audit.Kind(t.Kind)}}
	return t.actingOnPictures(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		if t.Address != "" {
			at, err := app.Moderating.At(ctx, t.Address)
			if err != nil {
				return err
			}
			t.Kind, t.ID = at.Kind, at.ID
		}
		of := moderation.Thing{Kind: t.Kind, ID: t.ID}
		if err := app.Moderating.Turn(ctx, audit.Carried(ctx).By, of, act == audit.Hidden, t.Reason, nil); err != nil {
			return err
		}
		now := map[audit.Act]string{audit.Hidden: "hidden", audit.Restored: "shown again"}[act]
		return log.concludes(ctx, fmt.Sprintf("The %s %d is %s.", t.Kind, t.ID, now), "moderation "+line, "kind", t.Kind, "id", t.ID)
	})
}

type moderationHide struct{ thingCommand }

func (c moderationHide) Run(ctx context.Context, s streams) error {
	return c.turn(ctx, s, audit.Hidden, "hide")
}

type moderationRestore struct{ thingCommand }

func (c moderationRestore) Run(ctx context.Context, s streams) error {
	return c.turn(ctx, s, audit.Restored, "restore")
}

type moderationDecide struct {
	ID     moderation.CaseID `arg:"" name:"id" help:"Number that the list has."`
	Reason string            `required:"" help:"Reason, at most 500 characters."`
	actCommand
}

func (c moderationDecide) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.ReportDecided, Object: audit.Object{Kind: audit.Report}}
	return c.acting(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		decided, err := app.Moderating.Dismiss(ctx, audit.Carried(ctx).By, c.ID, c.Reason, nil)
		if err != nil {
			return err
		}
		return log.concludes(ctx, fmt.Sprintf("The report %d is decided.", c.ID),
			"moderation decide", "report", c.ID, "kind", decided.Kind, "id", decided.Thing.ID)
	})
}
