// Package httpapi serves Plaza's REST interface: it reads requests, calls the use cases and
// writes their results.
//
// One table holds every route with its policy. A request is checked in a fixed order: its
// token, the policy, the object in its path, its body. All problems of a body are reported
// at once: a handler passes what it could not read to the use case, as readErr. Every error
// uses the same envelope. Internal errors reveal nothing to the client; the log has their
// cause.
package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/trace"

	"plaza/adapters/httpapi/fields"
	"plaza/adapters/httpapi/openapi"
	"plaza/adapters/httpapi/reference"
	"plaza/adapters/httpapi/transport"
	"plaza/application/admission"
	"plaza/application/backoffice"
	"plaza/application/browsing"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/moderating"
	"plaza/application/notifications"
	"plaza/application/paying"
	"plaza/application/people"
	"plaza/application/pictures"
	"plaza/application/privacy"
	"plaza/application/reading"
	"plaza/application/refunding"
	"plaza/application/signin"
	"plaza/application/userimages"
	"plaza/domain/fault"
)

// Config holds the settings of the interface.
type Config struct {
	transport.Config
	// Version is the version of the program, as people read it.
	Version string
	// Reference is what the reference page offers besides the interface.
	Reference reference.Server
}

// UseCases are the dependencies of the handlers. All are required.
type UseCases struct {
	Signin        *signin.Signin
	People        *people.People
	Diary         *diary.Diary
	Following     *following.Following
	Notifications *notifications.Notifications
	Streams       *notifications.Streams
	Moderating    *moderating.Moderating
	Browsing      *browsing.Browsing
	Reading       *reading.Reading
	Privacy       *privacy.Privacy
	UserImages    *userimages.UserImages
	Paying        *paying.Paying
	Refunding     *refunding.Refunding
	BackOffice    *backoffice.BackOffice
	Portraits     PortraitSource
	Pictures      *pictures.Pictures
}

// PortraitSource returns the PNG of the generated portrait with the name, or false if no
// portrait has it. The picture of a name must never change.
type PortraitSource func(name string) ([]byte, bool)

// api holds what the handlers need.
type api struct {
	UseCases
	limits    *transport.ListLimits
	decoding  *admission.Queue        // bytes of bodies with pictures that are decoded at once
	addresses *transport.AddressLimit // nil: none
	pages     pages
	responses map[string]fields.Tree // of the paths that take the parameter fields (GEN-17)
	kept      *transport.KeptReplies
	tracer    trace.Tracer // nil: none
}

// New returns the interface's handler. It fails if a use case is missing or a route has no
// policy.
func New(c Config, u UseCases) (http.Handler, error) {
	for name, value := range reflect.ValueOf(u).Fields() {
		if value.IsNil() {
			return nil, fmt.Errorf("httpapi: the use cases lack %s", name.Name)
		}
	}
	a := &api{
		UseCases: u, limits: transport.NewListLimits(), decoding: transport.NewDecoding(),
		addresses: transport.NewAddressLimit(c.Config), pages: newPages(c), kept: transport.NewKeptReplies(), tracer: c.Tracer,
	}
	responses, err := fields.Of(openapi.JSON())
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	a.responses = responses
	router, err := newRouter(a, slices.Concat(table, pageTable))
	if err != nil {
		return nil, err
	}
	return transport.Wrap(router, c.Config), nil
}

// newRouter returns the router without the middleware.
func newRouter(a *api, rows []route) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.UseEscapedPath = true       // a name may contain an escaped slash
	engine.ForwardedByClientIP = false // clientAddr is the rule
	for _, r := range rows {
		if r.Policy == (Policy{}) {
			return nil, fmt.Errorf("httpapi: %s %s has no policy", r.Method, r.Path)
		}
		if r.Policy.isForStaff() && r.Method != http.MethodGet && r.act.Act == "" {
			return nil, fmt.Errorf("httpapi: %s %s is for staff and has no act for its audit records", r.Method, r.Path)
		}
		engine.Match(r.methods(), r.pattern(), a.serve(r))
	}
	wrongMethod := a.unrouted(refuser(rows))
	for _, r := range shadowed(rows) {
		engine.Handle(r.Method, r.pattern(), wrongMethod)
	}
	engine.NoRoute(a.unrouted(func(w http.ResponseWriter, r *http.Request) { transport.Fail(w, r, errNoPath) }))
	engine.NoMethod(wrongMethod)
	return engine, nil
}

// shadowed returns the paths that end in a variable, each with the methods of longer paths that it lacks. gin would redirect
// these methods to the path without its slash.
func shadowed(rows []route) (all []Route) {
	for _, r := range rows {
		for _, longer := range rows {
			isLonger := strings.HasSuffix(r.Path, "}/") && longer.Path != r.Path && strings.HasPrefix(longer.Path, r.Path)
			lacks := func(of []Route) bool {
				return !slices.ContainsFunc(of, func(o Route) bool { return o.Method == longer.Method && o.Path == r.Path })
			}
			if isLonger && lacks(all) && lacks(routesOf(rows)) {
				all = append(all, Route{Method: longer.Method, Path: r.Path})
			}
		}
	}
	return all
}

// unrouted returns the handler of requests that no route takes. They count for the limit of the address.
func (a *api) unrouted(refuse http.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := a.addresses.Charge(c.Request.Context()); err != nil {
			transport.Fail(c.Writer, c.Request, err)
			return
		}
		refuse(c.Writer, c.Request)
	}
}

func (a *api) serve(r route) gin.HandlerFunc {
	r.isNumbered, r.list = numbered.MatchString(r.Path), transport.ListAt(r.Path)
	if r.Method == http.MethodGet {
		r.response = a.responses[r.Path]
	}
	r.handle = a.traced(r)
	return func(g *gin.Context) {
		transport.RequestLogOf(g.Request.Context()).Route = g.FullPath()
		c := &transport.Call{Gin: g, Decoding: a.decoding}
		defer c.End()
		answer, err := a.answer(r, c)
		if err != nil {
			transport.Fail(g.Writer, g.Request, err)
			return
		}
		answer.Send(g.Writer, g.Request)
	}
}

// answer calls the handler if the caller may use the route.
func (a *api) answer(r route, c *transport.Call) (transport.Reply, error) {
	if err := a.identify(r, c); err != nil {
		return transport.Reply{}, err
	}
	transport.RequestLogOf(c.Context()).User = c.Actor.ID
	if err := r.Policy.admit(c.Actor); err != nil {
		return transport.Reply{}, err
	}
	if !r.Policy.isForStaff() {
		return r.handle(a, c)
	}
	c.Gin.Request = c.Gin.Request.WithContext(r.carrying(c))
	answer, err := r.handle(a, c)
	logAct(c, r, err)
	return answer, err
}

// errNoPath is the fault of a path that no route has.
var errNoPath = fault.New(fault.NotFound, "This path does not exist. The page /docs/ describes all paths.")
