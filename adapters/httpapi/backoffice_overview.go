package httpapi

import (
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/domain/telemetry"
)

// overviewView is what waits, and what came in (OFF-01).
type overviewView struct {
	At       transport.Timestamp `json:"at"`
	MaxCount int                 `json:"max_count"` // where counts end
	Money    moneyView           `json:"money"`
	Reports  int                 `json:"open_reports"`

	Translator *budgetView `json:"translator"` // null: without a budget
	Messages   *budgetView `json:"messages"`

	Jobs []failingJobView `json:"failing_jobs"`
	Days []dayView        `json:"days"`
}

type moneyView struct {
	OpenOrders      int `json:"open_orders"`
	InDoubt         int `json:"in_doubt"`
	RefundDue       int `json:"refund_due"`
	Disputed        int `json:"disputed"`
	Refunds         int `json:"refunds_processing"`
	AbnormalRefunds int `json:"refunds_abnormal"`
	OpenFindings    int `json:"open_findings"`
}

type budgetView struct {
	Name  *string `json:"name"`
	Limit int64   `json:"limit"`
	Spent int64   `json:"spent"`
	Left  int64   `json:"left"`
}

type failingJobView struct {
	Name     string              `json:"name"`
	Failures int                 `json:"failures"`
	Since    transport.Timestamp `json:"since"`
}

type dayView struct {
	Day      string `json:"day"`
	Joined   int    `json:"joined"`
	Events   int    `json:"events"`
	Comments int    `json:"comments"`
}

func renderBudget(b backoffice.Budget) *budgetView {
	return transport.Optional(budgetView{view.OrNull(b.Name), b.Limit, b.Spent, b.Left()}, b.Limit > 0)
}

func (a *api) showOverview(c *transport.Call) (transport.Reply, error) {
	o, err := a.BackOffice.Overview(c.Context())
	return transport.Data(overviewView{
		At: transport.Timestamp(o.At), MaxCount: telemetry.MaxCount, Reports: o.OpenReports,
		Money: moneyView{
			OpenOrders: o.OpenOrders, InDoubt: o.InDoubt, RefundDue: o.RefundDue, Disputed: o.Disputed,
			Refunds: o.Refunds, AbnormalRefunds: o.AbnormalRefunds, OpenFindings: o.OpenFindings,
		},
		Translator: renderBudget(o.Translator), Messages: renderBudget(o.Messages),
		Jobs: mapSlice(o.Jobs, func(j backoffice.FailingJob) failingJobView {
			return failingJobView{j.Name, j.Failures, transport.Timestamp(j.Since)}
		}),
		Days: mapSlice(o.Days, func(d telemetry.Day) dayView {
			return dayView{d.Day.Format(time.DateOnly), d.Joined, d.Events, d.Comments}
		}),
	}), err
}
