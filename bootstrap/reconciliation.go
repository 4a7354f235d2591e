package bootstrap

import (
	"plaza/application/paying"
	"plaza/application/reconciling"
)

// applyReceipts returns how payments are taken in that only a bill has.
func applyReceipts(p *paying.Paying) reconciling.Apply { return p.ApplyReceipt }
