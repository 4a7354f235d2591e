package backoffice

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/backoffice"
	"plaza/application/catalogue"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

func TestOFF_02_next_leads_to_pages_alone(t *testing.T) {
	for next, want := range map[string]string{
		Root: "", Root + "money/": "money/", Root + "money/?list=open&page=2": "money/?list=open&page=2",
		Root + "audit/?about=7":    "audit/?about=7",
		Root + "people/?q=../../x": "people/?q=../../x", Root + "imports/7/rejects.csv": "imports/7/rejects.csv",
	} {
		assert.Equal(t, want, pathWithin(next), next)
	}
	for _, next := range []string{
		"", "/", "/api/", "money/", "/back-office", "/back-officer/", "https://example.org/", "//example.org" + Root, "\\\\example.org",
		"javascript:alert(1)", Root + "../x", Root + "..//evil.example", Root + "money/../../x", Root + "./money/", Root + "money/..",
		Root + "%2e%2e/x", Root + "..%2fx",
		Root + "/evil.example", Root + "%2fevil.example", Root + "money//x", Root + "\\evil.example", Root + "%5cevil.example", Root + "..\\x",
		Root + "money/\r\nx", Root + "%zz", "/%62ack-office/money/",
	} {
		assert.Empty(t, pathWithin(next), "%q", next)
	}
}

func TestOFF_02_amounts(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "5": 500, " 5 ": 500, "5.5": 550, "¥12.50": 1250, "¥ 12.05": 1205, "999999999999.99": 99999999999999,
	} {
		amount, is := minorUnits(text)
		assert.True(t, is, text)
		assert.Equal(t, want, amount, text)
		again, is := minorUnits(plain(want))
		assert.True(t, is, plain(want))
		assert.Equal(t, want, again, plain(want))
	}
	for _, text := range []string{
		"", ".5", "5.", "5.123", "-5", "+5", "-0.05", "5.-5", "5.+5", "1,5", "1e3", "0x5", "¥", "5 5", "1_000", "9999999999999",
	} {
		_, is := minorUnits(text)
		assert.False(t, is, "%q", text)
	}
	assert.Equal(t, "-¥0.05", sum("CNY", -5))
	assert.Equal(t, "USD 1.00", sum("USD", 100))
}

func TestOFF_02_a_form_needs_the_token_of_its_session(t *testing.T) {
	assert.NotEqual(t, formToken("a"), formToken("b"))
	assert.NotContains(t, formToken("plz_key"), "plz_key")
	assert.Equal(t, formToken("a"), formToken("a"))
}

func TestA_cursor_that_is_none_is_the_beginning(t *testing.T) {
	c := page.Cursor{Rank: -3, ID: 7}
	assert.Equal(t, c, cursorOf(cursorText(c)))
	for _, text := range []string{"", "7", "7.", ".7", "a.7", "7.b", "1.2.3"} {
		assert.Zero(t, cursorOf(text), text)
	}
}

func TestA_page_of_a_list_that_is_none_is_the_first(t *testing.T) {
	for text, want := range map[string]int{"": 1, "x": 1, "0": 1, "-1": 1, "1": 1, "7": 7, "99999999999999999999": 1} {
		v := &visit{r: httptest.NewRequest(http.MethodGet, Root+"money/?page="+text, nil)}
		assert.Equal(t, want, v.paged().Number(), text)
	}
}

func TestA_page_whose_client_has_gone_has_a_status(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	new(Site).page(func(*visit) (answer, error) { return answer{}, gone.Err() })(w, httptest.NewRequestWithContext(gone, "GET", Root, nil))
	assert.Equal(t, 499, w.Code)
}

func TestOFF_06_templates_have_no_words_of_their_own(t *testing.T) {
	entries, err := templateFiles.ReadDir("templates")
	require.NoError(t, err)
	action, tag := regexp.MustCompile(`(?s){{.*?}}`), regexp.MustCompile(`<[^>]*>`)
	for _, e := range entries {
		text, err := templateFiles.ReadFile("templates/" + e.Name())
		require.NoError(t, err)
		html := action.ReplaceAllString(string(text), "")
		for _, one := range tag.FindAllString(html, -1) {
			assert.NotRegexp(t, `(aria-label|title|alt|placeholder)="[^"]*\pL`, one, e.Name())
		}
		assert.NotRegexp(t, `\pL`, tag.ReplaceAllString(html, ""), e.Name())
	}
}

func TestOFF_06_what_the_journal_and_findings_say(t *testing.T) {
	chinese := &Site{language: catalogue.Languages()[1]}
	const unknown = "The wallet does not know this payment."
	for want, d := range map[string]payment.Detail{
		"4200 · ¥9.90 · svc_ios_app":                   {Number: "4200", Amount: 990, Currency: "CNY", By: "svc_ios_app"},
		"4200 · ¥9.90 · 未知应用":                          {Number: "4200", Amount: 990, Currency: "CNY", By: "an unknown application"},
		"4200 · ¥0.05 · x · 已由钱包退回":                    {Number: "4200", Amount: 5, Currency: "CNY", By: "x", Note: "given back by the wallet"},
		"r-1 · ¥9.90 · 4200":                           {Number: "r-1", Amount: 990, Currency: "CNY", Of: "4200", Staff: 4},
		"r-1 · ¥9.90 · 4200 · 由服务器":                    {Number: "r-1", Amount: 990, Currency: "CNY", Of: "4200", Note: "by the server itself"},
		"r-1 · ¥9.90 · 已关闭":                            {Number: "r-1", Amount: 990, Currency: "CNY", Note: "closed"},
		"¥0.00":                                        {Currency: "CNY"},
		"行 7 · 没有时间":                                   {Line: 7, Note: "no time"},
		"发生了其他错误":                                      {Note: "something else went wrong"},
		catalogue.Translate(chinese.language, unknown): {Note: unknown},
		"": {},
	} {
		assert.Equal(t, want, chinese.Said(d))
	}
}

func TestOFF_06_names_keep_their_direction(t *testing.T) {
	assert.Equal(t, template.HTML("&lt;b&gt; <bdi>أمل &lt;i&gt;</bdi> (7)"), bdi("<b> "+isolate("أمل <i>")+" (7)"))
}

// oneSession is the tokens of a person of staff, who was just seen.
type oneSession struct {
	access.Tokens
	now time.Time
}

func (s oneSession) Session(_ context.Context, hash access.KeyHash) (access.Session, error) {
	return access.Session{
		Token:   access.Token{Hash: hash, User: 7, Scopes: []access.Scope{access.BackOffice}, TTL: time.Hour, Used: s.now},
		Account: access.Account{User: 7, Roles: []access.Role{access.Admin}}, Seen: s.now,
	}, nil
}

func TestMOD_04_no_page_changes_anything_without_an_act(t *testing.T) {
	now := time.Now()
	log := func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) }
	s := newSite(Config{
		Client: func(*http.Request) netip.Addr { return netip.Addr{} }, Charge: func(*http.Request) error { return nil },
		Note: func(*http.Request, user.ID) {}, Log: log,
	}, UseCases{
		Signin: signin.New(nil, oneSession{now: now}, nil, nil, nil, 0, nil, signin.Joining{}, signin.SecondFactor{},
			func() time.Time { return now }, log),
	}, catalogue.English)
	for _, r := range routes {
		shown := false
		r.handle = func(_ *Site, v *visit) (answer, error) {
			shown = true
			assert.ErrorIs(t, audit.CheckCopy(v.r.Context()), audit.ErrReading, r.pattern)
			return answer{}, nil
		}
		key := access.NewKey()
		_, err := s.staff(r)(&visit{site: s, r: httptest.NewRequest(http.MethodGet, Root, nil), cookie: key.Reveal()})
		assert.NoError(t, err)
		assert.True(t, shown, r.pattern)
	}
}

func TestOFF_06_every_code_has_a_text(t *testing.T) {
	assert.Len(t, words["act"], len(audit.Acts()))
	haveTexts(t, "act", audit.Acts())
	haveTexts(t, "object", moderation.Kinds())
	haveTexts(t, "numbered", moderation.Kinds())
	haveTexts(t, "reason", moderation.Reasons())
	haveTexts(t, "role", backoffice.RoleChoices())
	haveTexts(t, "difference", payment.FindingKinds())
	haveTexts(t, "state", payment.FindingStates())
	haveTexts(t, "state", payment.States())
	haveTexts(t, "state", payment.PaymentStates())
	haveTexts(t, "state", payment.RefundStates())
	haveTexts(t, "state", imported.RunStates())
	haveTexts(t, "sort", backoffice.OfMoney)
	for _, l := range personLists {
		assert.Contains(t, words["list"], l.name)
	}
	for _, a := range personActs {
		if a.Name != "export" { // which answers with a file
			assert.Contains(t, words["done"], a.Name)
		}
	}
}

func haveTexts[K ~string](t *testing.T, of string, codes []K) {
	for _, code := range codes {
		assert.Contains(t, words[of], string(code), of)
	}
}
