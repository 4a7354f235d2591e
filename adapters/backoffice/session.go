package backoffice

import (
	"crypto/hmac"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// sessionLife is how long a session lives from its last use.
const sessionLife = time.Hour

// maxForm bounds the bodies of forms, in bytes.
const maxForm = 64 << 10

// setCookie keeps the text in the cookie until the browser ends. An empty text removes it.
func (v *visit) setCookie(text string) {
	cookie := http.Cookie{
		Name: cookieName, Value: text, Path: v.site.config.BasePath + Root, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: v.site.config.IsSecure || v.r.TLS != nil || v.r.Header.Get("X-Forwarded-Proto") == "https",
	}
	if text == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(v.w, &cookie)
	v.cookie = text
}

// form returns the handler of a POST. It refuses a form without the token of the session.
func (s *Site) form(next http.HandlerFunc) http.HandlerFunc {
	refuse := s.page(func(*visit) (answer, error) { return answer{}, errForged })
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		cookie, err := r.Cookie(cookieName)
		if err != nil || cookie.Value == "" || r.ParseForm() != nil ||
			!hmac.Equal([]byte(formToken(cookie.Value)), []byte(r.PostForm.Get("token"))) {
			refuse(w, r)
			return
		}
		next(w, r)
	}
}

// staff returns the page for members of staff. A visitor without a valid session is sent to the login. The log has a
// line about each visit, as about each call of the back office.
func (s *Site) staff(r route) func(*visit) (answer, error) {
	return func(v *visit) (answer, error) {
		actor, err := s.Signin.Authenticate(v.r.Context(), secret.New(v.cookie))
		switch {
		case fault.Is(err, fault.BadCredentials):
			if limited := s.config.Charge(v.r); limited != nil {
				return answer{}, limited
			}
			if v.r.Method == http.MethodPost {
				return s.keepTyped(v), nil
			}
			return answer{to: "login/?" + url.Values{"next": {v.r.URL.RequestURI()}}.Encode()}, nil
		case err != nil:
			return answer{}, err
		}
		s.config.Note(v.r, actor.ID)
		v.actor = actor
		if actor.LacksFactor {
			return answer{to: "second-factor/?" + url.Values{"next": {v.r.URL.RequestURI()}}.Encode()}, nil
		}
		if err := actor.Enter(r.area); err != nil {
			return answer{}, err
		}
		v.r = v.r.WithContext(audit.Reading(v.r.Context())) // an act replaces it, so that none is without its record
		a, err := answer{}, v.checkTexts()
		if err == nil {
			a, err = r.handle(s, v)
		}
		s.audit(v, r, err)
		return a, err
	}
}

// act is the name of the page in the log, like "GET /back-office/money/".
func (r route) act() string { return strings.NewReplacer(" ", " "+Root, "{$}", "").Replace(r.pattern) }

func (s *Site) audit(v *visit, r route, err error) {
	line := []any{"by", "account", "user", int64(v.actor.ID), "client", s.config.Client(v.r).String(), "act", r.act()}
	if id := v.r.PathValue("id"); id != "" {
		line = append(line, "id", id)
	}
	line = append(line, v.audited...)
	if err != nil {
		line = append(line, "code", fault.KindOf(err).Code())
	}
	s.config.Log(v.r.Context()).InfoContext(v.r.Context(), "audit", line...)
}

type loginForm struct {
	Username, Next string
	IsEnded        bool       // a session was there
	HasFactor      bool       // staff need a second factor
	Typed          url.Values // the fields of a form that was sent when the session had ended
}

// typedPrefix begins the names of the fields of the login that carry a form which was sent when the session had ended.
const typedPrefix = "typed."

// typedIn returns the form that the login carries; empty: none.
func typedIn(form url.Values) url.Values {
	typed := url.Values{}
	for name, texts := range form {
		if of, carried := strings.CutPrefix(name, typedPrefix); carried {
			typed[of] = texts
		}
	}
	return typed
}

func (s *Site) showLogin(v *visit) (answer, error) {
	if err := s.config.Charge(v.r); err != nil {
		return answer{}, err
	}
	next := v.r.FormValue("next")
	if v.cookie == "" && v.r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		// A link on another site comes without the cookie of a session, which that of the login would replace. This page's comes with it.
		v.w.Header().Set("Refresh", "0; url="+s.config.BasePath+Root+pathWithin(next))
		return answer{template: "message.html", Title: s.T("Log in")}, nil
	}
	return s.beginLogin(v, loginForm{Next: next}), nil
}

// keepTyped returns the login with the form that was sent when the session had ended. Nothing is done with it.
func (s *Site) keepTyped(v *visit) answer {
	f := loginForm{Next: v.r.URL.RequestURI(), Typed: v.r.PostForm}
	f.Typed.Del("token")
	a := s.beginLogin(v, f)
	a.status = http.StatusUnauthorized
	return a
}

// beginLogin returns the login. A random text replaces the key of a session in the cookie.
func (s *Site) beginLogin(v *visit, f loginForm) answer {
	_, f.IsEnded = access.HashKey(secret.New(v.cookie))
	if f.IsEnded || v.cookie == "" {
		v.setCookie(rand.Text())
	}
	return s.loginPage(f)
}

func (s *Site) loginPage(f loginForm) answer {
	f.HasFactor = s.Signin.RequiresFactor()
	return answer{template: "login.html", Title: s.T("Log in"), Body: f}
}

// login begins a session. It counts as every login does (AUT-11).
func (s *Site) login(v *visit) (answer, error) {
	f := loginForm{Username: v.r.PostForm.Get("username"), Next: v.r.PostForm.Get("next"), Typed: typedIn(v.r.PostForm)}
	key, err := s.Signin.Login(v.r.Context(), signin.Login{
		Username: f.Username, Password: secret.New(v.r.PostForm.Get("password")), Scopes: []string{string(access.BackOffice)},
		TTL: sessionLife, OTP: v.r.PostForm.Get("otp"), MayEnrol: true, From: s.config.Client(v.r), Limited: s.config.Charge(v.r),
	}, nil)
	if len(fault.FieldsOf(err)["scope"]) > 0 { // the account is not of staff
		err = access.ErrNotStaff
	}
	if err != nil {
		return v.again(s.loginPage(f), err)
	}
	v.setCookie(key.Reveal())
	if len(f.Typed) > 0 {
		return s.showTyped(v, pathWithin(f.Next), f.Typed)
	}
	return answer{to: pathWithin(f.Next)}, nil
}

// showTyped returns the page of the form with what was typed before the login. The page is shown as for a GET, which changes
// nothing: the person sends the form again.
func (s *Site) showTyped(v *visit, within string, typed url.Values) (answer, error) {
	to, err := url.Parse(Root + within)
	if err != nil {
		return answer{}, err
	}
	again := v.r.Clone(v.r.Context())
	again.Method, again.URL, again.Form, again.PostForm, again.Body = http.MethodGet, to, nil, typed, http.NoBody
	again.Header.Set("Cookie", (&http.Cookie{Name: cookieName, Value: v.cookie}).String())
	s.mux.ServeHTTP(v.w, again)
	return answer{isWritten: true}, nil
}
