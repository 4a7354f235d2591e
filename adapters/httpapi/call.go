package httpapi

import (
	"context"
	"net/netip"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"plaza/domain/access"
	"plaza/domain/admission"
	"plaza/domain/secret"
)

// call is a request. It exists before its policy is checked; identify sets the actor.
type call struct {
	gin   *gin.Context
	actor access.Actor
	key   secret.String // presented by the actor

	pictures map[string]*upload // of the body, by field
	decoding *admission.Queue   // bytes of bodies with pictures that are decoded at once
	leave    func()             // releases what enter acquired; nil: nothing
	audited  []any              // what a call of the back office is about, as attributes of its audit line
}

// enter acquires memory for a list of that many events. The end of the call releases it, if
// leave has not.
func (c *call) enter(r *listLimits, events int) error {
	leave, err := r.enter(c.ctx(), events)
	if err == nil {
		c.leave = sync.OnceFunc(leave)
	}
	return err
}

// end releases what the call holds.
func (c *call) end() {
	for _, picture := range c.pictures {
		_ = picture.close() // a temporary file: its loss does not matter
	}
	if c.leave != nil {
		c.leave()
	}
}

func (c *call) ctx() context.Context { return c.gin.Request.Context() }

// address returns the caller's address: the peer's, or the one that trusted proxies report.
// It is zero when the peer has no address, as on a Unix socket.
func (c *call) address() netip.Addr { return requestLogOf(c.ctx()).client }

// name returns the value of the path's variable.
func (c *call) name() string {
	return strings.TrimPrefix(c.gin.Param("id"), "/") // gin begins a rest of the path with a slash
}

// pathID returns the ID in the path. It returns errNotFound if that is not a positive
// integer (GEN-09).
func pathID[ID ~int64](c *call) (ID, error) {
	n := positiveInt(c.name())
	if n < 1 {
		return 0, errNotFound
	}
	return ID(n), nil
}
