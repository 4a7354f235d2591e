package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/block"
	"plaza/domain/page"
	"plaza/domain/user"
)

// listBlocks returns those whom the caller blocks (MOD-02).
func (a *api) listBlocks(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Following.Blocks(c.Context(), c.Actor, request)
	if err != nil {
		return transport.Reply{}, err
	}
	people, err := a.loadUsers(c.Context(), mapSlice(list.Items, func(b block.Block) user.ID { return b.Whom })...)
	return transport.Paged(page.Map(list, func(b block.Block) person { return renderPerson(people[b.Whom]) })), err
}

func (a *api) block(c *transport.Call) (transport.Reply, error) { return withID(c, a.Following.Block) }

func (a *api) unblock(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Following.Unblock)
}
