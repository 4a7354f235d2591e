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

	"plaza/domain/fault"
	"plaza/domain/payment"
)

var billRefusals = refusalsOf(map[string]*fault.Error{
	"STATEMENT_CREATING": payment.ErrBillNotReady,
	"NO_STATEMENT_EXIST": errNoBill,
})

// Bill implements payment.Gateway. The bill is read wholly, and its hash compared, before the first call.
// A day without payments has no lines.
func (g *V3) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	link, err := g.get(ctx, "/v3/bill/tradebill?bill_date="+d.String()+"&bill_type=ALL&tar_type=GZIP", billRefusals)
	if errors.Is(err, errNoBill) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for a bill: %w", err)
	}
	base, target, err := g.within(link.text("download_url"))
	if err != nil {
		return fmt.Errorf("asking for a bill: %w", err)
	}
	open := func(ctx context.Context) (*http.Response, error) {
		return g.open(ctx, base, requestV3{method: http.MethodGet, target: target})
	}
	return g.readBill(ctx, open, func(ctx context.Context, body io.Reader, into io.Writer) error {
		sum := sha1.New() // the answer is not signed: the hash in the link, which is, covers the text
		if err := unpackBill(ctx, body, io.MultiWriter(into, sum)); err != nil {
			return err
		}
		if link.text("hash_type") != "SHA1" || !strings.EqualFold(link.text("hash_value"), hex.EncodeToString(sum.Sum(nil))) {
			return fmt.Errorf("%w: the bill has another hash", payment.ErrWalletBadResponse)
		}
		return nil
	}, fn)
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
