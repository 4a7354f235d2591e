package command

import (
	"context"
	"fmt"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

type orderRefund struct {
	Payment payment.PaymentID `arg:"" name:"payment" help:"Payment id."`
	Amount  *int64            `help:"Amount to return in minor units (default: all that is left)." placeholder:"FEN"`
	Reason  string            `required:"" help:"Reason, at most 80 bytes. The wallet may show it to the payer."`
	JSON    bool              `name:"json" help:"Print the refund as JSON."`
	actCommand
}

func (c orderRefund) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.RefundOrdered, Object: audit.Object{Kind: audit.Refund}}
	return c.actingWithWallet(ctx, s, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		made, err := app.Refunding.Request(ctx, payment.RefundDraft{
			Payment: c.Payment, Amount: c.Amount, Reason: c.Reason, Origin: payment.RefundByCommand,
		}, nil, nil)
		if err != nil {
			return err
		}
		if err := log.acted(ctx, "order refund", "refund", made.ID, "payment", made.Payment, "amount", made.Amount); err != nil {
			return err
		}
		return s.made(c.JSON, refundOf(made), fmt.Sprintf("Ordered a refund of %s for payment %d, which is %s, with this number",
			sum(made.Currency, made.Amount), made.Payment, made.State), made.ID)
	})
}

// refund is a refund as the command line shows it: it also says who ordered it.
type refund struct {
	view.Refund
	Origin payment.RefundOrigin `json:"origin"`
	Staff  *user.ID             `json:"staff"`
}

func refundOf(r payment.Refund) refund {
	return refund{view.OfRefund(r), r.Origin, view.OrNull(r.Staff)}
}

func refundRow(r payment.Refund) string {
	by := string(r.Origin)
	if r.Staff != 0 {
		by = fmt.Sprintf("%s %d", by, r.Staff)
	}
	return fmt.Sprintf("%d\t%s\t%d\t%s\t%s\t%s\t%s", r.ID, r.State, r.Payment, sum(r.Currency, r.Amount), clock(r.Created), by, r.Reason)
}

type orderRefunds struct {
	State   *payment.RefundState `enum:"processing,succeeded,closed,abnormal" help:"Only those that are processing, succeeded, closed or abnormal." placeholder:"STATE"`
	Payment payment.PaymentID    `help:"Only those of this payment." placeholder:"ID"`
	JSON    bool                 `name:"json" help:"Print a JSON array."`
	dataCommand
}

func (c orderRefunds) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		rows := pages(func(p page.Request) (page.Page[payment.Refund], error) {
			return app.Refunding.Refunds(ctx, payment.RefundFilter{State: orZero(c.State), Payment: c.Payment}, p)
		})
		return printList(s, c.JSON, "ID\tSTATE\tPAYMENT\tAMOUNT\tCREATED\tBY\tREASON", rows, refundRow, refundOf)
	})
}
