package command

import (
	"cmp"
	"context"
	"fmt"

	"plaza/adapters/httpapi/view"
	"plaza/application/moderating"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

type moderationCommands struct {
	Reports moderationReports `cmd:"" help:"List reports with what they are about, the newest first." example:"plaza moderation reports --limit 20 --json"`
	Hide    moderationHide    `cmd:"" help:"Hide a thing from all but its owner, and decide the reports of it." example:"plaza moderation hide comment 48 --reason Advertises"`
	Restore moderationRestore `cmd:"" help:"Show a hidden thing again." example:"plaza moderation restore comment 48 --reason 'A mistake'"`
	Decide  moderationDecide  `cmd:"" help:"Decide a report without hiding what it is about." example:"plaza moderation decide 7 --reason 'No spam'"`
}

type moderationReports struct {
	Decided bool `help:"Those that are decided, instead of the open ones."`
	Limit   int  `default:"50" help:"Maximum number of reports; 0 lists all." placeholder:"50"`
	JSON    bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

// staffReport is a report as the command line shows it.
type staffReport struct {
	ID        moderation.ReportID `json:"id"`
	Kind      moderation.Kind     `json:"kind"`
	Object    int64               `json:"object"`
	Reason    moderation.Reason   `json:"reason"`
	Text      string              `json:"text"`
	By        user.ID             `json:"by"`
	Owner     user.ID             `json:"owner"`
	CreatedAt instant.Timestamp   `json:"created_at"`
	DecidedAt *instant.Timestamp  `json:"decided_at"`
	Subject   *subject            `json:"subject"` // null: it was deleted
}

type subject struct {
	Title    string `json:"title"`
	Content  string `json:"content"`
	URL      string `json:"url"`
	IsHidden bool   `json:"is_hidden"`
}

func reportOf(r moderation.Reported) staffReport {
	shown := staffReport{
		ID: r.ID, Kind: r.Kind, Object: r.Thing.ID, Reason: r.Reason, Text: r.Text, By: r.By, Owner: r.Owner,
		CreatedAt: instant.Timestamp(r.Created), DecidedAt: view.OrNever(r.Decided),
	}
	if s := r.Subject; s != nil {
		shown.Subject = &subject{s.Title, s.Content, s.URL, s.IsHidden}
	}
	return shown
}

func reportRow(r moderation.Reported) string {
	state, about := "open", "deleted"
	if r.IsDecided() {
		state = "decided"
	}
	if s := r.Subject; s != nil {
		about = oneLine(cmp.Or(s.Title, s.Content, s.URL))
		if s.IsHidden {
			state = "hidden"
		}
	}
	return fmt.Sprintf("%d\t%s\t%s\t%d\t%s\t%d\t%d\t%s\t%s", r.ID, state, r.Kind, r.Thing.ID, r.Reason, r.By, r.Owner, clock(r.Created),
		orDash(about))
}

func (c moderationReports) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return misusef("--limit can't be negative")
	}
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		reports := behind(c.Limit, func(r page.CursorRequest) (page.CursorPage[moderation.Reported], error) {
			found, err := app.Moderating.Reports(ctx, moderation.Query{IsDecided: c.Decided, CursorRequest: r})
			return found.CursorPage, err
		})
		return printList(s, c.JSON, "ID\tSTATE\tKIND\tNUMBER\tREASON\tBY\tOWNER\tCREATED\tABOUT", reports, reportRow, reportOf)
	})
}

// thingCommand is embedded in the commands that hide and restore.
type thingCommand struct {
	Kind   moderation.Kind `arg:"" enum:"${hideable}" help:"One of ${hideable}."`
	ID     int64           `arg:"" name:"id" help:"Its id; of a profile, the uid."`
	Reason string          `required:"" help:"Reason, at most 500 characters. The owner may read why a thing is hidden."`
	actCommand
}

func (t thingCommand) change(
	ctx context.Context, s streams, act audit.Act, line string,
	change func(*moderating.Moderating, context.Context, moderation.Thing, string, error) (moderation.Hiding, error),
) error {
	r := audit.Record{Act: act, Object: audit.Object{Kind: audit.Kind(t.Kind)}}
	return t.actingOnPictures(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		if _, err := change(app.Moderating, ctx, moderation.Thing{Kind: t.Kind, ID: t.ID}, t.Reason, nil); err != nil {
			return err
		}
		now := map[audit.Act]string{audit.Hidden: "hidden", audit.Restored: "shown again"}[act]
		return log.concludes(ctx, fmt.Sprintf("The %s %d is %s.", t.Kind, t.ID, now), "moderation "+line, "kind", t.Kind, "id", t.ID)
	})
}

type moderationHide struct{ thingCommand }

func (c moderationHide) Run(ctx context.Context, s streams) error {
	return c.change(ctx, s, audit.Hidden, "hide", (*moderating.Moderating).Hide)
}

type moderationRestore struct{ thingCommand }

func (c moderationRestore) Run(ctx context.Context, s streams) error {
	return c.change(ctx, s, audit.Restored, "restore", (*moderating.Moderating).Restore)
}

type moderationDecide struct {
	ID     moderation.ReportID `arg:"" name:"id" help:"Report."`
	Reason string              `required:"" help:"Reason, at most 500 characters."`
	actCommand
}

func (c moderationDecide) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.ReportDecided, Object: audit.Object{Kind: audit.Report}}
	return c.acting(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		decided, err := app.Moderating.Dismiss(ctx, c.ID, c.Reason, nil)
		if err != nil {
			return err
		}
		return log.concludes(ctx, fmt.Sprintf("The report %d is decided.", c.ID),
			"moderation decide", "report", c.ID, "kind", decided.Kind, "id", decided.Thing.ID)
	})
}
