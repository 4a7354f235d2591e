package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/domain/page"
	"plaza/domain/payment"
)

func (a *api) listFindings(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	filter := payment.FindingFilter{
		Day: billDay(q, "day"), Kind: transport.Choose(q, "kind", payment.FindingKinds()...),
		State: transport.Choose(q, "state", payment.FindingStates()...),
	}
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"kind", filter.Kind, "state", filter.State, "page", request.Number()}
	findings, err := a.Reconciling.Findings(c.Context(), filter, request)
	return transport.Paged(page.Map(findings, view.OfFinding)), err
}

// billDay returns the day in the parameter, or none.
func billDay(q *transport.Query, name string) payment.Day {
	text := q.Text(name)
	if text == "" {
		return payment.Day{}
	}
	day, err := payment.ParseDay(text)
	if err != nil {
		q.Wrong.Add(name, "Enter a day like 2026-11-20.")
	}
	return day
}
