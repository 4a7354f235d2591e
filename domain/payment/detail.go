package payment

import (
	"fmt"
	"slices"
	"strings"

	"plaza/domain/user"
)

// Detail is what a journal entry says besides its kind, or what the ledger or a bill has of a finding. What is zero it does
// not say. It contains no secret and no data about the payer.
type Detail struct {
	Line     int     `json:"line,omitempty"`     // of a bill
	Number   string  `json:"number,omitempty"`   // of a payment at the wallet, or of a refund
	Amount   int64   `json:"amount,omitempty"`   // minor units
	Currency string  `json:"currency,omitempty"` // empty: there is no amount
	By       string  `json:"by,omitempty"`       // the application that took a payment
	Of       string  `json:"of,omitempty"`       // the payment that a refund is of
	Staff    user.ID `json:"staff,omitempty"`    // who ordered a refund
	Note     string  `json:"note,omitempty"`     // a cause, a state or what else there is to say, in English
}

// String returns the detail in English, like "refund-1: 990 CNY of 4200, by staff 7".
func (d Detail) String() string {
	var line, sum, staff string
	if d.Line > 0 {
		line = fmt.Sprint("line ", d.Line)
	}
	if d.Currency != "" {
		sum = fmt.Sprintf("%d %s", d.Amount, d.Currency)
	}
	if d.By != "" {
		sum += " by " + d.By
	}
	if d.Of != "" {
		sum += " of " + d.Of
	}
	if d.Staff != 0 {
		staff = fmt.Sprint("by staff ", d.Staff)
	}
	return joined(": ", joined(", ", line, d.Number), joined(", ", sum, d.Note, staff))
}

// joined joins the texts that are not empty.
func joined(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(one string) bool { return one == "" }), by)
}
