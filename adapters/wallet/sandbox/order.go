package sandbox

import (
	"net/url"
	"time"
)

// place adds the order, or gives the same order another lifetime. The caller must hold the lock.
func (s *Server) place(asked Trade) (Trade, error) {
	now := s.now()
	t, there := s.trades[asked.OutTradeNo]
	if !there {
		t = asked
		t.Created = now
	} else if err := sameOrder(t, asked); err != nil {
		return t, err
	}
	switch {
	case !there && len(s.trades) >= maxTrades:
		return t, errCrowded
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return t, invalidParam("time_expire", "has passed")
	}
	s.refresh(&t, now)
	return t, s.commit(t)
}

// sameOrder returns a refusal if the number belongs to a different order.
func sameOrder(t, asked Trade) error {
	switch {
	case t.AppID != asked.AppID || t.TradeType != asked.TradeType || t.Protocol != asked.Protocol:
		return refusal{"OUT_TRADE_NO_USED", "the number belongs to an order of another trade type, appid or protocol"}
	case t.Fingerprint != asked.Fingerprint:
		return refusal{"INVALID_REQUEST", "the number was sent before with other parameters"}
	}
	return t.open()
}

// refresh extends the time to pay by another lifetime. A valid prepayment keeps its ID.
func (s *Server) refresh(t *Trade, now time.Time) {
	if !now.Before(t.PrepayUntil) {
		t.PrepayID = "wx" + now.In(beijing).Format(wireTime) + s.nonce(10)
	}
	t.Requests++
	t.PrepayUntil = now.Add(s.scaled(prepayLife))
	t.LinkUntil = t.PrepayUntil
	if t.TradeType == "MWEB" {
		t.LinkUntil = now.Add(s.scaled(mwebLife))
	}
}

// link returns the URL of the page that pays the trade.
func (s *Server) link(t Trade) string {
	return s.cfg.PublicURL + "/sandbox/pay/" + url.PathEscape(t.OutTradeNo)
}

// refundedState is what both protocols call a paid order of which something is returned.
const refundedState = "REFUND"

// stateOf returns the state of the trade as the protocols call it. The caller must hold the lock.
func (s *Server) stateOf(t Trade) string {
	if _, parts := s.returned(t.OutTradeNo); parts > 0 {
		return refundedState
	}
	return string(t.State)
}

var described = map[string]string{
	string(NotPaid): "not paid", string(Declined): "payment failed", string(Success): "paid", string(Closed): "closed",
	refundedState: "paid, and returned in part or whole",
}

// shut closes the order. The caller must hold the lock.
func (s *Server) shut(t Trade) error {
	if err := t.open(); err != nil {
		return err
	}
	t.State = Closed
	return s.commit(t)
}
