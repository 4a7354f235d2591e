package bootstrap

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plaza/domain/payment"
	"plaza/domain/user"
)

type orderCommands struct {
	Create orderCreate `cmd:"" help:"Create an open order and print its number. Example: plaza order create --user 5 --amount 990 --subject Tea"`
	List   orderList   `cmd:"" help:"List an account's orders, the newest first. Example: plaza order list --user 5 --state open"`
	Show   orderShow   `cmd:"" help:"Show an order. Example: plaza order show 12 --json"`
}

type orderCreate struct {
	User      user.ID       `required:"" help:"Who is to pay." placeholder:"UID"`
	Amount    int64         `required:"" help:"What it costs, in minor units: 990 is ¥9.90." placeholder:"FEN"`
	Subject   string        `required:"" help:"What it is for, in at most 127 bytes."`
	ExpiresIn time.Duration `default:"2h" help:"How long it can be paid." placeholder:"2h"`
	Currency  string        `default:"CNY" help:"Currency; there is only CNY." placeholder:"CNY"`
	JSON      bool          `name:"json" help:"Print the order as JSON."`
	stored
}

func (c orderCreate) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(app *App) error {
		made, err := app.Paying.Create(ctx, payment.Draft{
			User: c.User, Subject: c.Subject, Amount: c.Amount, Currency: c.Currency, ExpiresIn: c.ExpiresIn,
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.out, orderOf(made))
		}
		fmt.Fprintf(s.err, "Created an order of %s for account %d, open until %s, with this number:\n",
			price(made), made.User, clock(made.Expires))
		_, err = fmt.Fprintln(s.out, made.ID)
		return err
	})
}

// order is an order as the command line shows it, with the names that it has in
// the REST interface.
type order struct {
	ID          payment.OrderID `json:"id"`
	User        user.ID         `json:"user"`
	Subject     string          `json:"subject"`
	Amount      int64           `json:"amount"`
	Currency    string          `json:"currency"`
	State       payment.State   `json:"state"`
	Created     time.Time       `json:"created_at"`
	Expires     time.Time       `json:"expires_at"`
	Paid        *time.Time      `json:"paid_at"`
	Transaction *string         `json:"transaction_id"`
	kept        payment.Order
}

func orderOf(o payment.Order) order {
	return order{
		ID: o.ID, User: o.User, Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, State: o.State,
		Created: o.Created, Expires: o.Expires, Paid: orNull(o.PaidAt), Transaction: orNull(o.Transaction), kept: o,
	}
}

// price is what an order costs, for people; minor units are hundredths.
func price(o payment.Order) string {
	return fmt.Sprintf("%s %d.%02d", o.Currency, o.Amount/100, o.Amount%100)
}

// standing is the order's state for people, who should not take one for payable
// whose time is over.
func (o order) standing() string {
	if o.State == payment.Open && !o.kept.IsOpen(time.Now()) {
		return "expired"
	}
	return string(o.State)
}

func (o order) row() string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s",
		o.ID, o.standing(), price(o.kept), clock(o.Created), clock(o.Expires), o.Subject)
}

type orderList struct {
	User  user.ID       `required:"" help:"Whose orders." placeholder:"UID"`
	State payment.State `enum:",open,paid,closed" default:"" help:"Only those that are open, paid or closed." placeholder:"STATE"`
	JSON  bool          `name:"json" help:"Print a JSON array."`
	stored
}

func (c orderList) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(app *App) error {
		if _, err := app.Stores.Accounts.ByID(ctx, c.User); err != nil {
			return err
		}
		orders, err := app.Paying.Orders(ctx, c.User, c.State)
		if err != nil {
			return err
		}
		rows := make([]order, len(orders))
		for i, o := range orders {
			rows[i] = orderOf(o)
		}
		if c.JSON {
			return printArray(s.out, each(rows))
		}
		return printTable(s.out, "ID\tSTATE\tPRICE\tCREATED\tEXPIRES\tSUBJECT", each(rows), order.row)
	})
}

type orderShow struct {
	ID   payment.OrderID `arg:"" name:"id" help:"Which order."`
	JSON bool            `name:"json" help:"Print the order as JSON."`
	stored
}

func (c orderShow) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(app *App) error {
		found, err := app.Paying.Order(ctx, c.ID)
		if err != nil {
			return err
		}
		o := orderOf(found)
		if c.JSON {
			return printJSON(s.out, o)
		}
		_, err = fmt.Fprintf(s.out, "Order        %d\nUser         %d\nSubject      %s\nPrice        %s\nState        %s\n"+
			"Created      %s\nExpires      %s\nPaid         %s\nTransaction  %s\n",
			o.ID, o.User, oneLine(o.Subject), price(found), o.standing(),
			clock(found.Created), clock(found.Expires), clock(found.PaidAt), cmp.Or(found.Transaction, "-"))
		return err
	})
}
