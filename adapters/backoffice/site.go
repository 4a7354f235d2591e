package backoffice

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"

	"plaza/application/backoffice"
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
	errForged = fault.New(fault.Denied, "")
	errNoPage = fault.New(fault.NotFound, "")
)
