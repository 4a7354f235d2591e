package command

import (
	"context"
	"fmt"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/page"
)

type auditCommands struct {
	List auditList `cmd:"" help:"List the acts of staff, the newest first." example:"plaza audit list --limit 20 --json"`
}

type auditList struct {
	Limit int  `default:"50" help:"Maximum number of acts; 0 lists all." placeholder:"50"`
	JSON  bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

func actRow(r audit.Record) string {
	by := r.By.Person + " (command line)"
	if r.By.Staff != 0 {
		by = fmt.Sprint("account ", r.By.Staff)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s", r.ID, clock(r.At), by, r.Act, r.Object.Kind, orDash(r.Object.ID), orDash(r.Reason))
}

func (c auditList) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return misusef("--limit can't be negative")
	}
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		acts := behind(c.Limit, func(r page.CursorRequest) (page.CursorPage[audit.Record], error) {
			return app.Stores.Audit.List(ctx, audit.Query{CursorRequest: r})
		})
		return printList(s, c.JSON, "ID\tAT\tBY\tACT\tOBJECT\tNUMBER\tREASON", acts, actRow, view.OfAct)
	})
}
