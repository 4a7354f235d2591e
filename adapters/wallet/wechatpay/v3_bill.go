package wechatpay

import (
	"context"
	"crypto/sha1" // the protocol's; it finds what was lost or changed by accident
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// errNoBill: there was neither a payment nor a refund on the day.
var errNoBill = fault.New(fault.NotFound, "No bill of this day.")

var billRefusals = commonCodesV3.and(map[string]*fault.Error{
	"STATEMENT_CREATING": payment.ErrBillNotReady,
	"NO_STATEMENT_EXIST": errNoBill,
})

// Bill implements payment.Gateway. The bill is read wholly, and its hash compared, before the first call.
// A day without payments has no lines.
func (g *V3) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	q := requestV3{method: http.MethodGet, target: "/v3/bill/tradebill?bill_date=" + d.String() + "&bill_type=ALL&tar_type=GZIP"}
	link, err := g.call(ctx, q, http.StatusOK, billRefusals)
	if errors.Is(err, errNoBill) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for a bill: %w", err)
	}
	return billReader{Merchant: g.merchant, Apps: g.apps}.Read(func(into io.Writer) (bool, error) { return true, g.download(ctx, link, into) }, fn)
}

// download unpacks the bill into the writer. The answer is not signed: the hash in the link, which is, covers what was packed.
func (g *V3) download(ctx context.Context, link jsonObject, into io.Writer) error {
	base, target, err := g.within(link.text("download_url"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, billDeadlines*g.transport.deadline)
	defer cancel()
	impatient := time.AfterFunc(g.transport.deadline, cancel) // the wallet has made the bill: it begins to send it soon
	response, err := g.open(ctx, base, requestV3{method: http.MethodGet, target: target})
	impatient.Stop()
	if err != nil {
		return transportError(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, response.StatusCode)
	}
	sum := sha1.New()
	if err := unpackBill(ctx, response.Body, io.MultiWriter(into, sum)); err != nil {
		return err
	}
	if link.text("hash_type") != "SHA1" || !strings.EqualFold(link.text("hash_value"), hex.EncodeToString(sum.Sum(nil))) {
		return fmt.Errorf("%w: the bill has another hash", payment.ErrWalletBadResponse)
	}
	return nil
}

// within splits an address of the wallet's into base and target. No request is signed for another host.
func (g *V3) within(address string) (base, target string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", "", fmt.Errorf("%w: no address of a bill", payment.ErrWalletBadResponse)
	}
	base = u.Scheme + "://" + u.Host
	for _, own := range []string{g.transport.url, g.spareURL} {
		if own == base || strings.HasPrefix(own, base+"/") {
			return base, u.RequestURI(), nil
		}
	}
	return "", "", fmt.Errorf("%w: the bill is at another host", payment.ErrWalletBadResponse)
}
