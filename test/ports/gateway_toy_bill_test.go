package ports_test

import (
	"context"
	"maps"
	"strings"

	"plaza/domain/payment"
)

// The bills of the toy are answers as its others, so their mark shows that they are whole.

func (g *toyGateway) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	from, until := d.Bounds()
	a, err := g.send(ctx, g.seal(toyQuestion{Do: "bill", From: from.Unix(), Before: until.Unix()}), "bill")
	if err != nil {
		return err
	}
	for _, of := range a.Lines {
		r := of.receipt()
		l := payment.BillLine{TransactionID: r.TransactionID, TradeNo: r.TradeNo, App: r.App, Amount: r.Amount, Currency: r.Currency, At: r.Paid}
		if of.Refund != "" {
			l.RefundNo, l.WalletRefund, l.RefundState = payment.RefundNo(of.Refund), of.Ticket, payment.RefundState(of.Result)
		}
		if err := fn(l); err != nil {
			return err
		}
	}
	return nil
}

// answerBill answers with what was paid, and what refunds were ordered, at a time that is over.
func (w *toyWallet) answerBill(from, before float64) map[string]any {
	if w.now() < before {
		return map[string]any{"Result": "not made"}
	}
	lines := []map[string]any{}
	within := func(at any) bool { return at.(float64) >= from && at.(float64) < before }
	for _, b := range w.bills {
		if b.says["Result"] == "paid" && within(b.says["Paid"]) {
			lines = append(lines, b.says)
		}
	}
	for no, r := range w.refunds {
		if within(r["Ordered"]) {
			line := maps.Clone(r)
			of := w.bills[strings.TrimPrefix(r["ID"].(string), "M-")].says
			line["Refund"], line["No"], line["App"], line["Paid"] = no, of["No"], of["App"], r["Ordered"]
			lines = append(lines, line)
		}
	}
	return map[string]any{"Result": "bill", "Lines": lines}
}
