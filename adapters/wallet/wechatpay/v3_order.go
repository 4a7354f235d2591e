package wechatpay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"plaza/domain/payment"
)

const orderPath = "/v3/pay/transactions/"

// Trade types, as they end the path of an order.
const (
	nativeV3 = "native"
	jsapiV3  = "jsapi"
	inAppV3  = "app"
	h5V3     = "h5"
)

// storedRequest is a request as it is stored. It is signed each time it is sent, because signatures expire.
type storedRequest[B any] struct {
	Type string `json:"type"` // native, jsapi, app or h5
	Body B      `json:"body"`
}

type orderBody struct {
	AppID       string `json:"appid"`
	MerchantID  string `json:"mchid"`
	Description string `json:"description"`
	OutTradeNo  string `json:"out_trade_no"`
	TimeExpire  string `json:"time_expire"`
	NotifyURL   string `json:"notify_url"`
	Amount      struct {
		Total    int64  `json:"total"`
		Currency string `json:"currency"`
	} `json:"amount"`
	Payer struct {
		OpenID string `json:"openid"`
	} `json:"payer,omitzero"`
	Scene struct {
		ClientIP string `json:"payer_client_ip"`
		H5       struct {
			Type string `json:"type"`
		} `json:"h5_info"`
	} `json:"scene_info,omitzero"`
}

func (g *V3) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo, payer netip.Addr) ([]byte, error) {
	id, err := g.appIDFor(i.App, no)
	if err != nil {
		return nil, err
	}
	order := orderBody{
		AppID: id, MerchantID: g.merchant, Description: printable(o.Subject), OutTradeNo: string(no),
		TimeExpire: o.Expires.In(beijing).Format(time.RFC3339), NotifyURL: g.notify,
	}
	order.Amount.Total, order.Amount.Currency = o.Amount, o.Currency
	var tradeType string
	switch i.EndType {
	case payment.Native:
		tradeType = nativeV3
	case payment.App:
		tradeType = inAppV3
	case payment.JSAPI:
		if tradeType = jsapiV3; i.OpenID != printable(i.OpenID) {
			return nil, errOddPayer
		}
		order.Payer.OpenID = i.OpenID
	case payment.H5:
		tradeType = h5V3
		order.Scene.ClientIP, order.Scene.H5.Type = addressOf(i, payer), "Wap"
	default:
		return nil, fmt.Errorf("wechatpayv3: no trade type for the end type %d", i.EndType)
	}
	return json.Marshal(storedRequest[orderBody]{Type: tradeType, Body: order})
}

// Prepare implements payment.Gateway. It sends the same body each time, with a new signature.
func (g *V3) Prepare(ctx context.Context, stored []byte) (payment.Ticket, error) {
	var asked storedRequest[json.RawMessage]
	err := json.Unmarshal(stored, &asked)
	field := map[string]string{nativeV3: "code_url", jsapiV3: "prepay_id", inAppV3: "prepay_id", h5V3: "h5_url"}[asked.Type]
	if err != nil || field == "" {
		return payment.Ticket{}, errors.New("wechatpayv3: request not made by BuildRequest")
	}
	reply, err := g.call(ctx, requestV3{method: http.MethodPost, target: orderPath + asked.Type, body: asked.Body}, http.StatusOK,
		orderRefusals)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w", err)
	}
	value := reply.text(field)
	if value == "" {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w: a ticket without %s", payment.ErrWalletBadResponse, field)
	}
	switch asked.Type {
	case nativeV3:
		return payment.Ticket{CodeURL: value}, nil
	case h5V3:
		return payment.Ticket{MWebURL: value}, nil
	}
	return payment.Ticket{PrepayID: value}, nil
}
