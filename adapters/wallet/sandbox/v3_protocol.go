package sandbox

import (
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plaza/adapters/wallet/sandbox/ledger"
)

func (v *v3) routes(mux *http.ServeMux) {
	handle := func(route string, op Operation, allowed form, do func(*request) (any, error)) {
		mux.Handle(route, exchange{v.wallet, v, op, allowed, do})
	}
	order := form{
		limits{"appid": 32, "mchid": 32, "description": 127, "out_trade_no": 32, "notify_url": 255, "amount/total": 10},
		limits{"attach": 128, "goods_tag": 32, "time_expire": 25, "amount/currency": 16},
	}
	prepay := func(path, tradeType string, more limits) {
		handle("POST /v3/pay/transactions/"+path, Prepay, order.with(form{needed: more}), v.prepay(tradeType))
	}
	prepay("native", "NATIVE", nil)
	prepay("app", "APP", nil)
	prepay("jsapi", "JSAPI", limits{"payer/openid": 128})
	// The wallet knows the payer's scene of each; the sandbox, of a payment from a web page alone.
	prepay("h5", "MWEB", limits{"scene_info/payer_client_ip": 45, "scene_info/h5_info/type": 32})
	about := form{needed: limits{"mchid": 32, "out_trade_no": 32}}
	handle("GET /v3/pay/transactions/out-trade-no/{out_trade_no}", QueryTrade, about, v.queryTrade)
	byID := form{needed: limits{"mchid": 32, "transaction_id": 32}}
	handle("GET /v3/pay/transactions/id/{transaction_id}", QueryTrade, byID, v.queryTrade)
	handle("POST /v3/pay/transactions/out-trade-no/{out_trade_no}/close", CloseTrade, about, v.closeTrade)
	handle("POST /v3/refund/domestic/refunds", RefundOrder, form{
		limits{"out_refund_no": 64, "amount/refund": 10, "amount/total": 10, "amount/currency": 16},
		limits{"transaction_id": 32, "out_trade_no": 32, "reason": 80, "notify_url": 256},
	}, v.refund)
	handle("GET /v3/refund/domestic/refunds/{out_refund_no}", RefundQuery, form{needed: limits{"out_refund_no": 64}}, v.queryRefund)
	handle("GET /v3/certificates", ListKeys, form{}, v.certificates)
	handle("GET /v3/bill/tradebill", TradeBill, form{limits{"bill_date": 10}, limits{"bill_type": 8, "tar_type": 8}}, v.tradeBill)
	handle("GET /v3/billdownload/file", DownloadBill, form{needed: limits{"token": 64}}, v.downloadBill)
}

func (v *v3) read(r *request) (fields, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, invalidParam("the body", "can't be read or is too large")
	}
	if err := v.authorize(r.Request, body); err != nil {
		return nil, refusal(errSignature.Code, err.Error())
	}
	return v.fieldsOf(r.Request, body)
}

// fieldsOf returns the fields of the request's path, and those of its query or its body. It refuses a request that breaks the
// rules for headers.
func (v *v3) fieldsOf(r *http.Request, body []byte) (fields, error) {
	f := fields{}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	accepts := r.Header.Get("Accept")
	serial := r.Header.Get("Wechatpay-Serial")
	isGet := r.Method == http.MethodGet
	switch {
	case r.Header.Get("User-Agent") == "":
		return f, missingParam("User-Agent")
	case !strings.Contains(accepts, "application/json") && !strings.Contains(accepts, "*/*"):
		return f, invalidParam("Accept", "must have application/json")
	case !isGet && kind != "application/json":
		return f, invalidParam("Content-Type", "must be application/json")
	case isGet && len(body) > 0:
		return f, invalidParam("the body", "must be empty")
	case !isGet && r.URL.RawQuery != "":
		return f, invalidParam("the query", "must be empty")
	case serial != "" && !v.knowsKey(serial):
		return f, invalidParam("Wechatpay-Serial", "is of no key of the wallet")
	}
	if !isGet {
		if err := f.readObject(body, ""); err != nil {
			return f, invalidParam("the body", err.Error())
		}
	}
	query := r.URL.Query()
	for _, name := range []string{"out_trade_no", "transaction_id", "out_refund_no"} {
		if value := r.PathValue(name); value != "" {
			query.Add(name, value)
		}
	}
	for name, values := range query {
		if _, twice := f[name]; twice || len(values) != 1 {
			return f, invalidParam(name, "is repeated")
		}
		f[name] = values[0]
	}
	return f, nil
}

// numbers are the fields whose values are numbers. The others are texts.
var numbers = []string{"amount/total", "amount/refund"}

// readObject reads a JSON object with the path. It rejects repeated names, empty objects, values of other kinds, and text
// after the object.
func (f fields) readObject(object []byte, path string) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(object, &members); err != nil || len(members) == 0 {
		return fmt.Errorf("must have a JSON object with fields, each once: %s", path)
	}
	for name, value := range members {
		at := path + name
		isNumber := slices.Contains(numbers, at)
		switch kind := value.Kind(); {
		case strings.Contains(name, "/"):
			return fmt.Errorf("has a field of a wrong name: %s", at)
		case kind == '{':
			if err := f.readObject(value, at+"/"); err != nil {
				return err
			}
		case kind == '0' && isNumber:
			f[at] = string(value)
		case kind == '"' && !isNumber:
			text, _ := jsontext.AppendUnquote(nil, value) // Unmarshal has checked it
			f[at] = string(text)
		default:
			return fmt.Errorf("has a field of a wrong type: %s", at)
		}
	}
	return nil
}

// v3Codes are the statuses and codes of version 3 for refusals. The others have status 400 and the code of version 2.
var v3Codes = map[string]struct {
	status int
	code   string
}{
	errSystem.Code: {500, "SYSTEM_ERROR"}, errSignature.Code: {401, "SIGN_ERROR"}, errFunds.Code: {403, "NOT_ENOUGH"},
	errMerchant.Code: {400, "MCH_NOT_EXISTS"}, errApp.Code: {400, "APPID_MCHID_NOT_MATCH"}, "LACK_PARAMS": {400, "PARAM_ERROR"},
	ledger.ErrUnknown.Code: {404, "ORDER_NOT_EXIST"}, ledger.ErrUnknownRefund.Code: {404, "RESOURCE_NOT_EXISTS"},
	ledger.ErrCrowded.Code: {429, "FREQUENCY_LIMITED"}, ledger.ErrClosed.Code: {400, "ORDER_CLOSED"},
	ledger.ErrOtherRefund.Code: {400, "INVALID_REQUEST"}, ledger.ErrOverdue.Code: {400, "INVALID_REQUEST"},
	ledger.ErrNoBill.Code: {400, "NO_STATEMENT_EXIST"}, ledger.ErrBillCreating.Code: {400, "STATEMENT_CREATING"},
	"OUT_TRADE_NO_USED": {403, "OUT_TRADE_NO_USED"},
}

func (v *v3) answer(r *request, reply any, no *ledger.Refusal) message {
	raw, isRaw := reply.(content)
	a := message{http.StatusOK, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, nil}
	switch {
	case no != nil:
		said, known := v3Codes[no.Code]
		if !known {
			said.status, said.code = 400, no.Code
		}
		a.status, a.body = said.status, marshal(object{"code": said.code, "message": no.Text})
	case isRaw:
		a.header.Set("Content-Type", "application/octet-stream")
		a.body = raw
	case reply == nil:
		a.status = http.StatusNoContent
		a.header.Del("Content-Type")
	default:
		a.body = marshal(reply)
	}
	// The date is of the clock that judges the request. An answer to an unknown sender is not signed.
	a.header.Set("Date", v.ledger.Now().Format(http.TimeFormat))
	if r.asked != nil && !isRaw {
		v.sign(a, r.Header.Get("Wechatpay-Serial"), r.trick)
	}
	return a
}

// notification implements version. Repetitions of an event have the same ID. The associated data of a refund is empty, as the
// wallet's may be.
func (v *v3) notification(t ledger.Trade, r *ledger.Refund, trick Misbehaviour) message {
	of, at, kind, summary, original, associated := t.TransactionID, t.Paid, "TRANSACTION.SUCCESS", "支付成功", "transaction", "transaction"
	told := v.tradeObject(t, ledger.Success)
	if r != nil {
		words := refundEvents[r.State]
		of, at, kind, summary, original, associated = r.ID+string(r.State), r.Ended, words.kind, words.summary, "refund", ""
		told = refundTold(t, *r)
		told["mchid"], told["refund_status"] = v.MerchantID, r.State
	}
	resource := v.seal(marshal(told), associated)
	resource["original_type"] = original
	id := sha256.Sum256([]byte(of))
	m := message{header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: marshal(object{
		"id":         fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16]),
		"event_type": kind, "create_time": v3Time(at), "resource_type": "encrypt-resource", "summary": summary, "resource": resource,
	})}
	v.sign(m, "", trick)
	return m
}

// acknowledged implements version. The status alone acknowledges.
func (v *v3) acknowledged(status int, _ []byte) error {
	if status != http.StatusOK && status != http.StatusNoContent {
		return fmt.Errorf("merchant answered status %d", status)
	}
	return nil
}

func marshal(v any) []byte {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // of a value that JSON does not have
	}
	return body
}
