package command

import (
	"context"
	"fmt"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/page"
	"plaza/domain/payment"
)

type orderReconcile struct {
	Day  string `required:"" help:"Day of the bill, in Beijing's time." placeholder:"YYYY-MM-DD"`
	JSON bool   `name:"json" help:"Print one JSON object."`
	actCommand
}

// reconciled is the result of a comparison as JSON.
type reconciled struct {
	Day      string `json:"day"`
	OK       bool   `json:"ok"`
	Payments int    `json:"payments"`
	Refunds  int    `json:"refunds"`
	Repaired int    `json:"repaired"`
	// Unapplied are those of Repaired that pay no order.
	Unapplied int            `json:"unapplied"`
	Findings  []view.Finding `json:"findings"` // the open ones
}

func findingRow(f payment.Finding) string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", f.ID, f.Kind, orDash(f.Order), orDash(f.Expected), orDash(f.Found), f.TransactionID)
}

// Run prints the open findings of the day. It fails if there are any, or if money was taken in that pays no order.
func (c orderReconcile) Run(ctx context.Context, s streams) error {
	day, err := payment.ParseDay(c.Day)
	if err != nil {
		return misusef("--day: %q is not a day like 2026-11-20", c.Day)
	}
	r := audit.Record{Act: audit.BillReconciled, Object: audit.Object{Kind: audit.Bill, ID: day.String()}}
	return c.actingWithWallet(ctx, s, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		result, err := app.Reconciling.Reconcile(ctx, day)
		if err != nil {
			return err
		}
		err = log.acted(ctx, "order reconcile", "day", c.Day, "payments", result.Payments, "refunds", result.Refunds,
			"findings", result.Findings, "repaired", result.Repaired, "unapplied", result.Unapplied)
		if err != nil {
			return err
		}
		open := pages(func(p page.Request) (page.Page[payment.Finding], error) {
			return app.Reconciling.Findings(ctx, payment.FindingFilter{State: payment.FindingOpen}.Of(day), p)
		})
		if c.JSON {
			out := reconciled{day.String(), result.Open() == 0 && result.Unapplied == 0, result.Payments, result.Refunds, result.Repaired,
				result.Unapplied, []view.Finding{}}
			for f, err := range open {
				if err != nil {
					return err
				}
				out.Findings = append(out.Findings, view.OfFinding(f))
			}
			err = printJSON(s.out, out)
		} else {
			fmt.Fprintf(s.err, "The bill of %s has %d payments and %d refunds. Differences: %d, repaired: %d.\n",
				day, result.Payments, result.Refunds, result.Findings, result.Repaired)
			err = printTable(s.out, "ID\tKIND\tORDER\tEXPECTED\tFOUND\tTRANSACTION", open, findingRow)
		}
		switch {
		case err != nil:
			return err
		case result.Open() > 0:
			return fmt.Errorf("the bill of %s differs from the orders", day)
		case result.Unapplied > 0:
			return fmt.Errorf("%s of the bill of %s that no order had are taken in and pay none: see plaza order payments --state disputed",
				amount(int64(result.Unapplied), "payment"), day)
		}
		return nil
	})
}
