// Package backoffice serves the pages for staff at /back-office/, over the use cases that the REST interface has.
//
// A session is a token of the program with the scope back_office alone, in a cookie. So it ends with a changed
// password, with a disabled account, with staff taken away and in the list of sessions, and needs no store: a library
// such as alexedwards/scs would keep sessions in a store of its own, which would have to learn of all of these.
//
// Every change is a POST with a token of the session in its form, from a page of the same origin, and answers with a
// redirect. A refused form is shown again with what was entered, and so is one that was
// sent when the session had ended, after the login. The pages are HTML without a build step; their only
// script has keyboard shortcuts, and they work without it. Texts stand in English where they are
// said; application/catalogue has them in other languages.
package backoffice

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"plaza/application/backoffice"
	"plaza/application/catalogue"
	"plaza/application/moderating"
	"plaza/application/paying"
	"plaza/application/privacy"
	"plaza/application/reconciling"
	"plaza/application/refunding"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/locale"
	"plaza/domain/user"
)

//go:embed files
var files embed.FS

// New returns the pages, in the languages of the catalogue.
func New(c Config, u UseCases) http.Handler {
	sites := map[locale.Tag]*Site{}
	for _, in := range catalogue.Languages() {
		sites[in] = newSite(c, u, in)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { sites[c.Language(r)].ServeHTTP(w, r) })
}

func newSite(c Config, u UseCases, in locale.Tag) *Site {
	mux := http.NewServeMux()
	s := &Site{UseCases: u, config: c, language: in, mux: mux}
	mux.HandleFunc("GET "+Root+"files/{name}", s.showFile)
	mux.HandleFunc("GET "+Root+"login/", s.page(s.showLogin))
	mux.HandleFunc("POST "+Root+"login/", s.form(s.page(s.login)))
	mux.HandleFunc("GET "+Root+"second-factor/{$}", s.lacksFactor(s.showEnrolment))
	mux.HandleFunc("POST "+Root+"second-factor/{$}", s.form(s.lacksFactor(s.enrol)))
	mux.HandleFunc("POST "+Root+"logout/", s.form(s.page(s.logout)))
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		handle := s.page(s.staff(r))
		if method == http.MethodPost {
			handle = s.form(handle)
		}
		mux.HandleFunc(method+" "+Root+path, handle)
	}
	mux.HandleFunc(Root, s.page(s.staff(route{"* ", access.Overview, func(*Site, *visit) (answer, error) { return answer{}, errNoPage }})))
	fromElsewhere := http.NewCrossOriginProtection()
	fromElsewhere.SetDenyHandler(s.page(func(*visit) (answer, error) { return answer{}, errForged }))
	s.handler = fromElsewhere.Handler(mux)
	return s
}

// routes are the pages for staff, with the areas that they belong to.
var routes = []route{
	{"GET {$}", access.Overview, (*Site).showOverview},
	{"GET money/{$}", access.Orders, (*Site).listMoney},
	{"GET money/search/{$}", access.Orders, (*Site).searchMoney},
	{"POST money/{$}", access.Money, (*Site).settleFinding},
	{"GET money/order/{id}/{$}", access.Orders, (*Site).showOrder},
	{"POST money/order/{id}/{$}", access.Ordering, (*Site).closeOrder},
	{"GET money/payment/{id}/{$}", access.Money, (*Site).showPayment},
	{"POST money/payment/{id}/{$}", access.Money, (*Site).refund},
	{"GET people/{$}", access.People, (*Site).findPeople},
	{"GET people/{id}/{$}", access.Overview, (*Site).showPerson},
	{"GET people/{id}/{act}/{$}", access.People, (*Site).showAct},
	{"POST people/{id}/{act}/{$}", access.People, (*Site).act},
	{"GET events/{id}/{$}", access.Reports, (*Site).showEvent},
	{"GET comments/{id}/{$}", access.Reports, (*Site).showComment},
	{"GET imports/{$}", access.Imports, (*Site).listImports},
	{"GET imports/{id}/{$}", access.Imports, (*Site).showImport},
	{"GET imports/how-tos/{$}", access.Imports, (*Site).listHowTos},
	{"GET reports/{$}", access.Reports, (*Site).listReports},
	{"POST reports/{$}", access.Reports, (*Site).decideReport},
	{"GET audit/{$}", access.Audit, (*Site).listActs},
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Language", s.language.String())
	h.Set("Content-Security-Policy", s.policy())
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Add("Vary", "Accept-Language")
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
	// Language returns the language of the catalogue that the caller prefers.
	Language func(*http.Request) locale.Tag
	Log      func(context.Context) *slog.Logger
}

// UseCases are the dependencies of the pages. All are required.
type UseCases struct {
	Signin      *signin.Signin
	Paying      *paying.Paying
	Refunding   *refunding.Refunding
	Moderating  *moderating.Moderating
	Office      *backoffice.BackOffice
	Privacy     *privacy.Privacy
	Reconciling *reconciling.Reconciling
}

// Site serves the pages in one language.
type Site struct {
	UseCases
	config   Config
	language locale.Tag
	mux      *http.ServeMux
	handler  http.Handler
}

// section is a part of the navigation: its key, its title, and the path of its first page, which is in the area.
type section struct {
	Key, Title, Path string
	area             access.Area
}

var sections = []section{
	{"overview", "Overview", "", access.Overview}, {"money", "Money", "money/", access.Orders},
	{"people", "People", "people/", access.People}, {"reports", "Reports", "reports/", access.Reports},
	{"imports", "Imports", "imports/", access.Imports}, {"audit", "Audit", "audit/", access.Audit},
}

// sectionsOf returns the sections that the actor may open.
func sectionsOf(actor access.Actor) []section {
	return slices.DeleteFunc(slices.Clone(sections), func(s section) bool { return !actor.May(s.area) })
}

// Faults of forms and sessions.
var (
	errForged = fault.New(fault.Denied, "This form is out of date, or it came from elsewhere. Nothing was changed. "+
		"Go back, load the page again, and send it once more.")
	errNoPage = fault.New(fault.NotFound, "There is no such page.")
)
