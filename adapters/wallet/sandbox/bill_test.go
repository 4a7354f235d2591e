package sandbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY15_bills_that_go_wrong(t *testing.T) {
	clk := newClock()
	s := start(t, config(clk))
	paid(t, s, "order-1")
	second := paid(t, s, "order-2")
	require.Empty(t, refunders[V2].ask(t, s, second, "refund-1", 10))
	require.NoError(t, s.RefundOutcome("refund-1", RefundSucceeded))
	clk.add(48 * time.Hour)
	bill := func() string {
		f := with(about(""), fields{"out_trade_no": "-", "bill_date": "20260102", "bill_type": "ALL"})
		return post(s, "/pay/downloadbill", render("xml", signedAs(f))).Body.String()
	}
	good := bill()
	assert.Contains(t, good, "`3,`19.80,`0.10")
	for trick, want := range map[Trick]string{
		LoseLine: "`2,`19.80,`0.00", Amount: "`3,`19.81,`0.10", BadHash: "`3,`19.81,`0.10", Garbage: "<html>", ErrorAfter: "SYSTEMERROR",
	} {
		require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: trick}))
		assert.Contains(t, bill(), want, trick)
	}
	require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: Truncate}))
	assert.Len(t, bill(), len(good)/2)
}
