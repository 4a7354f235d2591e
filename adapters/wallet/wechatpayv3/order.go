package wechatpayv3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

const orderPath = "/v3/pay/transactions/"

// Trade types, as they end the path of an order.
const (
	native = "native"
	jsapi  = "jsapi"
	inApp  = "app"
	h5     = "h5"
)

// payerIP is the client address of H5 orders, which are built before the payer's address is known.
const payerIP = "127.0.0.1"

var errOddPayer = fault.Field("extra_params.open_id", "Not a valid wallet identifier.")

// The wallet's times are Beijing's, which has had no summer time since the wallet exists. So
// no time zone database is needed.
var beijing = time.FixedZone("UTC+8", 8*60*60)

// storedRequest is a request as it is stored. It is signed each time it is sent, because signatures expire.
type storedRequest struct {
	Type string          `json:"type"` // native, jsapi, app or h5
	Body json.RawMessage `json:"body"`
}

type orderBody struct {
	AppID       string     `json:"appid"`
	MerchantID  string     `json:"mchid"`
	Description string     `json:"description"`
	OutTradeNo  string     `json:"out_trade_no"`
	TimeExpire  string     `json:"time_expire"`
	NotifyURL   string     `json:"notify_url"`
	Amount      amountBody `json:"amount"`
	Payer       *payerBody `json:"payer,omitempty"`
	Scene       *sceneBody `json:"scene_info,omitempty"`
}

type amountBody struct {
	Total    int64  `json:"total"`
	Currency string `json:"currency"`
}

type payerBody struct {
	OpenID string `json:"openid"`
}

type sceneBody struct {
	ClientIP string `json:"payer_client_ip"`
	H5       h5Body `json:"h5_info"`
}

type h5Body struct {
	Type string `json:"type"`
}

// BuildRequest implements payment.Gateway.
func (g *Gateway) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo) ([]byte, error) {
	id, err := g.appID(i.App)
	if err != nil {
		return nil, err
	}
	if err := checkTradeNo(no); err != nil {
		return nil, err
	}
	order := orderBody{
		AppID: id, MerchantID: g.merchant, Description: printable(o.Subject), OutTradeNo: string(no),
		TimeExpire: o.Expires.In(beijing).Format(time.RFC3339), NotifyURL: g.notify,
		Amount: amountBody{Total: o.Amount, Currency: o.Currency},
	}
	var tradeType string
	switch i.EndType {
	case payment.Native:
		tradeType = native
	case payment.App:
		tradeType = inApp
	case payment.JSAPI:
		if tradeType = jsapi; i.OpenID != printable(i.OpenID) {
			return nil, errOddPayer
		}
		order.Payer = &payerBody{i.OpenID}
	case payment.H5:
		tradeType = h5
		order.Scene = &sceneBody{ClientIP: payerIP, H5: h5Body{"Wap"}}
	default:
		return nil, fmt.Errorf("wechatpayv3: no trade type for the end type %d", i.EndType)
	}
	body, err := json.Marshal(order)
	if err != nil {
		return nil, fmt.Errorf("wechatpayv3: writing a request: %w", err)
	}
	stored, err := json.Marshal(storedRequest{Type: tradeType, Body: body})
	if err != nil {
		return nil, fmt.Errorf("wechatpayv3: writing a request: %w", err)
	}
	return stored, nil
}

// Prepare implements payment.Gateway. It sends the same body each time, with a new signature.
func (g *Gateway) Prepare(ctx context.Context, stored []byte) (payment.Ticket, error) {
	var asked storedRequest
	if err := json.Unmarshal(stored, &asked); err != nil {
		return payment.Ticket{}, errors.New("wechatpayv3: request not made by BuildRequest")
	}
	field := map[string]string{native: "code_url", jsapi: "prepay_id", inApp: "prepay_id", h5: "h5_url"}[asked.Type]
	if field == "" {
		return payment.Ticket{}, errors.New("wechatpayv3: request not made by BuildRequest")
	}
	reply, err := g.call(ctx, request{method: http.MethodPost, target: orderPath + asked.Type, body: asked.Body}, http.StatusOK, orderRefusals)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w", err)
	}
	value := reply.text(field)
	if value == "" {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w: a ticket without %s", payment.ErrWalletBadResponse, field)
	}
	switch asked.Type {
	case native:
		return payment.Ticket{CodeURL: value}, nil
	case h5:
		return payment.Ticket{MWebURL: value}, nil
	}
	return payment.Ticket{PrepayID: value}, nil
}

// printable replaces control characters, which no terminal shows, and invalid UTF-8, which JSON can't express.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
