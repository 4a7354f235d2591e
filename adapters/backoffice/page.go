package backoffice

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/application/catalogue"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/locale"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/text"
	"plaza/domain/user"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by the names of their files, each within the layout.
var templates = parseTemplates()

func parseTemplates() map[string]*template.Template {
	functions := template.FuncMap{"sum": sum, "standing": backoffice.Standing, "bdi": bdi, "isolate": isolate}
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html"))
	all := map[string]*template.Template{}
	names, _ := fs.Glob(templateFiles, "templates/*.html") // which is a pattern
	for _, name := range names {
		all[path.Base(name)] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, name))
	}
	return all
}

// cookieName names the cookie with the key of the session. Before a login it has a random text, so that the form of the
// login has a token, too.
const cookieName = "plaza_back_office"

// visit is a request for a page.
type visit struct {
	site    *Site
	w       http.ResponseWriter
	r       *http.Request
	cookie  string
	actor   access.Actor // of the staff's pages
	id      int64        // in the path; zero: none
	audited []any        // what the line of the log says of the act
}

// answer is what a page answers with: a redirect, or a template.
type answer struct {
	to       string // path of the redirect, relative to Root; the first page, if there is no template
	template string
	Title    string
	Section  string // of the navigation; empty: none
	Body     any
	status   int // zero: 200
	Problems fault.Fields
	Problem  string // about the whole page
	download []byte // CSV to store, instead of a template
	// isWritten tells that the response is written already.
	isWritten bool
}

// route is a page for staff.
type route struct {
	pattern string // like "GET money/"
	area    access.Area
	handle  func(*Site, *visit) (answer, error)
}

// again returns the page of a form with what is wrong about it, or the error if the caller can't correct it.
func (v *visit) again(a answer, err error) (answer, error) {
	f, is := fault.As(err)
	if !is || f.Kind == fault.Internal {
		return answer{}, err
	}
	a.status, a.Problems = refusals[f.Kind].status, catalogue.TranslateFields(v.site.language, f.Fields)
	if len(f.Fields) == 0 {
		a.Problem = v.site.sentence(err)
	}
	return a, nil
}

// refusals are the statuses of faults, and the titles of their pages. Other errors are 500.
var refusals = map[fault.Kind]struct {
	status int
	title  string
}{
	fault.Invalid:         {http.StatusBadRequest, "Not possible"},
	fault.Unauthenticated: {http.StatusUnauthorized, "Log in"},
	fault.BadCredentials:  {http.StatusUnauthorized, "Log in"},
	fault.Denied:          {http.StatusForbidden, "Not allowed"},
	fault.NotFound:        {http.StatusNotFound, "Not found"},
	fault.Conflict:        {http.StatusConflict, "Not possible"},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, "Too large"},
	fault.Throttled:       {http.StatusTooManyRequests, "Too many requests"},
	fault.Gateway:         {http.StatusBadGateway, "The wallet fails"},
	fault.Unavailable:     {http.StatusServiceUnavailable, "Not possible now"},
	fault.Timeout:         {http.StatusGatewayTimeout, "This took too long"},
}

// sentence returns what the page says of the error. It reveals nothing of a mistake of the server.
func (s *Site) sentence(err error) string {
	f, is := fault.As(err)
	switch {
	case errors.Is(err, access.ErrNotStaff):
		return s.T("This account does not work in the back office.")
	case fault.KindOf(err) == fault.Timeout:
		return s.T("This took too long. Try again in a moment.")
	case !is || f.Kind == fault.Internal:
		return s.T("Something went wrong on the server. Its log says what.")
	}
	text := catalogue.Translate(s.language, s.T(f.Text))
	switch {
	case f.RetryAfter > 0:
		text += " " + s.T("(in %v)", f.RetryAfter.Round(time.Second))
	case f.Kind == fault.Denied: // which may name roles
		text = regexp.MustCompile(`\w+`).ReplaceAllStringFunc(text, func(word string) string { return cmp.Or(s.Word("role", word), word) })
	}
	return text
}

func (s *Site) page(handle func(*visit) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{site: s, w: w, r: r}
		if cookie, err := r.Cookie(cookieName); err == nil {
			v.cookie = cookie.Value
		}
		a, err := handle(v)
		if err != nil {
			a = s.failed(v, err)
		}
		if a.isWritten {
			return
		}
		if a.download != nil {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="`+a.Title+`"`)
			_, _ = w.Write(a.download) // fails only when the client has gone
			return
		}
		if a.template == "" {
			http.Redirect(w, r, Root+a.to, http.StatusSeeOther)
			return
		}
		v.show(a)
	}
}

// failed returns the page that says what went wrong. It logs mistakes of the server.
func (s *Site) failed(v *visit, err error) answer {
	ctx := v.r.Context()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		v.w.WriteHeader(499) // the client has gone; the log has it, as of the interface
		return answer{isWritten: true}
	}
	refusal, is := refusals[fault.KindOf(err)]
	status, title := refusal.status, s.T(refusal.title)
	if !is {
		status, title = http.StatusInternalServerError, s.T("Something went wrong")
		s.config.Log(ctx).ErrorContext(ctx, "page of the back office failed", "error", err)
	}
	if f, is := fault.As(err); is && f.RetryAfter > 0 {
		v.w.Header().Set("Retry-After", strconv.FormatInt(f.RetrySeconds(), 10))
	}
	return answer{template: "message.html", Title: title, status: status, Problem: s.sentence(err)}
}

// shown is what the templates get.
type shown struct {
	*Site
	answer
	Language locale.Tag
	Base     string // path of the first page
	Here     string // path of this page, which is also shown in answer to the login
	Sections []section
	Token    string  // of forms
	UID      user.ID // who is logged in; zero: without a session
	Name     string
	IsStaff  bool
	Done     string // what the form before this page has done; empty: nothing
	Notice   string // what to do with the page; empty: nothing to say
	Zone     string
	Typed    url.Values // the form that was sent

	actor access.Actor
}

// Translate returns the sentence of a fault in the language of the page.
func (s shown) Translate(english string) string { return catalogue.Translate(s.Language, english) }

// May reports whether the reader may open the pages of the area.
func (s shown) May(area access.Area) bool { return s.actor.May(area) }

// Time returns the instant for the template "time", or nil for the zero time.
func (s shown) Time(at time.Time) *Time {
	if at.IsZero() {
		return nil
	}
	return &Time{at.UTC().Format(time.RFC3339), s.actor.Local(at).Format("2006-01-02 15:04")}
}

func (v *visit) show(a answer) {
	s := v.site
	p := shown{
		Site: s, answer: a, Language: s.language, Base: s.config.BasePath + Root, Here: s.config.BasePath + v.r.URL.Path,
		Sections: sectionsOf(v.actor), Typed: v.r.PostForm,
		Done: s.Word("done", v.r.URL.Query().Get("done")), IsStaff: v.actor.Has(access.BackOffice), actor: v.actor,
		Zone: v.actor.Local(time.Time{}).Location().String(),
	}
	if p.IsStaff {
		names, err := s.Office.Names(v.r.Context(), v.actor.ID)
		if err != nil {
			s.config.Log(v.r.Context()).WarnContext(v.r.Context(), "the name in the header could not be read", "error", err)
		}
		p.UID, p.Name = v.actor.ID, names[v.actor.ID]
	}
	if v.r.Method == http.MethodGet && len(v.r.PostForm) > 0 { // typed before the login
		p.Notice = s.T("This is the form that you sent when your session had ended. Nothing was changed: check it, and send it again.")
	}
	if v.cookie != "" {
		p.Token = formToken(v.cookie)
	}
	var out bytes.Buffer
	if err := templates[a.template].ExecuteTemplate(&out, "layout.html", p); err != nil {
		s.config.Log(v.r.Context()).ErrorContext(v.r.Context(), "page of the back office failed", "page", a.template, "error", err)
		http.Error(v.w, s.sentence(err), http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(max(a.status, http.StatusOK))
	_, _ = v.w.Write(out.Bytes()) // fails only when the client has gone
}

// pathWithin returns the path of the pages that a text names, relative to Root. Any other text leads to the first page, also
// one whose dots or slashes would lead elsewhere.
func pathWithin(next string) string {
	within, isWithin := strings.CutPrefix(next, Root)
	u, err := url.Parse(next)
	if err != nil || !isWithin || strings.Contains(u.Path, "\\") || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return ""
	}
	return within
}

// logout ends the session.
func (s *Site) logout(v *visit) (answer, error) {
	if err := s.Signin.Logout(v.r.Context(), secret.New(v.cookie)); err != nil && !fault.Is(err, fault.BadCredentials) {
		return answer{}, err
	}
	v.setCookie("")
	return answer{to: "login/"}, nil
}

// formToken returns the token of forms of a session, which only its pages know.
func formToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("form of the back office"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// checkTexts reads the number in the path, if there is one. It returns errNoPage for any other text there, and a fault if the query
// or the form has a text that no store takes.
func (v *visit) checkTexts() error {
	number := v.r.PathValue("id")
	if v.id, _ = strconv.ParseInt(number, 10, 64); number != "" && v.id < 1 {
		return errNoPage
	}
	_ = v.r.ParseForm() // what can't be read is not used
	for _, sent := range v.r.Form {
		if problem := (text.Limit{}).Problem(strings.Join(sent, "")); problem != "" {
			return fault.New(fault.Invalid, problem)
		}
	}
	return nil
}

// record returns the record of an act of the caller, for the reason in the form.
func (v *visit) record(act audit.Act, on audit.Object, about user.ID) audit.Record {
	return audit.Record{
		At: time.Now(), By: audit.Actor{Staff: v.actor.ID}, Act: act, Object: on, About: about, Reason: v.r.PostForm.Get("reason"),
	}
}

// paged returns the page of the list that the query names.
func (v *visit) paged() page.Request {
	number, err := strconv.Atoi(v.r.FormValue("page"))
	if err != nil {
		return page.Request{}
	}
	r, _ := page.New(max(1, number), page.DefaultSize) // both are positive
	return r
}

// Pager leads to the other pages of a list.
type Pager struct {
	Number, Pages, Total int
	Previous, Next       string // queries; empty: none
}

// pagerOf returns the links to the pages before and after one, with the same query.
func pagerOf[T any](v *visit, p page.Page[T]) Pager {
	link := func(number int, there bool) string {
		if !there {
			return ""
		}
		return v.here("page", strconv.Itoa(number))
	}
	pager := Pager{p.Request.Number(), p.Request.Pages(p.Total), p.Total, link(p.Request.Previous()), link(p.Request.Next(p.Total))}
	if p.Next != (page.Cursor{}) {
		pager.Next = v.here("after", cursorText(p.Next))
	}
	return pager
}
