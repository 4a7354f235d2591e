package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// State is the state of a trade.
type State string

// The states of a trade.
const (
	NotPaid  State = "NOTPAY"
	Declined State = "PAYERROR" // the payer's bank refused; it can still be paid
	Success  State = "SUCCESS"
	Closed   State = "CLOSED"
)

// Errors of Pay for a trade that can't be paid. The merchant's requests are refused with them, too.
var (
	ErrUnknown = refusal{"ORDERNOTEXIST", "order not found"}
	ErrPaid    = refusal{"ORDERPAID", "the order is already paid"}
	ErrClosed  = refusal{"ORDERCLOSED", "the order is closed"}
	ErrExpired = errors.New("the order has expired")
)

// Protocol is a version of the wallet's protocol.
type Protocol string

// The versions.
const (
	V2 Protocol = "v2"
	V3 Protocol = "v3"
)

// Trade is an order in the wallet's ledger.
type Trade struct {
	Protocol      Protocol  `json:"protocol"` // that ordered it
	OutTradeNo    string    `json:"out_trade_no"`
	AppID         string    `json:"appid"`
	TradeType     string    `json:"trade_type"`
	Body          string    `json:"body"`
	Attach        string    `json:"attach,omitempty"`
	OpenID        string    `json:"openid,omitempty"`
	Amount        int64     `json:"total_fee"`
	Currency      string    `json:"fee_type"`
	State         State     `json:"trade_state"`
	PrepayID      string    `json:"prepay_id"`
	TransactionID string    `json:"transaction_id,omitempty"`
	Coupon        int64     `json:"coupon_fee,omitempty"`
	Created       time.Time `json:"created"`
	PrepayUntil   time.Time `json:"prepay_until"`
	LinkUntil     time.Time `json:"link_until"`
	Expires       time.Time `json:"time_expire,omitzero"`
	Paid          time.Time `json:"time_end,omitzero"`
	Requests      int       `json:"requests"` // number of requests answered with this prepayment

	SignType    string `json:"sign_type,omitempty"` // of version 2
	Fingerprint string `json:"fingerprint"`         // of the parameters
	Delivery
}

// Delivery is how far the notification of a payment or of a refund is.
type Delivery struct {
	NotifyURL string `json:"notify_url,omitempty"` // empty: there is no notification
	Notified  bool   `json:"notified"`             // the merchant has acknowledged it
	Attempts  int    `json:"attempts"`
	// Next is the time of the next attempt. A refund that is being processed ends by itself then.
	Next time.Time `json:"next_attempt,omitzero"`
}

// PaidTrade is an order of version 2 that was paid by a QR code.
type PaidTrade struct {
	OutTradeNo, AppID, Body, TransactionID string
	Amount                                 int64
	Created, Paid                          time.Time
}

// addPaid adds the order unless it is known. The merchant is not notified. Only New calls it.
func (s *Server) addPaid(p PaidTrade) error {
	if _, there := s.trades[p.OutTradeNo]; there {
		return nil
	}
	return s.commit(Trade{
		Protocol: V2, OutTradeNo: p.OutTradeNo, AppID: p.AppID, TradeType: "NATIVE", Body: p.Body, OpenID: "sandbox-payer",
		Amount: p.Amount, Currency: "CNY", State: Success, TransactionID: p.TransactionID, Created: p.Created, Paid: p.Paid,
		PrepayUntil: p.Paid, LinkUntil: p.Paid, Requests: 1, Delivery: Delivery{Notified: true},
	})
}

// open returns why the trade is not open any more, or nil.
func (t Trade) open() error {
	switch t.State {
	case Success:
		return ErrPaid
	case Closed:
		return ErrClosed
	}
	return nil
}

// payable returns why the trade can't be paid now, or nil.
func (t Trade) payable(now time.Time) error {
	if err := t.open(); err != nil {
		return err
	}
	if !now.Before(t.ends()) {
		return ErrExpired
	}
	return nil
}

// ends returns the end of the time in which the trade can be paid.
func (t Trade) ends() time.Time {
	if !t.Expires.IsZero() && t.Expires.Before(t.LinkUntil) {
		return t.Expires
	}
	return t.LinkUntil
}

// PaymentOptions are the details of a payment.
type PaymentOptions struct {
	Coupon int64 // the part of the amount that a coupon pays
	// Notification, if it has a trick, makes the notification go wrong. Its operation and its
	// order are those of the payment.
	Notification Misbehaviour
}

// Pay pays the trade; the merchant is notified afterwards. A trade can be paid only once.
func (s *Server) Pay(outTradeNo string, how PaymentOptions) (Trade, error) {
	return s.changeUnpaid(outTradeNo, func(t *Trade, now time.Time) error {
		if how.Coupon < 0 || how.Coupon > t.Amount {
			return errors.New("the coupon must be within the amount")
		}
		if m := how.Notification; m.Do != "" {
			m.On, m.No = Notify, outTradeNo
			if err := s.misbehave(m); err != nil {
				return err
			}
		}
		t.OpenID = cmp.Or(t.OpenID, "sandbox-payer")
		t.State, t.Paid, t.Next, t.Coupon = Success, now, now, how.Coupon
		t.TransactionID = s.walletID("4200", now)
		return nil
	})
}

// Decline records that the payer's bank refused. The trade can still be paid, and the wallet
// sends no notification.
func (s *Server) Decline(outTradeNo string) error {
	_, err := s.changeUnpaid(outTradeNo, func(t *Trade, _ time.Time) error {
		t.State = Declined
		return nil
	})
	return err
}

// Expire ends the time in which the trade can be paid. The merchant gets a new one when it
// repeats the order.
func (s *Server) Expire(outTradeNo string) error {
	_, err := s.changeUnpaid(outTradeNo, func(t *Trade, now time.Time) error {
		t.PrepayUntil, t.LinkUntil = now, now
		return nil
	})
	return err
}

// changeUnpaid changes a trade that can be paid, and returns it.
func (s *Server) changeUnpaid(outTradeNo string, change func(*Trade, time.Time) error) (Trade, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, there := s.trades[outTradeNo]
	if !there {
		return t, ErrUnknown
	}
	now := s.now()
	err := t.payable(now)
	if err == nil {
		err = change(&t, now)
	}
	if err == nil {
		err = s.commit(t)
	}
	s.wake()
	return s.trades[outTradeNo], err
}

// Ledger returns all trades in order of creation.
func (s *Server) Ledger() []Trade {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Trade, 0, len(s.numbers))
	for _, no := range s.numbers {
		all = append(all, s.trades[no])
	}
	return all
}

// commit stores the trade durably. The caller must hold the lock.
func (s *Server) commit(t Trade) error {
	if err := s.record(t); err != nil {
		return err
	}
	s.store(t)
	return nil
}

// store stores the trade in memory. The caller must hold the lock.
func (s *Server) store(t Trade) {
	if _, there := s.trades[t.OutTradeNo]; !there {
		s.numbers = append(s.numbers, t.OutTradeNo)
	}
	s.trades[t.OutTradeNo] = t
	if t.State == Success {
		s.paid[t.TransactionID] = t.OutTradeNo
	}
	s.expect(subject{trade: t.OutTradeNo}, t.Delivery)
}

// expect keeps the subject among those whose notification is still to be sent, or removes it
// from them. The caller must hold the lock.
func (s *Server) expect(of subject, d Delivery) {
	if d.Next.IsZero() {
		delete(s.pending, of)
	} else if _, there := s.pending[of]; !there {
		s.pending[of] = false
	}
}

// walletID returns a random ID of 28 digits with the prefix and the day.
func (s *Server) walletID(prefix string, now time.Time) string {
	n, _ := new(big.Int).SetString(s.nonce(16), 16)
	n.Mod(n, big.NewInt(1e16))
	return fmt.Sprintf("%s%s%016d", prefix, now.In(beijing).Format("20060102"), n)
}
