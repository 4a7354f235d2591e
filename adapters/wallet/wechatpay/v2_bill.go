package wechatpay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"plaza/domain/payment"
)

// billDeadlines is how many times the deadline of another call the whole bill may take.
const billDeadlines = 24

// Messages of refusals, which have no signature and no code of their own.
const (
	noBill       = "No Bill Exist"
	billCreating = "Bill Creating"
)

// Bill implements payment.Gateway. This version has neither a signature nor a hash of a bill. So the bill is read wholly
// and compared with its sums before the first call of fn.
func (g *V2) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	return billReader{Merchant: g.merchant, Apps: g.apps}.Read(func(into io.Writer) (bool, error) { return g.download(ctx, d, into) }, fn)
}

// download unpacks the bill into the writer. It returns false if the day has no bill.
func (g *V2) download(ctx context.Context, d payment.Day, into io.Writer) (isMade bool, err error) {
	m := xmlMessage{
		"appid": g.anyAppID(), "mch_id": g.merchant, "nonce_str": g.nonce(), "bill_date": fmt.Sprintf("%04d%02d%02d", d.Year, d.Month, d.Day),
		"bill_type": "ALL", "tar_type": "GZIP",
	}
	m.sign(g.key)
	ctx, cancel := context.WithTimeout(ctx, billDeadlines*g.transport.deadline)
	defer cancel()
	impatient := time.AfterFunc(g.transport.deadline, cancel) // the wallet has made the bill: it begins to send it soon
	response, err := g.transport.openXML(ctx, "/pay/downloadbill", m.encode())
	impatient.Stop()
	if err != nil {
		return false, transportError(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, response.StatusCode)
	}
	body := bufio.NewReader(response.Body)
	if start, _ := body.Peek(len("<xml>")); string(start) == "<xml>" {
		return false, billRefusal(ctx, body)
	}
	return true, unpackBill(ctx, body, into)
}

// billRefusal returns why the wallet sends no bill; nil if the day has none. No refusal of a bill is signed.
func billRefusal(ctx context.Context, body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, maxXML+1))
	if err != nil {
		return transportError(ctx, err)
	}
	reply, err := parseXML(text)
	switch {
	case err != nil || reply["return_code"] != failure:
		return fmt.Errorf("%w: neither a bill nor a refusal", payment.ErrWalletBadResponse)
	case reply["return_msg"] == noBill:
		return nil
	case reply["return_msg"] == billCreating:
		return payment.ErrBillNotReady
	}
	return fmt.Errorf("%w: the wallet sends no bill%s", payment.ErrWalletBadResponse, hint(reply["return_msg"]))
}
