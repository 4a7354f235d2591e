package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// howToView is an imported how-to of a category (ADM-01).
type howToView struct {
	Category  string                 `json:"category"`
	Username  string                 `json:"username"`
	User      user.ID                `json:"user"`
	BundleIDs []publication.BundleID `json:"bundle_ids"`
	CreatedAt transport.Timestamp    `json:"created_at"`
	UpdatedAt transport.Timestamp    `json:"updated_at"`
}

func (people users) renderHowTo(h publication.HowTo) howToView {
	return howToView{
		Category: h.Category, Username: people[h.Robot].Username, User: h.Robot,
		BundleIDs: listed(h.Bundles), CreatedAt: transport.Timestamp(h.Created), UpdatedAt: transport.Timestamp(h.Updated),
	}
}

// listHowTos returns imported how-tos, of some categories or of all.
func (a *api) listHowTos(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	categories, request := q.Texts("category", "category[]"), q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"categories", categories, "page", request.Number()}
	howTos, err := a.HowToLists.List(c.Context(), categories, request)
	if err != nil {
		return transport.Reply{}, err
	}
	people, err := a.loadUsers(c.Context(), mapSlice(howTos.Items, func(h publication.HowTo) user.ID { return h.Robot })...)
	return transport.Paged(page.Map(howTos, people.renderHowTo)), err
}
