package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/domain/audit"
)

// actList is the letter of cursors in the list of acts.
const actList = 'a'

// listActs returns the acts of staff, the newest first (OFF-01).
func (a *api) listActs(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := audit.Query{CursorRequest: q.Cursor(actList)}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Audit.List(c.Context(), request)
	return transport.Continued(actList, mapSlice(list.Items, view.OfAct), list.Next), err
}
