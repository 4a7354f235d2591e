package httpapi

import (
	"context"
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// call is a request on its way to a handler, together with who makes it.
type call struct {
	gin   *gin.Context
	actor access.Actor
	key   secret.String // that the actor presented

	spools spools // pictures that came with the request
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
