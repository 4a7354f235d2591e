package command

import (
	"context"
	"fmt"
	"time"

	"plaza/bootstrap"
	"plaza/domain/page"
	"plaza/domain/payment"
)

type orderReconcile struct {
	Day  string `required:"" help:"Day of the bill, in Beijing's time." placeholder:"YYYY-MM-DD"`
	JSON bool   `name:"json" help:"Print one JSON object."`
	dataCommand
}

// reconciled is the result of a comparison as JSON.
type reconciled struct {
	Day      string `json:"day"`
	OK       bool   `json:"ok"`
	Payments int    `json:"payments"`
	Refunds  int    `json:"refunds"`
	Repaired int    `json:"repaired"`
	// Unapplied are those of Repaired that pay no order.
	Unapplied int           `json:"unapplied"`
	Findings  []billFinding `json:"findings"` // the open ones
}

// billFinding is a finding as the command line shows it, with the field names of the REST interface.
type billFinding struct {
	ID          payment.FindingID   `json:"id"`
	Day         string              `json:"day"`
	Kind        payment.FindingKind `json:"kind"`
	Transaction string              `json:"transaction_id"`
	Order       *payment.OrderID    `json:"order"`
	Expected    *string             `json:"expected"`
	Found       *string             `json:"found"`
	Resolved    *time.Time          `json:"resolved_at"`
}

func billFindingOf(f payment.Finding) billFinding {
	return billFinding{f.ID, f.Day.String(), f.Kind, f.TransactionID, nilIfZero(f.Order), nilIfZero(f.Expected), nilIfZero(f.Found), nilIfZero(f.Resolved)}
}

func (f billFinding) row() string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return oneLine(*s)
	}
	order := "-"
	if f.Order != nil {
		order = fmt.Sprint(*f.Order)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", f.ID, f.Kind, order, text(f.Expected), text(f.Found), f.Transaction)
}

// Run prints the open findings of the day. It fails if there are any, or if money was taken in that pays no order.
func (c orderReconcile) Run(ctx context.Context, s streams) error {
	day, err := payment.ParseDay(c.Day)
	if err != nil {
		return misusef("--day: %q is not a day like 2026-11-20", c.Day)
	}
	return c.withWallet(ctx, s, func(app *bootstrap.App) error {
		result, err := app.Reconciling.Reconcile(ctx, day)
		if err != nil {
			return err
		}
		audit(ctx, app.Log, "order reconcile", "day", c.Day, "payments", result.Payments, "refunds", result.Refunds,
			"findings", result.Findings, "repaired", result.Repaired, "unapplied", result.Unapplied)
		open := pages(func(p page.Request) (page.Page[payment.Finding], error) {
			return app.Reconciling.Findings(ctx, payment.FindingFilter{Day: day, State: payment.FindingOpen}, p)
		}, billFindingOf)
		if c.JSON {
			out := reconciled{day.String(), result.Open() == 0 && result.Unapplied == 0, result.Payments, result.Refunds, result.Repaired, result.Unapplied, []billFinding{}}
			for f, err := range open {
				if err != nil {
					return err
				}
				out.Findings = append(out.Findings, f)
			}
			err = printJSON(s.out, out)
		} else {
			fmt.Fprintf(s.err, "The bill of %s has %d payments and %d refunds. Differences: %d, repaired: %d.\n",
				day, result.Payments, result.Refunds, result.Findings, result.Repaired)
			err = printList(s, false, "ID\tKIND\tORDER\tEXPECTED\tFOUND\tTRANSACTION", open, billFinding.row)
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
