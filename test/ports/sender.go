package ports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Sent is a message as a provider has understood it. The one of a sender of templates has no text.
type Sent struct{ To, Code, Text string }

// SMS is a sender that calls a provider, and a stand-in of that provider.
type SMS struct {
	// Open returns a sender that asks the address with the client, which may be nil. It has the deadline of 5 s of its own.
	Open func(t *testing.T, url string, client *http.Client) verification.Sender
	// Provider answers as the real one does. It calls accept for a message that is as documented, and refuses any other.
	Provider func(accept func(Sent)) http.Handler
	// StatusAlone tells that an answer is its status, and that its body says nothing.
	StatusAlone bool
	// Secrets must never show.
	Secrets []string
	// Codes are the dialling codes of the numbers that it sends to; none: of all numbers.
	Codes []string
	// Answers are the provider's own ways not to accept a message.
	Answers map[string]SMSAnswer
}

// SMSAnswer is an answer that accepts no message.
type SMSAnswer struct {
	Status int
	Body   string // with the message's number and code in place of (to) and (code)
	Is     error
	Reason verification.Reason // of an ErrRefused
}

// messageTo returns a message to the login name.
func messageTo(t require.TestingT, login string) verification.Message {
	phone, err := user.ParsePhone(login)
	require.NoError(t, err)
	chinese, _ := locale.Parse("zh-CN")
	return verification.Message{
		ID: "message-1", To: verification.NumberOf(phone), Purpose: verification.SignUp, Code: secret.New("012345"),
		Text:     secret.New("012345 & 100% \"码\" <b>\\ +=?#;'!*()~\n\n@plaza.example.org #012345"),
		Language: chinese, ExpiresIn: verification.Life,
	}
}

// Sender is the suite of verification.Sender. Fresh returns a sender, with a template for notices if it sends templates, and
// what it has sent, each number as its provider reads it. It sends to numbers with the dialling codes, or to all.
func Sender(t *testing.T, fresh func(t *testing.T) (verification.Sender, func() []Sent), codes ...string) {
	t.Run("messages are sent as they are, one for each call", func(t *testing.T) {
		s, sent := fresh(t)
		notice := messageTo(t, "+86-13800000002")
		notice = signin.NoticeTo(notice.To, notice.Language)
		notice.ID = "message-1-notice"
		for i, m := range []verification.Message{messageTo(t, "+86-13800000001"), notice, messageTo(t, "+86-13900000001")} {
			m.ID += fmt.Sprint(i)
			require.NoError(t, s.Send(t.Context(), m))
			require.Len(t, sent(), i+1)
			got := sent()[i]
			assert.Equal(t, Sent{m.To.E164(), m.Code.Reveal(), got.Text}, got)
			if got.Text != "" {
				assert.Equal(t, m.Text.Reveal(), got.Text)
			}
		}
	})

	t.Run("AUT-15 each number is read as the number that was judged, or gets no message", func(t *testing.T) {
		s, sent := fresh(t)
		for _, phone := range receivers(t) {
			m := messageTo(t, phone.String())
			m.ID += phone.String()
			if len(codes) > 0 && !slices.Contains(codes, phone.DiallingCode()) {
				before := len(sent())
				require.ErrorIs(t, s.Send(t.Context(), m), verification.ErrRefused, phone)
				require.Len(t, sent(), before, phone)
				continue
			}
			require.NoError(t, s.Send(t.Context(), m), phone)
			all := sent()
			require.Equal(t, m.To.E164(), all[len(all)-1].To)
		}
	})

	t.Run("nothing is sent when the context has ended", func(t *testing.T) {
		s, sent := fresh(t)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Send(gone, messageTo(t, "+86-13800000001"))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, verification.ErrBusy)
		assert.Empty(t, sent())
	})

	t.Run("many may send at once", func(t *testing.T) {
		s, sent := fresh(t)
		for _, err := range atOnce(many, func(n int) error {
			m := messageTo(t, fmt.Sprintf("+86-138000000%02d", n))
			m.ID += m.To.E164()
			return s.Send(t.Context(), m)
		}) {
			assert.NoError(t, err)
		}
		assert.Len(t, sent(), many)
	})
}

// receivers returns numbers of all dialling codes to which messages may be sent. Among them are those whose digits, behind
// their own dialling code, are numbers of other countries, or with it look like numbers of mainland China.
func receivers(t *testing.T) (all []user.Phone) {
	for n := range 1000 {
		if !user.IsDiallingCode(fmt.Sprint(n)) {
			continue
		}
		before := len(all)
		for _, number := range []string{
			"13802223333", "3802223333", "802223333", "02223333", "8613802223333", "008613802", "85298765432", "447700900123", "12025550104",
			"5550104",
		} {
			phone, err := user.ParsePhone(fmt.Sprintf("+%d-%s", n, number))
			if err == nil && (verification.Budget{}).Serves(phone) == nil {
				all = append(all, phone)
			}
		}
		require.Greater(t, len(all), before, "no number of %d", n)
	}
	return all
}

// SenderUpstream is the suite of senders that call a provider, besides Sender.
func SenderUpstream(t *testing.T, u SMS) {
	t.Run("against its provider", func(t *testing.T) {
		Sender(t, func(t *testing.T) (verification.Sender, func() []Sent) {
			way, sent := u.line(t)
			return u.Open(t, way.address, nil), sent
		}, u.Codes...)
	})

	t.Run("what the provider says has its meaning", func(t *testing.T) {
		require.NotEmpty(t, u.Answers)
		answers := map[string]SMSAnswer{
			"a redirect":         {Status: 307, Body: "(to)", Is: verification.ErrRefused, Reason: verification.SetUp},
			"a page of errors":   {Status: 404, Body: "<html>(to) (code)", Is: verification.ErrRefused, Reason: verification.SetUp},
			"too fast":           {Status: 429, Is: verification.ErrBusy},
			"an internal error":  {Status: 500, Body: "(code)", Is: verification.ErrUnknownOutcome},
			"a gateway's outage": {Status: 502, Is: verification.ErrUnknownOutcome},
			"no service":         {Status: 503, Body: "<html>", Is: verification.ErrBusy},
		}
		for name, a := range u.Answers {
			answers[name] = a
		}
		for name, a := range answers {
			t.Run(name, func(t *testing.T) { u.answered(t, a) })
		}
	})

	t.Run("an answer that is none leaves the outcome open, and the next message is sent", func(t *testing.T) {
		troubles := map[string]failure{"reset": hangsUp, "cut off": cutsOff, "no HTTP": babbles(u.Secrets[0] + "8613800000001 012345")}
		if !u.StatusAlone {
			for name, lie := range map[string]string{
				"empty": "", "null": "null", "a list": "[]", "an object": "{}", "a number": "7", "html": "<html>", "not UTF-8": "{\"Code\":\"\xff\"}",
				"deep": strings.Repeat("[", 60_000), "too long": strings.Repeat(" ", 65<<10) + "{}",
			} {
				troubles[name] = replies(&httptest.ResponseRecorder{Code: http.StatusOK}, []byte(lie))
			}
			troubles["halved"], troubles["echoed"] = halves, echoes
		}
		way, sent := u.line(t)
		s := u.Open(t, way.address, nil)
		for name, trouble := range troubles {
			way.breaks(trouble)
			asked := way.count()
			u.assertDiscreet(t, s.Send(t.Context(), messageTo(t, "+86-13800000001")), verification.ErrUnknownOutcome, name)
			assert.Equal(t, asked+1, way.count(), name)
			way.breaks(well)
			before := len(sent())
			require.NoError(t, s.Send(t.Context(), messageTo(t, "+86-13800000001")), name)
			assert.Len(t, sent(), before+1, name)
		}
	})

	t.Run("a provider that cannot be reached was sent nothing", func(t *testing.T) {
		s := u.Open(t, "http://127.0.0.1:1", nil) // a port below those that programs are given
		u.assertDiscreet(t, s.Send(t.Context(), messageTo(t, "+86-13800000001")), verification.ErrBusy)
	})

	t.Run("an answer without an end is not read to its end", func(t *testing.T) {
		const flood = 64 << 20
		way, _ := u.line(t)
		var wrote atomic.Int64
		way.breaks(func(_ *line, w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
			for part := make([]byte, 64<<10); wrote.Load() < flood; wrote.Add(int64(len(part))) {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		err := u.Open(t, way.address, nil).Send(t.Context(), messageTo(t, "+86-13800000001"))
		assert.Equal(t, u.StatusAlone, err == nil, "%v", err)
		assert.Less(t, wrote.Load(), int64(flood))
	})

	t.Run("a slow provider is left after 5 s, or when the context ends", func(t *testing.T) {
		for name, longest := range map[string]time.Duration{"its own deadline": time.Hour, "the caller's": time.Second} {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				s := u.Open(t, "https://provider.example", &http.Client{Transport: Played(func(_ http.ResponseWriter, r *http.Request) {
					asked++
					<-r.Context().Done()
				})})
				ctx, cancel := context.WithTimeout(t.Context(), longest)
				defer cancel()
				began := time.Now()
				err := s.Send(ctx, messageTo(t, "+86-13800000001"))
				u.assertDiscreet(t, err, verification.ErrUnknownOutcome, name)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, min(longest, 5*time.Second), time.Since(began), name)
				assert.Equal(t, 1, asked, "it is not sent again")
			})
		}
	})
}

// line is a line to a provider, and what the provider has accepted.
func (u SMS) line(t *testing.T) (*line, func() []Sent) {
	var mu sync.Mutex
	var accepted []Sent
	l := newLine(t, u.Provider(func(s Sent) {
		mu.Lock()
		defer mu.Unlock()
		accepted = append(accepted, s)
	}))
	return l, func() []Sent {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(accepted)
	}
}

// answered sends a message to a provider that gives the answer.
func (u SMS) answered(t *testing.T, a SMSAnswer) {
	m := messageTo(t, "+86-13800000001")
	asked := 0
	s := u.Open(t, "https://provider.example", &http.Client{Transport: Played(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Location", "https://provider.example/elsewhere")
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, strings.NewReplacer("(to)", m.To.E164(), "(code)", m.Code.Reveal()).Replace(a.Body))
	})})
	err := s.Send(t.Context(), m)
	u.assertDiscreet(t, err, a.Is)
	assert.Equal(t, 1, asked)
	if refused, is := errors.AsType[*verification.RefusedError](err); is {
		assert.Equal(t, a.Reason, refused.Reason)
	}
}

// assertDiscreet asserts that the error is of the kind alone, and shows nothing private.
func (u SMS) assertDiscreet(t *testing.T, err, kind error, about ...any) {
	require.ErrorIs(t, err, kind, about...)
	for _, other := range []error{verification.ErrRefused, verification.ErrBusy, verification.ErrUnknownOutcome} {
		assert.Equal(t, kind == other, errors.Is(err, other), "%v", err)
	}
	for _, private := range append([]string{"13800000001", "012345"}, u.Secrets...) {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), private, about...)
	}
}
