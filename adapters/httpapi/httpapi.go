// Package httpapi is Plaza's REST interface: it reads requests, asks the use
// cases, and writes down what they answer.
//
// One table names every route and the policy that guards it. A request passes
// its checks in one order: its token, the policy, the object in its path, its
// body; and all that is wrong with a body is told at once. Every error, wherever
// it comes from, leaves in one envelope; of our own mistakes it tells nothing,
// the log does.
package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"

	"github.com/gin-gonic/gin"

	"plaza/application/browsing"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/paying"
	"plaza/application/people"
	"plaza/application/reading"
	"plaza/application/signin"
	"plaza/application/userimages"
	"plaza/domain/fault"
)

// Config is what the interface has to know of where it runs.
type Config struct {
	// TrustedProxies are the peers whose X-Forwarded-For is believed; with none,
	// a caller's address is always the peer's (AUT-11).
	TrustedProxies []netip.Prefix
	Log            *slog.Logger
}

// UseCases are what the interface lets people do. None may be missing.
type UseCases struct {
	Signin    *signin.Signin
	People    *people.People
	Diary     *diary.Diary
	Following *following.Following
	Browsing  *browsing.Browsing
	Reading   *reading.Reading
	Curating  *userimages.UserImages
	Importing *importing.Importing
	Paying    *paying.Paying
	Portraits PortraitSource
	Media     MediaSource
	Addresses AddressCheck
}

// PortraitSource returns the PNG of the generated portrait with the name, or
// false when there is none. The same name always has the same picture.
type PortraitSource func(name string) ([]byte, bool)

// api is what the handlers work with.
type api struct {
	UseCases
	room *room
}

// New returns the interface, ready to be served. It fails when a use case is
// missing, or a route has no policy.
func New(c Config, u UseCases) (http.Handler, error) {
	for name, value := range reflect.ValueOf(u).Fields() {
		if value.IsNil() {
			return nil, fmt.Errorf("httpapi: the use cases lack %s", name.Name)
		}
	}
	router, err := newRouter(&api{u, newRoom()}, c.TrustedProxies, table)
	if err != nil {
		return nil, err
	}
	return newMiddleware(router, c), nil
}

// newRouter returns the routes without what is around all of them.
func newRouter(a *api, trusted []netip.Prefix, rows []route) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.UseEscapedPath = true // an escaped slash is part of a name
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	proxies := make([]string, len(trusted))
	for i, prefix := range trusted {
		proxies[i] = prefix.String()
	}
	if err := engine.SetTrustedProxies(proxies); err != nil {
		return nil, fmt.Errorf("httpapi: trusting proxies: %w", err)
	}
	for _, r := range rows {
		if r.Policy == (Policy{}) {
			return nil, fmt.Errorf("httpapi: %s %s has no policy", r.Method, r.Path)
		}
		engine.Handle(r.Method, r.pattern(), a.serve(r))
		if r.Method == http.MethodGet {
			engine.Handle(http.MethodHead, r.pattern(), a.serve(r))
		}
	}
	engine.NoRoute(func(c *gin.Context) { fail(c.Writer, c.Request, errNoSuchThing) })
	methods := methodsOf(rows)
	engine.NoMethod(func(c *gin.Context) { methods.refuse(c.Writer, c.Request) })
	return engine, nil
}

// serve answers calls of the route that its policy admits.
func (a *api) serve(r route) gin.HandlerFunc {
	return func(g *gin.Context) {
		g.Request.Pattern = g.FullPath() // for the access log
		c := &call{gin: g}
		defer c.end()
		answer, err := a.answer(r, c)
		if err != nil {
			fail(g.Writer, g.Request, err)
			return
		}
		answer.send(g.Writer, g.Request)
	}
}

func (a *api) answer(r route, c *call) (reply, error) {
	if err := a.identify(r.Policy, c); err != nil {
		return reply{}, err
	}
	if err := r.Policy.admit(c.actor); err != nil {
		return reply{}, err
	}
	return r.handle(a, c)
}

// errNoSuchThing is the fault of a path that leads nowhere.
var errNoSuchThing = fault.New(fault.NotFound, "There is nothing at this address.")
