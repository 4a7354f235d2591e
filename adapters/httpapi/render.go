package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

// users holds the users of a response.
type users map[user.ID]user.Info

// loadUsers loads all the users at once, unless reading what shows them has failed.
func (a *api) loadUsers(c *transport.Call, ids []user.ID, err error) (users, error) {
	if err != nil {
		return nil, err
	}
	infos, err := a.People.Infos(c.Context(), ids)
	if err != nil {
		return nil, err
	}
	return usersOf(c, infos, ids)
}

// describe returns the users of the ids, who are among the members that were read with what
// shows them, unless that has failed.
func (a *api) describe(c *transport.Call, members map[user.ID]*user.Member, ids []user.ID, err error) (users, error) {
	if err != nil {
		return nil, err
	}
	all := slices.AppendSeq(make([]*user.Member, 0, len(members)), maps.Values(members))
	return usersOf(c, a.People.Describe(all), ids)
}

// usersOf returns the users of the ids, of which 0 is none. Every uid in a response exists, so a missing user is an
// internal error, unless it is the caller, who was erased since the request came. The caller is online, also while the
// presence of the request is not stored yet (USR-03).
func usersOf(c *transport.Call, infos []user.Info, ids []user.ID) (users, error) {
	people := make(users, len(infos))
	for _, info := range infos {
		info.IsOnline = info.IsOnline || info.ID == c.Actor.ID
		people[info.ID] = info
	}
	for _, id := range ids {
		switch _, known := people[id]; {
		case known || id == 0:
		case id == c.Actor.ID:
			return nil, access.ErrBadKey
		default:
			return nil, fmt.Errorf("user %d is referenced but does not exist", id)
		}
	}
	return people, nil
}

// person is simple user info (USR-01). It embeds nothing, because fields of an embedded struct take longer to encode.
type person struct {
	UID       user.ID `json:"uid"`
	Avatar    string  `json:"avatar"`
	Expertise *string `json:"expertise"`
	Firstname string  `json:"firstname"`
	Lastname  string  `json:"lastname"`
	Username  string  `json:"username"`
	Timezone  string  `json:"timezone"`
	UTCOffset string  `json:"timezone_utc_offset"`
	Location  string  `json:"location"`
	Avatars   picture `json:"avatars"`
	IsOnline  bool    `json:"is_online"`
}

// author is simple user info within events, which name the flag differently (EVT-01).
type author struct {
	person
	Renamed *bool `json:"is_online,omitempty"` // nil; it hides the flag of person
	Online  bool  `json:"online"`
}

type picture struct {
	Path  string `json:"path"`
	Sizes sizes  `json:"sizes"`
}

// sizes has a field for every size. Each picture has some of them.
type sizes struct {
	CoverSM       size `json:"cover_sm,omitzero"`
	DemandCoverMD size `json:"demand_cover_md,omitzero"`
	LG            size `json:"lg,omitzero"`
	MD            size `json:"md,omitzero"`
	SM            size `json:"sm,omitzero"`
}

type size struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"path"`
}

func renderPerson(u user.Info) person {
	return person{
		UID: u.ID, Avatar: u.Avatar.Path, Expertise: view.OrNull(u.Expertise),
		Firstname: u.Firstname, Lastname: u.Lastname, Username: u.Username,
		Timezone: u.Timezone, UTCOffset: u.UTCOffset, Location: u.Location,
		Avatars: renderPicture(u.Avatar), IsOnline: u.IsOnline,
	}
}

func renderAuthor(u user.Info) author { return author{person: renderPerson(u), Online: u.IsOnline} }

func renderPicture(p media.Picture) picture {
	view := picture{Path: p.Path}
	for _, s := range p.Sizes {
		rendered := size{s.Width, s.Height, s.Path}
		switch s.Name {
		case "cover_sm":
			view.Sizes.CoverSM = rendered
		case "demand_cover_md":
			view.Sizes.DemandCoverMD = rendered
		case "lg":
			view.Sizes.LG = rendered
		case "md":
			view.Sizes.MD = rendered
		case "sm":
			view.Sizes.SM = rendered
		}
	}
	return view
}

// mapSlice renders a list. An empty list is written as [], never as null.
func mapSlice[T, U any](items []T, render func(T) U) []U {
	rendered := make([]U, len(items))
	for i, item := range items {
		rendered[i] = render(item)
	}
	return rendered
}

// listed returns a copy that is never nil, so an empty list is written as [].
func listed[T any](items []T) []T { return append([]T{}, items...) }

// secondsToDuration returns n seconds as a duration, limited to the range of time.Duration.
func secondsToDuration(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}

// deref returns the value that the pointer points to, or zero for nil.
func deref[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// withID calls fn with the ID in the path, and answers without content.
func withID[ID ~int64](c *transport.Call, fn func(context.Context, access.Actor, ID) error) (transport.Reply, error) {
	return transport.NoContent(), fn(c.Context(), c.Actor, ID(c.ID))
}

// pageOf answers with the page that the request asks for, of the list that find reads by the filter.
func pageOf[F, T, V any](
	c *transport.Call, q *transport.Query, filter F, find func(context.Context, F, page.Request) (page.Page[T], error), render func(T) V,
) (transport.Reply, error) {
	return pageAt(c, q, filter, q.Page(), find, render)
}

// pageAt answers with the page of the list that find reads by the filter.
func pageAt[F, T, V any](
	c *transport.Call, q *transport.Query, filter F, r page.Request, find func(context.Context, F, page.Request) (page.Page[T], error),
	render func(T) V,
) (transport.Reply, error) {
	c.Audited = append(c.Audited, "page", r.Number())
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	found, err := find(c.Context(), filter, r)
	return transport.Paged(c, page.Map(found, render)), err
}

// exported answers with the list as CSV, if staff ask for that (OFF-05), or as shown does of its span and the request.
func exported[T any](
	c *transport.Call, q *transport.Query, l backoffice.Listing[T], r page.Request,
	shown func(page.Span, page.Request) (transport.Reply, error),
) (transport.Reply, error) {
	w, err := backoffice.ReadWanted(q.Text, cmp.Or(l.Zone, c.Actor.Local(time.Time{}).Location()), l.Sorts...)
	q.Wrong.Merge(fault.FieldsOf(err))
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	if !w.IsCSV {
		return shown(w.Span, r)
	}
	csv, err := l.Export(w.Span)
	if err != nil {
		return transport.Reply{}, err
	}
	c.Gin.Header("Content-Disposition", "attachment")
	return transport.Bare(transport.File{MediaType: "text/csv; charset=utf-8", Bytes: csv}), nil
}

// listing answers with the part of the list that staff ask for, or with the list as CSV.
func listing[T, V any](
	c *transport.Call, q *transport.Query, l backoffice.Listing[T], r page.Request, render func(T) V,
) (transport.Reply, error) {
	return exported(c, q, l, r, func(s page.Span, r page.Request) (transport.Reply, error) {
		read := func(_ context.Context, s page.Span, r page.Request) (page.Page[T], error) { return l.Read(s, r) }
		return pageAt(c, q, s, r, read, render)
	})
}
