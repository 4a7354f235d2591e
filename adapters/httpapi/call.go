package httpapi

import (
	"context"
	"net/netip"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// call is a request on its way to a handler, together with who makes it.
type call struct {
	gin   *gin.Context
	actor access.Actor
	key   secret.String // that the actor presented

	spools uploadBuffers // pictures that came with the request
	leave  func()        // frees the room that the call has; nil: it has none
}

// enter takes room for so many events, until leave is called or the call ends.
func (c *call) enter(r *room, events int) error {
	leave, err := r.enter(c.ctx(), events)
	if err == nil {
		c.leave = sync.OnceFunc(leave)
	}
	return err
}

// end frees what the call has.
func (c *call) end() {
	_ = c.spools.close() // files without a name: nothing is lost with them
	if c.leave != nil {
		c.leave()
	}
}

func (c *call) ctx() context.Context { return c.gin.Request.Context() }

// address is where the caller is: the peer, or what trusted proxies say. It is
// zero when the peer has no address, as on a Unix socket.
func (c *call) address() netip.Addr {
	addr, err := netip.ParseAddr(c.gin.ClientIP())
	if err != nil {
		return netip.Addr{}
	}
	return addr
}

// name is what stands for the variable in the path.
func (c *call) name() string {
	return strings.TrimPrefix(c.gin.Param("id"), "/") // where it is the rest of the path, gin begins it with a slash
}

// pathID is the number in the path. What is no positive integer is the number of
// nothing (GEN-09).
func pathID[ID ~int64](c *call) (ID, error) {
	n := whole(c.name())
	if n < 1 {
		return 0, errNoSuchThing
	}
	return ID(n), nil
}
