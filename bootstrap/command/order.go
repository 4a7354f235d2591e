package command

import (
	"context"
	"fmt"
	"time"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

type orderCommands struct {
	Create   orderCreate   `cmd:"" help:"Create an open order and print its number." example:"plaza order create --user 5 --amount 990 --subject Tea"`
	List     orderList     `cmd:"" help:"List orders, the newest first." example:"plaza order list --user 5 --state open"`
	Show     orderShow     `cmd:"" help:"Show an order and its journal." example:"plaza order show 12 --json"`
	Payments orderPayments `cmd:"" help:"List payments, the newest first." example:"plaza order payments --state refund_due"`
	Refund   orderRefund   `cmd:"" help:"Refund a payment or a part of it, and print the refund's number." example:"plaza order refund 71 --amount 300 --reason 'One cup was cold'" settings:"wallet"`
	Refunds  orderRefunds  `cmd:"" help:"List refunds, the newest first." example:"plaza order refunds --state abnormal"`

	Reconcile orderReconcile `cmd:"" help:"Compare the wallet's bill of a day with the orders, print what differs, and fail if anything does." example:"plaza order reconcile --day 2026-11-20" settings:"wallet"`
}

type orderCreate struct {
	User      user.ID       `required:"" help:"Account that pays." placeholder:"UID"`
	Amount    int64         `required:"" help:"Amount in minor units: 990 is ¥9.90." placeholder:"FEN"`
	Subject   string        `required:"" help:"Subject, at most 127 bytes."`
	ExpiresIn time.Duration `default:"2h" help:"How long the order can be paid." placeholder:"2h"`
	Currency  string        `default:"CNY" help:"Currency; only CNY is supported." placeholder:"CNY"`
	JSON      bool          `name:"json" help:"Print the order as JSON."`
	actCommand
}

func (c orderCreate) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.OrderCreated, Object: audit.Object{Kind: audit.Order}}
	return c.acting(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		made, err := app.Paying.Create(ctx, payment.Draft{
			User: c.User, Subject: c.Subject, Amount: c.Amount, Currency: c.Currency, ExpiresIn: c.ExpiresIn,
		}, nil, nil)
		if err != nil {
			return err
		}
		if err := log.acted(ctx, "order create", "order", made.ID, "payer", made.User, "amount", made.Amount); err != nil {
			return err
		}
		return s.made(c.JSON, view.OfStaffOrder(made), fmt.Sprintf("Created an order of %s for account %d, open until %s, with this number",
			price(made), made.User, clock(made.Expires)), made.ID)
	})
}

// price returns the amount of the order for people.
func price(o payment.Order) string { return sum(o.Currency, o.Amount) }

// standing returns the order's state for people. An open order that has expired is "expired".
func standing(o payment.Order) string {
	if o.State == payment.Open && !o.IsOpen(time.Now()) {
		return "expired"
	}
	return string(o.State)
}

func orderRow(o payment.Order) string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s",
		o.ID, standing(o), price(o), clock(o.Created), clock(o.Expires), o.Subject)
}

type orderList struct {
	User  user.ID        `help:"Only those of this account." placeholder:"UID"`
	State *payment.State `enum:"open,paid,closed" help:"Only those that are open, paid or closed." placeholder:"STATE"`
	JSON  bool           `name:"json" help:"Print a JSON array."`
	dataCommand
}

func (c orderList) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		if c.User != 0 {
			if _, err := app.Stores.Accounts.ByID(ctx, c.User); err != nil {
				return err
			}
		}
		rows := pages(func(p page.Request) (page.Page[payment.Order], error) {
			return app.Paying.Orders(ctx, payment.OrderFilter{User: c.User, State: orZero(c.State)}, p)
		})
		return printList(s, c.JSON, "ID\tSTATE\tPRICE\tCREATED\tEXPIRES\tSUBJECT", rows, orderRow, view.OfStaffOrder)
	})
}

type orderShow struct {
	ID   payment.OrderID `arg:"" name:"id" help:"Order id."`
	JSON bool            `name:"json" help:"Print the order as JSON."`
	dataCommand
}

// entry is an entry of an order's journal.
type entry struct {
	At      instant.Timestamp `json:"at"`
	Noted   payment.Noted     `json:"noted"`
	TradeNo *payment.TradeNo  `json:"trade_no"`
	Detail  string            `json:"detail"`
}

func entryOf(e payment.Entry) entry {
	return entry{instant.Timestamp(e.At), e.Noted, view.OrNull(e.TradeNo), e.Detail.String()}
}

func entryRow(e payment.Entry) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s", clock(e.At), e.Noted, orDash(e.TradeNo), e.Detail)
}

func (c orderShow) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		o, err := app.Paying.Order(ctx, c.ID)
		if err != nil {
			return err
		}
		happened, err := app.Paying.Journal(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			shown := struct {
				view.StaffOrder
				Journal []entry `json:"journal"`
			}{view.OfStaffOrder(o), []entry{}}
			for _, e := range happened {
				shown.Journal = append(shown.Journal, entryOf(e))
			}
			return printJSON(s.out, shown)
		}
		fmt.Fprintf(s.out, "Order        %d\nUser         %d\nSubject      %s\nPrice        %s\nState        %s\n"+
			"Created      %s\nExpires      %s\nPaid         %s\nTransaction  %s\n\n",
			o.ID, o.User, oneLine(o.Subject), price(o), standing(o),
			clock(o.Created), clock(o.Expires), clock(o.PaidAt), orDash(o.Transaction))
		return printTable(s.out, "WHEN\tWHAT\tNUMBER AT THE WALLET\tMORE", seqOf(happened), entryRow)
	})
}

type orderPayments struct {
	State *payment.PaymentState `enum:"applied,refund_due,disputed" help:"Only those that are applied, refund_due or disputed." placeholder:"STATE"`
	JSON  bool                  `name:"json" help:"Print a JSON array."`
	dataCommand
}

func paymentRow(p payment.Received) string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s", p.ID, p.State, sum(p.Currency, p.Amount), sum(p.Currency, p.Refunded),
		clock(p.Payment.Received), orDash(p.Order), p.TransactionID)
}

func (c orderPayments) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		rows := pages(func(p page.Request) (page.Page[payment.Received], error) {
			return app.Paying.Payments(ctx, payment.PaymentFilter{State: orZero(c.State)}, p)
		})
		return printList(s, c.JSON, "ID\tSTATE\tAMOUNT\tREFUNDED\tRECEIVED\tORDER\tTRANSACTION", rows, paymentRow, view.OfPayment)
	})
}

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
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", f.ID, f.Kind, orDash(f.Order), orDash(f.Expected.String()), orDash(f.Found.String()),
		f.TransactionID)
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
			return app.Stores.Ledger.Findings(ctx, payment.FindingFilter{State: payment.FindingOpen}.Of(day), p)
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
