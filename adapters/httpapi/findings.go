package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// findingView is a difference between a bill of the wallet and the ledger, for the back office (PAY-15).
type findingView struct {
	ID          payment.FindingID    `json:"id"`
	Day         string               `json:"day"`
	Kind        payment.FindingKind  `json:"kind"`
	Transaction string               `json:"transaction_id"`
	Order       *payment.OrderID     `json:"order"`
	Expected    *string              `json:"expected"`
	Found       *string              `json:"found"`
	Resolved    *transport.Timestamp `json:"resolved_at"`
}

func renderFinding(f payment.Finding) findingView {
	return findingView{
		ID: f.ID, Day: f.Day.String(), Kind: f.Kind, Transaction: f.TransactionID, Order: transport.Optional(f.Order, f.Order != 0),
		Expected: transport.Optional(f.Expected, f.Expected != ""), Found: transport.Optional(f.Found, f.Found != ""),
		Resolved: transport.Optional(transport.Timestamp(f.Resolved), !f.Resolved.IsZero()),
	}
}

func (a *api) listFindings(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	filter := payment.FindingFilter{
		Day: billDay(q, "day"), Kind: transport.Choose(q, "kind", payment.FindingKinds()...), State: transport.Choose(q, "state", payment.FindingStates()...),
	}
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"kind", filter.Kind, "state", filter.State, "page", request.Number()}
	findings, err := a.Reconciling.Findings(c.Context(), filter, request)
	if err != nil {
		return transport.Reply{}, err
	}
	return transport.Paged(page.Map(findings, renderFinding)), nil
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
