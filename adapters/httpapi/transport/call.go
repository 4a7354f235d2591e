// Package transport reads requests and writes responses: connections and their pace, bodies and
// uploads, queries, compression, CORS, errors, lists that are streamed, the log, traces and limits
// by address. It knows no use case; a handler of package httpapi gets a Call and returns a Reply.
//
// Everything that a client may make grow has a bound here, over all requests of the process
// (GEN-14), and what a client sends too slowly, or reads too slowly, is cut off.
package transport

import (
	"context"
	"hash/fnv"
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"

	"plaza/adapters/httpapi/fields"
	"plaza/application/admission"
	"plaza/domain/access"
	"plaza/domain/secret"
)

// Call is a request. It exists before its policy is checked; identify sets the actor.
type Call struct {
	Gin   *gin.Context
	Actor access.Actor
	ID    int64         // in the path, if it has one
	Key   secret.String // presented by the actor
	List  List          // that the route answers with
	Part  fields.Tree   // of the response that the client asks for (GEN-17); nil: all
	// PartErr says which of the fields that the client asks for don't exist. What is wrong with the path comes before it.
	PartErr error

	pictures map[string]*Upload // of the body, by field
	Decoding *admission.Queue   // bytes of bodies with pictures that are decoded at once
	lists    *ListLimits        // that Enter has asked; nil: none
	leave    func()             // releases the memory that Enter has acquired
	Audited  []any              // what a call of the back office is about, as attributes of its audit line
}

// Enter waits until there is memory for a list of that many events. The end of the call releases it, if leave has not.
func (c *Call) Enter(r *ListLimits, events int) (err error) {
	c.lists = r
	c.leave, err = r.events.Enter(c.Context(), int64(events))
	return err
}

// End releases what the call holds.
func (c *Call) End() {
	for _, picture := range c.pictures {
		_ = picture.Close() // a temporary file: its loss does not matter
	}
	if c.leave != nil {
		c.leave()
	}
}

func (c *Call) Context() context.Context { return c.Gin.Request.Context() }

// Address returns the caller's address: the peer's, or the one that trusted proxies report.
// It is zero when the peer has no address, as on a Unix socket.
func (c *Call) Address() netip.Addr { return RequestLogOf(c.Context()).Client }

// Name returns the value of the path's last variable.
func (c *Call) Name() string {
	return strings.TrimPrefix(c.Gin.Param("id"), "/") // gin begins a rest of the path with a slash
}

// List identifies a list in its cursors, so that the cursor of another list is a problem.
type List uint32

func ListAt(path string) List {
	h := fnv.New32a()
	h.Write([]byte(path))
	return List(h.Sum32())
}
