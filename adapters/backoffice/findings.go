package backoffice

import (
	"cmp"
	"strconv"

	"plaza/domain/audit"
	"plaza/domain/payment"
)

// findings is the key of the list of open differences between the wallet's bills and the ledger.
const findings = "findings"

func (s *Site) listFindings(v *visit) (_ answer, err error) {
	t, body := s.texts.Money, &moneyPage{Lists: moneyListsOf(v.actor), Current: findings}
	a := answer{template: "findings.html", title: t.Lists[findings], section: "money", body: body}
	kind := v.field("kind", t.What, "", choices(v, payment.FindingKinds(), t.Differences)...)
	state := v.field("state", t.State, "", choices(v, payment.FindingStates(), t.FindingStates)[1:]...)
	f := payment.FindingFilter{
		Kind: payment.FindingKind(kind.Value), State: cmp.Or(payment.FindingState(state.Value), payment.FindingOpen),
	}
	body.Findings, a, err = read(v, a, &body.listed, s.Office.Findings(v.r.Context(), f), nil, v.field("list", "", ""), kind, state)
	form := v.r.PostForm
	if typed := v.typed(); typed != nil {
		form = typed
	}
	id, _ := strconv.ParseInt(form.Get("finding"), 10, 64) // any other text is no finding
	body.Settling, body.Reason = payment.FindingID(id), form.Get("reason")
	return a, err
}

// settleFinding makes a difference settled.
func (s *Site) settleFinding(v *visit) (answer, error) {
	a, err := s.listFindings(v)
	if err != nil {
		return a, err
	}
	p := a.body.(*moneyPage)
	ctx, err := s.Office.Begin(v.r.Context(), audit.Record{
		By: audit.Actor{Staff: v.actor.ID}, Act: audit.FindingSettled, Object: audit.Numbered(audit.Finding, p.Settling), Reason: p.Reason,
	}, nil)
	if err == nil {
		err = s.Reconciling.Settle(ctx, p.Settling)
	}
	if err != nil {
		return v.again(a, err)
	}
	return answer{to: "money/?list=findings&done=settle"}, nil
}
