package wechatpay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"

	"plaza/domain/payment"
)

// Messages of refusals, which have no signature and no code of their own.
const (
	noBill       = "No Bill Exist"
	billCreating = "Bill Creating"
)

// Bill implements payment.Gateway. This version has neither a signature nor a hash of a bill. So the bill is read wholly
// and compared with its sums before the first call of fn.
func (g *V2) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	m := xmlMessage{
		"appid": g.anyAppID(), "mch_id": g.merchant, "nonce_str": g.nonce(), "bill_date": d.Time().Format("20060102"),
		"bill_type": "ALL", "tar_type": "GZIP",
	}
	m.sign(g.key)
	open := func(ctx context.Context) (*http.Response, error) {
		return g.transport.openXML(ctx, "/pay/downloadbill", m.encode())
	}
	return g.readBill(ctx, open, func(ctx context.Context, body io.Reader, into io.Writer) error {
		text := bufio.NewReader(body)
		if start, _ := text.Peek(len("<xml>")); string(start) == "<xml>" {
			return billRefusal(ctx, text)
		}
		return unpackBill(ctx, text, into)
	}, fn)
}

// billRefusal returns why the wallet sends no bill. No refusal of a bill is signed.
func billRefusal(ctx context.Context, body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, maxXML+1))
	if err != nil {
		return transportError(ctx, err)
	}
	reply, err := parseXML(text, "xml")
	switch {
	case err != nil || reply["return_code"] != failure:
		return fmt.Errorf("%w: neither a bill nor a refusal", payment.ErrWalletBadResponse)
	case reply["return_msg"] == noBill:
		return errNoBill
	case reply["return_msg"] == billCreating:
		return payment.ErrBillNotReady
	}
	return fmt.Errorf("%w: the wallet sends no bill%s", payment.ErrWalletBadResponse, hint(reply["return_msg"]))
}
