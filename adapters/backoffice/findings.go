package backoffice

import (
	"cmp"
	"strconv"

	"plaza/domain/audit"
	"plaza/domain/payment"
)

func (s *Site) listFindings(v *visit) (answer, error) {
	body := &moneyPage{Lists: moneyListsOf(v.actor), Current: moneyLists[len(moneyLists)-1]}
	id, _ := strconv.ParseInt(v.r.PostForm.Get("finding"), 10, 64) // any other text is no finding
	body.Settling, body.Reason = payment.FindingID(id), v.r.PostForm.Get("reason")
	kind := v.field("kind", s.T("What"), "", choices(v, "difference", payment.FindingKinds()...)...)
	state := v.field("state", s.T("State"), "", choices(v, "state", payment.FindingStates()...)[1:]...)
	f := payment.FindingFilter{
		Kind: payment.FindingKind(kind.Value), State: cmp.Or(payment.FindingState(state.Value), payment.FindingOpen),
	}
	a := answer{template: "findings.html", title: s.T(body.Current.Title), section: "money", body: body}
	return read(v, a, &body.listed, &body.Findings, s.Office.Findings(v.r.Context(), f), nil, v.field("list", "", ""), kind, state)
}

// settleFinding makes a difference settled.
func (s *Site) settleFinding(v *visit) (answer, error) {
	a, err := s.listFindings(v)
	if err != nil {
		return a, err
	}
	p := a.body.(*moneyPage)
	ctx, err := s.Office.Begin(v.r.Context(), v.record(audit.FindingSettled, audit.Numbered(audit.Finding, p.Settling), 0), nil)
	if err == nil {
		err = s.Reconciling.Settle(ctx, p.Settling)
	}
	if err != nil {
		return v.again(a, err)
	}
	return answer{to: "money/?list=findings&done=settle"}, nil
}
