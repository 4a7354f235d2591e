package httpapi

import (
	"strconv"

	"plaza/adapters/httpapi/transport"
	"plaza/application/paying"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
)

// paymentBody is a request to pay an order (PAY-01, PAY-07).
type paymentBody struct {
	Method  *payment.Method  `json:"pay_method" validate:"required"`
	EndType *payment.EndType `json:"end_type" validate:"required"`
	Extra   paymentExtra     `json:"extra_params"`
	Order   *payment.OrderID `json:"order_id"`
}

type paymentExtra struct {
	App    payment.WalletApp `json:"wallet_app_type"`
	OpenID string            `json:"open_id"`
}

// pay begins a payment. The response names the order also when the wallet refuses.
func (a *api) pay(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[paymentBody](c)
	endType := payment.EndType(-1) // an absent one is invalid, not the first choice
	if body.EndType != nil {
		endType = *body.EndType
	}
	intent, err := payment.NewIntent(deref(body.Method), endType, body.Extra.App, body.Extra.OpenID)
	if err := fault.Merge(readErr, err); err != nil {
		return transport.Reply{}, err
	}
	request := paying.PayRequest{Intent: intent, Order: deref(body.Order)}
	if body.Order != nil && request.Order < 1 {
		return transport.Reply{}, payment.ErrNoOrder
	}
	request.Key, err = c.IdempotencyKey(func() idempotency.Request { return payment.PayContent(request.Intent, request.Order) }, nil)
	if err != nil {
		return transport.Reply{}, err
	}
	transport.LeaveSlot(c.Context())
	order, params, err := a.Paying.Pay(c.Context(), c.Actor, request)
	if body.Order == nil && order.ID != 0 {
		c.Gin.Header("X-Order-ID", strconv.FormatInt(int64(order.ID), 10))
	}
	if err != nil {
		return transport.Reply{}, err
	}
	return renderClientParams(params), nil
}

// renderClientParams renders the parameters for the payer's kind of terminal. Those for the
// wallet's own browser have no data wrapper (GEN-01).
func renderClientParams(v payment.ClientParams) transport.Reply {
	switch v.EndType {
	case payment.App:
		return transport.Data(appParams{v.Package, v.Timestamp, v.PrepayID, v.AppID, v.PartnerID, v.Nonce, v.Signature})
	case payment.JSAPI:
		return transport.Bare(browserParams{v.AppID, v.Timestamp, v.Nonce, v.Package, v.SignType, v.Signature})
	case payment.H5:
		return transport.Data(webParams{"MWEB", v.MWebURL, v.PrepayID})
	}
	return transport.Data(nativeParams{"NATIVE", v.CodeURL, v.PrepayID})
}

// nativeParams is for a QR code (PAY-02).
type nativeParams struct {
	TradeType string `json:"trade_type"`
	CodeURL   string `json:"code_url"`
	PrepayID  string `json:"prepay_id"`
}

// appParams is for an app (PAY-03).
type appParams struct {
	Package   string `json:"package"`
	Timestamp int64  `json:"timestamp"`
	PrepayID  string `json:"prepayid"`
	AppID     string `json:"appid"`
	PartnerID string `json:"partnerid"`
	Nonce     string `json:"noncestr"`
	Sign      string `json:"sign"`
}

// browserParams is for the wallet's own browser (PAY-04).
type browserParams struct {
	AppID     string `json:"appId"`
	Timestamp int64  `json:"timeStamp"`
	Nonce     string `json:"nonceStr"`
	Package   string `json:"package"`
	SignType  string `json:"signType"`
	PaySign   string `json:"paySign"`
}

// webParams is for another mobile browser (PAY-05).
type webParams struct {
	TradeType string `json:"trade_type"`
	MWebURL   string `json:"mweb_url"`
	PrepayID  string `json:"prepay_id"`
}
