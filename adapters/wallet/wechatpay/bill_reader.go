package wechatpay

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// maxBill bounds a bill, in bytes, unpacked: some half a million lines.
const maxBill = 256 << 20

// billDeadlines is how many times the deadline of another call the whole bill may take.
const billDeadlines = 24

// errNoBill: there was neither a payment nor a refund on the day.
var errNoBill = fault.New(fault.NotFound, "No bill of this day.")

// readBill stores a bill in a file without a name, and calls fn with each line of it after it has compared its sums. open
// asks for the bill, and unpack writes the text of the answer into the file, or returns errNoBill. Errors are those of the
// wallet and of fn.
func (g *gateway) readBill(ctx context.Context, open func(context.Context) (*http.Response, error),
	unpack func(ctx context.Context, body io.Reader, into io.Writer) error, fn func(payment.BillLine) error,
) error {
	file, err := os.CreateTemp("", "plaza-bill-")
	if err != nil {
		return fmt.Errorf("storing a wallet bill: %w", err)
	}
	_ = os.Remove(file.Name()) // a killed server leaves no file, except on Windows
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	if err := g.transport.download(ctx, open, unpack, file); err != nil {
		if errors.Is(err, errNoBill) {
			return nil
		}
		return fmt.Errorf("downloading a wallet bill: %w", err)
	}
	for _, each := range []func(payment.BillLine) error{func(payment.BillLine) error { return nil }, fn} {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("reading a wallet bill: %w", err)
		}
		if err := g.eachBillLine(file, each); err != nil {
			return err
		}
	}
	return nil
}

// download unpacks what open has asked for into the writer.
func (w transport) download(ctx context.Context, open func(context.Context) (*http.Response, error),
	unpack func(ctx context.Context, body io.Reader, into io.Writer) error, into io.Writer,
) error {
	ctx, cancel := context.WithTimeout(ctx, billDeadlines*w.deadline)
	defer cancel()
	impatient := time.AfterFunc(w.deadline, cancel) // the wallet has made the bill: it begins to send it soon
	response, err := open(ctx)
	impatient.Stop()
	if err != nil {
		return transportError(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, response.StatusCode)
	}
	return unpack(ctx, response.Body, into)
}

// unpackBill unpacks a body in gzip, within a bound.
func unpackBill(ctx context.Context, body io.Reader, into io.Writer) error {
	packed, err := gzip.NewReader(body)
	var n int64
	if err == nil {
		n, err = io.Copy(into, io.LimitReader(packed, maxBill+1))
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", payment.ErrWalletTimeout, ctx.Err())
	case err != nil:
		return fmt.Errorf("%w: the bill is not packed, or ends early", payment.ErrWalletBadResponse)
	case n > maxBill:
		return fmt.Errorf("%w: the bill is too large", payment.ErrWalletBadResponse)
	}
	return nil
}

type billSums struct {
	count, paid, refunded int64 // amounts in fen
	unread                int64 // lines whose amount is unknown; they are in the count
}

// eachBillLine calls fn with each line, and then compares their sums.
func (g *gateway) eachBillLine(bill io.Reader, fn func(payment.BillLine) error) error {
	lines := newBillScanner(bill)
	heading := newBillHeading(lines.heading())
	var have billSums
	for {
		record, is, err := lines.record(len(heading.names))
		if err != nil {
			return badBill(err)
		}
		if !is {
			return have.compare(lines)
		}
		l, err := g.billLine(heading, record)
		if err != nil {
			l = payment.BillLine{TransactionID: "line " + strconv.Itoa(record.line), Line: record.line, Unread: err.Error()}
		}
		have.add(l)
		if err := fn(l); err != nil {
			return err
		}
	}
}

func badBill(err error) error {
	return fmt.Errorf("reading a wallet bill: %w: %w", payment.ErrWalletBadResponse, err)
}

func (s *billSums) add(l payment.BillLine) {
	s.count++
	switch {
	case l.Unread != "":
		s.unread++
	case l.IsRefund():
		s.refunded += l.Amount
	default:
		s.paid += l.Amount
	}
}

// compare reads the line of sums. Nothing else of version 2 shows that the lines are whole.
func (s *billSums) compare(lines *billScanner) error {
	heading := newBillHeading(lines.sums)
	values := splitBillLine(lines.rest())
	value := func(columns ...string) string {
		v, _ := heading.value(values, columns...)
		return v
	}
	count, err1 := strconv.ParseInt(value("总交易单数"), 10, 64)
	paid, err2 := fenOf(value("订单总金额", "总交易额"))
	refunded, err3 := fenOf(value("申请退款总金额", "总退款金额"))
	hasOthers := s.unread == 0 && (paid != s.paid || refunded != s.refunded)
	if errors.Join(err1, err2, err3) != nil || count != s.count || hasOthers {
		return badBill(errors.New("its sums are not those of its lines"))
	}
	return nil
}

// fenOf returns the amount in fen of a text in yuan with up to two decimals.
func fenOf(s string) (int64, error) {
	yuan, fen, _ := strings.Cut(s, ".")
	fen += strings.Repeat("0", max(0, 2-len(fen)))
	if len(fen) != 2 || yuan == "" || len(yuan) > 16 || strings.Trim(yuan+fen, "0123456789") != "" {
		return 0, errors.New("no amount in yuan")
	}
	return strconv.ParseInt(yuan+fen, 10, 64)
}
