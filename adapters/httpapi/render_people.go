package httpapi

import (
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/user"
)

// appearance holds the fields shared by all forms of simple user info.
type appearance struct {
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
}

// person is simple user info (USR-01).
type person struct {
	appearance
	IsOnline bool `json:"is_online"`
}

// author is simple user info within events, which name the flag differently (EVT-01).
type author struct {
	appearance
	Online bool `json:"online"`
}

// profile is the caller's own profile (USR-05).
type profile struct {
	person
	Phone      string         `json:"phone"`
	Scopes     []access.Scope `json:"scopes"`
	IsStaff    bool           `json:"is_staff"`
	DateJoined timestamp      `json:"date_joined"`
}

type picture struct {
	Path  string `json:"path"`
	Sizes sizes  `json:"sizes"`
}

// sizes has a field for every size. Each picture has some of them.
type sizes struct {
	CoverSM       *size `json:"cover_sm,omitempty"`
	DemandCoverMD *size `json:"demand_cover_md,omitempty"`
	LG            *size `json:"lg,omitempty"`
	MD            *size `json:"md,omitempty"`
	SM            *size `json:"sm,omitempty"`
}

type size struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"path"`
}

func renderAppearance(u user.Info) appearance {
	return appearance{
		UID: u.ID, Avatar: u.Avatar.Path, Expertise: orNull(u.Expertise),
		Firstname: u.Firstname, Lastname: u.Lastname, Username: u.Username,
		Timezone: u.Timezone, UTCOffset: u.UTCOffset, Location: u.Location,
		Avatars: renderPicture(u.Avatar),
	}
}

func renderPerson(u user.Info) person { return person{renderAppearance(u), u.IsOnline} }

func renderAuthor(u user.Info) author { return author{renderAppearance(u), u.IsOnline} }

func renderProfile(p people.Profile) profile {
	return profile{
		person: renderPerson(p.Info), Phone: p.Phone.String(), Scopes: append([]access.Scope{}, p.Scopes...),
		IsStaff: p.Staff, DateJoined: timestamp(p.Joined),
	}
}

func renderPicture(p media.Picture) picture {
	view := picture{Path: p.Path}
	all := make([]size, len(p.Sizes))
	for i, s := range p.Sizes {
		all[i] = size{s.Width, s.Height, s.Path}
		switch s.Name {
		case "cover_sm":
			view.Sizes.CoverSM = &all[i]
		case "demand_cover_md":
			view.Sizes.DemandCoverMD = &all[i]
		case "lg":
			view.Sizes.LG = &all[i]
		case "md":
			view.Sizes.MD = &all[i]
		case "sm":
			view.Sizes.SM = &all[i]
		}
	}
	return view
}

// orNull returns nil, written as null, for the zero value.
func orNull[T comparable](v T) *T {
	var none T
	return optional(v, v != none)
}

// each renders a list. An empty list is written as [], never as null.
func each[T, U any](items []T, render func(T) U) []U {
	rendered := make([]U, len(items))
	for i, item := range items {
		rendered[i] = render(item)
	}
	return rendered
}
