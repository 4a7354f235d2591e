package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// Bounds of the body of a request.
const maxBody, readTime = 64 << 10, 10 * time.Second

// request is a request of the merchant.
type request struct {
	*http.Request
	operation Operation
	asked     fields // nil: the sender is unknown
	number    string // of the order that it is about, if it names one
	trick     Misbehaviour
}

// message is an answer of the wallet, or a notification, which has no status.
type message struct {
	status int
	header http.Header
	body   []byte
}

// content is a reply that is sent as it is, without a signature.
type content []byte

// version is a version of the wallet's protocol.
type version interface {
	// read returns the fields of a request. It returns none if the request is not the merchant's.
	read(*request) (fields, error)
	// answer returns the answer to a request: the reply, or else the refusal.
	answer(r *request, reply any, no *ledger.Refusal) message
	// notification returns the message about a payment, or about its refund.
	notification(ledger.Trade, *ledger.Refund, Misbehaviour) message
	// acknowledged returns nil if the merchant's answer acknowledges a notification.
	acknowledged(status int, body []byte) error
}

// exchange serves an operation in a version of the protocol. All that makes an answer go wrong in each version is here:
// whether the request is processed, and when and how its answer is sent.
type exchange struct {
	*wallet
	version
	operation Operation
	form      form
	do        func(*request) (reply any, err error)
}

// refusingTricks are the refusals of requests that are not processed.
var refusingTricks = map[Trick]ledger.Refusal{
	ErrorBefore: errSystem, Crowded: ledger.ErrCrowded, SayPaid: ledger.ErrPaid, NoFunds: errFunds,
}

func (e exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := &request{Request: r, operation: e.operation}
	// The deadline is for the body only; later it would end a delayed answer. A writer without deadlines has none to miss.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime))
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	f, err := e.read(asked)
	_ = control.SetReadDeadline(time.Time{})
	var reply any
	if asked.asked = f; err == nil {
		reply, err = e.process(asked)
	}
	var refused *ledger.Refusal
	if no, is := errors.AsType[ledger.Refusal](err); err != nil {
		if reply, refused = nil, &no; !is {
			e.Log.Error("sandbox: processing a request failed", "cause", err)
			no = errSystem
		}
	}
	a, trick := e.answer(asked, reply, refused), asked.trick
	e.Log.Info("sandbox: request", "operation", e.operation, "no", asked.number, "trick", trick.Do, "status", a.status, "cause", err)
	switch trick.Do {
	case Delay:
		pause(r.Context(), trick.delay(), nil)
	case Reset:
		panic(http.ErrAbortHandler) // net/http closes the connection
	case Garbage: // as of a broken proxy
		a = message{http.StatusOK, http.Header{"Content-Type": {"text/html"}}, []byte("<html><body>Bad Gateway</body>")}
	case Truncate:
		a.body = a.body[:len(a.body)/2]
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails only when the client has disconnected
}

// process does what a genuine request asks for, unless its misbehaviour forbids that.
func (e exchange) process(r *request) (reply any, err error) {
	r.number = e.ledger.Number(r.asked["transaction_id"], r.asked["out_trade_no"], r.asked["out_refund_no"])
	r.trick = e.next(r.operation, r.number)
	if r.trick.Do == Slow {
		pause(r.Context(), r.trick.delay(), nil)
	}
	if no, refuses := refusingTricks[r.trick.Do]; refuses {
		return nil, no
	}
	if err := e.check(r.asked, e.form); err != nil {
		return nil, err
	}
	reply, err = e.do(r)
	if err == nil && r.trick.Do == ErrorAfter {
		err = errSystem
	}
	return reply, err
}

// pause waits until the channel is closed, at most for the duration and while the context lasts.
func pause(ctx context.Context, d time.Duration, end <-chan struct{}) {
	select {
	case <-time.After(d):
	case <-end:
	case <-ctx.Done():
	}
}

// fields is a protocol message: names and texts. In version 3, the names of a nested object's fields begin with its name:
// amount/total.
type fields map[string]string

// number returns the value of a field that has the format of a whole number.
func (f fields) number(name string) int64 {
	n, _ := strconv.ParseInt(f[name], 10, 64) // form.check has checked it
	return n
}

// timeOf returns the time of the field, in Beijing, or zero if it is absent.
func (f fields) timeOf(name, layout string) (time.Time, error) {
	if f[name] == "" {
		return time.Time{}, nil
	}
	at, err := time.ParseInLocation(layout, f[name], ledger.Beijing)
	if err != nil || len(f[name]) != len(layout) {
		return time.Time{}, invalidParam(name, "must be written as "+layout)
	}
	return at, nil
}

// fingerprint identifies the parameters of a request, without its nonce and signature, which may differ between retries.
func (f fields) fingerprint() string {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(name, value string) bool {
		return value == "" || name == "nonce_str" || name == "sign" || name == "sign_type"
	})
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", f)))
}

// limits are the largest numbers of bytes of fields.
type limits map[string]int

// form has the fields of a request. A request has all that it needs and no others.
type form struct{ needed, optional limits }

// with returns the form with the fields of another one.
func (f form) with(other form) form {
	all := form{limits{}, limits{}}
	for _, one := range []form{f, other} {
		maps.Copy(all.needed, one.needed)
		maps.Copy(all.optional, one.optional)
	}
	return all
}

// format is how a text is written.
type format struct {
	is   func(string) bool
	must string
}

var (
	tradeNo   = matching(`^[0-9A-Za-z_|*-]{6,32}$`, "must be 6 to 32 digits, letters and _-|*")
	refundNo  = matching(`^[0-9A-Za-z_|*@-]{1,64}$`, "must be 1 to 64 digits, letters and _-|*@")
	notifyURL = format{isNotifyURL, "must be https, without a query"}
	whole     = matching(`^[1-9][0-9]{0,9}$`, "must be a positive integer")
	currency  = oneOf("CNY")
	ipAddress = format{func(text string) bool { return net.ParseIP(text) != nil }, "must be an IP address"}
)

// formats are the formats of fields in both versions.
var formats = map[string]format{
	"out_trade_no": tradeNo, "out_refund_no": refundNo, "notify_url": notifyURL,
	"total_fee": whole, "refund_fee": whole, "amount/total": whole, "amount/refund": whole,
	"fee_type": currency, "refund_fee_type": currency, "amount/currency": currency,
	"spbill_create_ip": ipAddress, "scene_info/payer_client_ip": ipAddress,
	"timestamp": whole, "nonce_str": matching(`^[0-9A-Za-z]{1,32}$`, "must be 1 to 32 letters and digits"),
	"serial_no":               matching(`^[0-9A-F]{1,40}$`, "must be hexadecimal digits"),
	"scene_info":              {isObject, "must be a JSON object"},
	"scene_info/h5_info/type": oneOf("iOS", "Android", "Wap"),
	"trade_type":              oneOf("JSAPI", "NATIVE", "APP", "MWEB"),
	"bill_type":               oneOf("ALL"),
	"tar_type":                oneOf("GZIP"),
}

func matching(pattern, must string) format {
	return format{regexp.MustCompile(pattern).MatchString, must}
}

func oneOf(texts ...string) format {
	return format{func(text string) bool { return slices.Contains(texts, text) }, "must be one of " + strings.Join(texts, ", ")}
}

var (
	errSystem    = ledger.Refusal{Code: "SYSTEMERROR", Text: "the system is busy; query the order or repeat the request"}
	errMerchant  = ledger.Refusal{Code: "MCHID_NOT_EXIST", Text: "unknown merchant"}
	errSignature = ledger.Refusal{Code: "SIGNERROR", Text: "wrong signature"}
	errApp       = ledger.Refusal{Code: "APPID_NOT_EXIST", Text: "unknown appid"}
	errFunds     = ledger.Refusal{Code: "NOTENOUGH", Text: "the merchant's balance is too low"}
)

func refusal(code, text string) error     { return ledger.Refusal{Code: code, Text: text} }
func missingParam(name string) error      { return refusal("LACK_PARAMS", name+" is missing") }
func invalidParam(name, why string) error { return refusal("PARAM_ERROR", name+" "+why) }

// check returns a refusal unless the request has the fields of the form, and valid ones.
func (c *Config) check(asked fields, allowed form) error {
	for _, name := range slices.Sorted(maps.Keys(allowed.needed)) {
		if asked[name] == "" {
			return missingParam(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		value := asked[name]
		limit, known := allowed.needed[name]
		if !known {
			limit, known = allowed.optional[name]
		}
		rule, has := formats[name]
		switch {
		case !known:
			return invalidParam(name, "is not a field of this request")
		case len(value) > limit:
			return invalidParam(name, fmt.Sprintf("has more than %d bytes", limit))
		case has && value != "" && !rule.is(value):
			return invalidParam(name, rule.must)
		case name == "appid" && !slices.Contains(c.AppIDs, value):
			return errApp
		case name == "mchid" && value != c.MerchantID:
			return errMerchant
		}
	}
	return nil
}

func isObject(text string) bool { return json.Unmarshal([]byte(text), &map[string]any{}) == nil }

// isNotifyURL accepts http only for loopback addresses.
func isNotifyURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	isLocal := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && isLocal
}
