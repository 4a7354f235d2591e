package payment_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

func draft() payment.Draft {
	return payment.Draft{User: 7, Subject: "Tea", Amount: 990, Currency: payment.CNY, ExpiresIn: 2 * time.Hour}
}

func TestPAY12_a_draft_makes_an_open_order(t *testing.T) {
	d := draft()
	d.Subject = " 茶 \n"
	o, err := d.Order(noon.Add(time.Nanosecond))
	require.NoError(t, err)
	assert.Equal(t, payment.Order{
		User: 7, Subject: "茶", Amount: 990, Currency: payment.CNY, State: payment.Open,
		Created: noon, Expires: noon.Add(2 * time.Hour),
	}, o)
}

func TestPAY12_what_an_order_may_be(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*payment.Draft)
		wrong  []string
	}{
		"the least amount":     {change: func(d *payment.Draft) { d.Amount = 1 }},
		"the greatest amount":  {change: func(d *payment.Draft) { d.Amount = 10_000_000 }},
		"the longest subject":  {change: func(d *payment.Draft) { d.Subject = strings.Repeat("茶", 42) + "T" }},
		"the shortest life":    {change: func(d *payment.Draft) { d.ExpiresIn = time.Second }},
		"spaces don't count":   {change: func(d *payment.Draft) { d.Subject = strings.Repeat("T", 127) + "  " }},
		"no amount":            {func(d *payment.Draft) { d.Amount = 0 }, []string{"amount"}},
		"a negative amount":    {func(d *payment.Draft) { d.Amount = -990 }, []string{"amount"}},
		"too much":             {func(d *payment.Draft) { d.Amount = 10_000_001 }, []string{"amount"}},
		"far too much":         {func(d *payment.Draft) { d.Amount = math.MaxInt64 }, []string{"amount"}},
		"no subject":           {func(d *payment.Draft) { d.Subject = "" }, []string{"subject"}},
		"a blank subject":      {func(d *payment.Draft) { d.Subject = " \u200b " }, []string{"subject"}},
		"too long a subject":   {func(d *payment.Draft) { d.Subject = strings.Repeat("茶", 43) }, []string{"subject"}},
		"two lines":            {func(d *payment.Draft) { d.Subject = "Tea\ngreen" }, []string{"subject"}},
		"a NUL in the subject": {func(d *payment.Draft) { d.Subject = "T\x00" }, []string{"subject"}},
		"broken UTF-8":         {func(d *payment.Draft) { d.Subject = "T\xff" }, []string{"subject"}},
		"another currency":     {func(d *payment.Draft) { d.Currency = "EUR" }, []string{"currency"}},
		"no currency":          {func(d *payment.Draft) { d.Currency = "" }, []string{"currency"}},
		"a small currency":     {func(d *payment.Draft) { d.Currency = "cny" }, []string{"currency"}},
		"hardly a life":        {func(d *payment.Draft) { d.ExpiresIn = time.Second - 1 }, []string{"expires_in"}},
		"a life in the past":   {func(d *payment.Draft) { d.ExpiresIn = -time.Hour }, []string{"expires_in"}},
		"nobody":               {func(d *payment.Draft) { d.User = 0 }, []string{"user"}},
		"everything": {func(d *payment.Draft) { *d = payment.Draft{} },
			[]string{"user", "subject", "amount", "currency", "expires_in"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := draft()
			c.change(&d)
			_, err := d.Order(noon)
			if c.wrong == nil {
				require.NoError(t, err)
				return
			}
			f, isFault := fault.As(err)
			require.True(t, isFault)
			assert.Equal(t, fault.Invalid, f.Kind)
			assert.Len(t, f.Fields, len(c.wrong))
			for _, field := range c.wrong {
				assert.Len(t, f.Fields[field], 1, field)
			}
		})
	}
}
