package httpapi

import (
	"slices"

	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/text"
	"plaza/domain/user"
)

// howToView is an imported how-to of a category (ADM-01).
type howToView struct {
	Category  string                 `json:"category"`
	Username  string                 `json:"username"`
	User      user.ID                `json:"user"`
	BundleIDs []publication.BundleID `json:"bundle_ids"`
	CreatedAt timestamp              `json:"created_at"`
	UpdatedAt timestamp              `json:"updated_at"`
}

func (people users) renderHowTo(h publication.HowTo) howToView {
	return howToView{
		Category: h.Category, Username: people[h.Robot].Username, User: h.Robot,
		BundleIDs: listed(h.Bundles), CreatedAt: timestamp(h.Created), UpdatedAt: timestamp(h.Updated),
	}
}

// listHowTos returns imported how-tos, of some categories or of all.
func (a *api) listHowTos(c *call) (reply, error) {
	q := c.query()
	categories, request := q.texts("category", "category[]"), q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	c.audited = []any{"categories", categories, "page", request.Number()}
	howTos, err := a.HowToLists.List(c.ctx(), categories, request)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), each(howTos.Items, func(h publication.HowTo) user.ID { return h.Robot })...)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(howTos, people.renderHowTo)), nil
}

// texts returns all values of a repeatable parameter under any of its names (ADM-03).
func (q *query) texts(names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, each(q.values[name], text.Trim)...)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
