// Package backoffice serves the pages for staff at /back-office/, over the use cases that the REST interface has.
//
// A session is a token of the program with the scope back_office alone, in a cookie. So it ends with a changed
// password, with a disabled account, with staff taken away and in the list of sessions, and needs no store: a library
// such as alexedwards/scs would keep sessions in a store of its own, which would have to learn of all of these.
//
// Every change is a POST with a token of the session in its form, from a page of the same origin, and answers with a
// redirect. A refused form is shown again with what was entered, and so is one that was
// sent when the session had ended, after the login. The pages are HTML without a build step; their only
// script has keyboard shortcuts, and they work without it.
package backoffice

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"plaza/application/backoffice"
	"plaza/application/importing"
	"plaza/application/moderating"
	"plaza/application/paying"
	"plaza/application/refunding"
	"plaza/application/signin"
	"plaza/domain/user"
)

// Root is the path of the pages on the server.
const Root = "/back-office/"

// Config holds the settings of the pages. All functions are required.
type Config struct {
	// BasePath is what browsers see before Root, because a proxy removes it. Empty: nothing.
	BasePath string
	// IsSecure tells that browsers reach the pages over TLS alone.
	IsSecure bool
	// Pictures are the origins of pictures, separated by spaces.
	Pictures string
	// Client returns the address of the caller.
	Client func(*http.Request) netip.Addr
	// Charge counts a request without a valid session. It returns a fault if the address sends too many (GEN-14).
	Charge func(*http.Request) error
	// Note tells the log of the request who calls which page.
	Note func(r *http.Request, of user.ID)
	Log  func(context.Context) *slog.Logger
}

// UseCases are the dependencies of the pages. All are required.
type UseCases struct {
	Signin     *signin.Signin
	Paying     *paying.Paying
	Refunding  *refunding.Refunding
	Moderating *moderating.Moderating
	Office     *backoffice.BackOffice
	HowTos     *importing.HowToLists
}

// Site serves the pages.
type Site struct {
	UseCases
	config  Config
	texts   *Texts
	mux     *http.ServeMux
	handler http.Handler
}

//go:embed files
var files embed.FS

// New returns the pages.
func New(c Config, u UseCases) *Site {
	mux := http.NewServeMux()
	s := &Site{UseCases: u, config: c, texts: &English, mux: mux}
	mux.HandleFunc("GET "+Root+"files/{name}", s.showFile)
	mux.HandleFunc("GET "+Root+"login/", s.page(s.showLogin))
	mux.HandleFunc("POST "+Root+"login/", s.form(s.page(s.login)))
	mux.HandleFunc("POST "+Root+"logout/", s.form(s.page(s.logout)))
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		handle := s.page(s.staff(r))
		if method == http.MethodPost {
			handle = s.form(handle)
		}
		mux.HandleFunc(method+" "+Root+path, handle)
	}
	mux.HandleFunc(Root, s.page(func(*visit) (answer, error) { return answer{}, errNoPage }))
	fromElsewhere := http.NewCrossOriginProtection()
	fromElsewhere.SetDenyHandler(s.page(func(*visit) (answer, error) { return answer{}, errForged }))
	s.handler = fromElsewhere.Handler(mux)
	return s
}

// route is a page for staff.
type route struct {
	pattern string // like "GET money/"
	handle  func(*Site, *visit) (answer, error)
}

// routes are the pages for staff.
var routes = []route{
	{"GET {$}", (*Site).showOverview},
	{"GET money/{$}", (*Site).listMoney},
	{"GET money/search/{$}", (*Site).searchMoney},
	{"GET money/order/{id}/{$}", (*Site).showOrder},
	{"GET money/payment/{id}/{$}", (*Site).showPayment},
	{"POST money/payment/{id}/{$}", (*Site).refund},
	{"GET people/{$}", (*Site).findPeople},
	{"GET people/{id}/{$}", (*Site).showPerson},
	{"GET people/{id}/{act}/{$}", (*Site).showAct},
	{"POST people/{id}/{act}/{$}", (*Site).act},
	{"GET imports/{$}", (*Site).listImports},
	{"GET imports/{id}/{$}", (*Site).showImport},
	{"GET imports/{id}/rejects.csv", (*Site).downloadRejects},
	{"GET imports/how-tos/{$}", (*Site).listHowTos},
	{"GET reports/{$}", (*Site).listReports},
	{"POST reports/{$}", (*Site).decideReport},
	{"GET audit/{$}", (*Site).listActs},
}

// section is a part of the navigation: its key, and the path of its first page.
type section struct{ Key, Path string }

var sections = []section{{"overview", ""}, {"money", "money/"}, {"people", "people/"}, {"reports", "reports/"}, {"imports", "imports/"}, {"audit", "audit/"}}

// ServeHTTP serves the pages.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", s.policy())
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	s.handler.ServeHTTP(w, r)
}

// policy is the Content-Security-Policy of the pages. Scripts and styles are files of the server, so that no text of a
// person can become one.
func (s *Site) policy() string {
	return "default-src 'none'; style-src 'self'; img-src " + strings.TrimSpace("'self' "+s.config.Pictures) + "; script-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

func (s *Site) showFile(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "files/"+r.PathValue("name"))
}
