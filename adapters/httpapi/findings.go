package httpapi

import (
	"plaza/domain/page"
	"plaza/domain/payment"
)

// findingView is a difference between a bill of the wallet and the ledger, for the back office (PAY-15).
type findingView struct {
	ID          payment.FindingID   `json:"id"`
	Day         string              `json:"day"`
	Kind        payment.FindingKind `json:"kind"`
	Transaction string              `json:"transaction_id"`
	Order       *payment.OrderID    `json:"order"`
	Expected    *string             `json:"expected"`
	Found       *string             `json:"found"`
	Resolved    *timestamp          `json:"resolved_at"`
}

func renderFinding(f payment.Finding) findingView {
	return findingView{
		ID: f.ID, Day: f.Day.String(), Kind: f.Kind, Transaction: f.TransactionID, Order: optional(f.Order, f.Order != 0),
		Expected: optional(f.Expected, f.Expected != ""), Found: optional(f.Found, f.Found != ""),
		Resolved: optional(timestamp(f.Resolved), !f.Resolved.IsZero()),
	}
}

func (a *api) listFindings(c *call) (reply, error) {
	q := c.query()
	filter := payment.FindingFilter{
		Day: q.billDay("day"), Kind: choose(q, "kind", payment.FindingKinds()...), State: choose(q, "state", payment.FindingStates()...),
	}
	request := q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	c.audited = []any{"kind", filter.Kind, "state", filter.State, "page", request.Number()}
	findings, err := a.Reconciling.Findings(c.ctx(), filter, request)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(findings, renderFinding)), nil
}

// billDay returns the day in the parameter, or none.
func (q *query) billDay(name string) payment.Day {
	text := q.text(name)
	if text == "" {
		return payment.Day{}
	}
	day, err := payment.ParseDay(text)
	if err != nil {
		q.wrong.Add(name, "Enter a day like 2026-11-20.")
	}
	return day
}
