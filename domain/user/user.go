// Package user is about people: the phone number they are known by, how they
// appear to others, and whether they are here now.
//
// What login knows of a person (password, scopes, staff) is in package access;
// nothing of that ever leaves through this one.
package user

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/text"
)

// ID is a user's uid. Valid ones are positive.
type ID int64

// OnlineFor is how long after being seen somebody counts as online (USR-03).
const OnlineFor = 5 * time.Minute

// NameLimit bounds each of the names of a person and of where they are.
var NameLimit = text.Limit{Chars: 64}

// Member is a person as the store keeps them.
type Member struct {
	ID        ID
	Firstname string
	Lastname  string
	Expertise string // name of the main expertise; empty when there is none
	Location  string // current region
	Timezone  string // name in the time zone database: Asia/Shanghai
	Joined    time.Time
	Seen      time.Time     // zero: never
	Avatar    media.Picture // zero: the one that is drawn for them
}

// NewMember checks the facts and returns them in the form that is kept: trimmed,
// within their limits, in a time zone that exists.
func NewMember(m Member) (Member, error) {
	var wrong fault.Fields
	for _, f := range []struct {
		name  string
		value *string
	}{
		{"firstname", &m.Firstname}, {"lastname", &m.Lastname},
		{"expertise", &m.Expertise}, {"location", &m.Location},
	} {
		*f.value = text.Trim(*f.value)
		wrong.Add(f.name, NameLimit.Problem(*f.value))
	}
	if m.Timezone == "" {
		m.Timezone = "UTC"
	}
	if _, err := zone(m.Timezone); err != nil {
		wrong.Add("timezone", fmt.Sprintf("There is no time zone %q.", m.Timezone))
	}
	return m, wrong.Err()
}

// FullName is how the person is called: given name first, but family name first
// and without a space where both are written in Han, Kana or Hangul.
func (m Member) FullName() string {
	if eastAsian(m.Firstname) && eastAsian(m.Lastname) {
		return m.Lastname + m.Firstname
	}
	return text.Trim(m.Firstname + " " + m.Lastname)
}

func eastAsian(name string) bool {
	for _, r := range name {
		if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return false
		}
	}
	return name != ""
}

// IsOnline says whether the person was seen within OnlineFor before now.
func (m Member) IsOnline(now time.Time) bool {
	return !m.Seen.IsZero() && now.Sub(m.Seen) <= OnlineFor
}

// UTCOffset is the offset from UTC at the instant, where the person is: +08:00.
func (m Member) UTCOffset(at time.Time) string { return at.In(m.Zone()).Format("-07:00") }

// Zone is the person's time zone; UTC when the database of time zones no longer
// knows it.
func (m Member) Zone() *time.Location {
	loc, err := zone(m.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// zones are the time zones that were loaded, by name. There are no more than the
// database of time zones has; loading one reads a file.
var zones sync.Map

// zone refuses "Local", which would be the server's time zone.
func zone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("%q is no name of a time zone", name)
	}
	if loaded, is := zones.Load(name); is {
		return loaded.(*time.Location), nil
	}
	loaded, err := time.LoadLocation(name)
	if err == nil {
		zones.Store(name, loaded)
	}
	return loaded, err
}

// Info is the simple user info: a person as everybody may see them (USR-01).
type Info struct {
	ID        ID
	Firstname string
	Lastname  string
	Username  string // full name
	Expertise string // empty: none
	Location  string
	Timezone  string
	UTCOffset string
	IsOnline  bool
	Avatar    media.Picture
}

// Describe returns what everybody may see of the person at the instant, with the picture as
// it is shown then.
func (m Member) Describe(avatar media.Picture, at time.Time) Info {
	return Info{
		ID:        m.ID,
		Firstname: m.Firstname,
		Lastname:  m.Lastname,
		Username:  m.FullName(),
		Expertise: m.Expertise,
		Location:  m.Location,
		Timezone:  m.Timezone,
		UTCOffset: m.UTCOffset(at),
		IsOnline:  m.IsOnline(at),
		Avatar:    avatar,
	}
}

// ErrNobody is the fault of a person that there isn't.
var ErrNobody = fault.New(fault.NotFound, "There is no such person.")

// Directory finds people. Every implementation passes test/ports.Accounts, which
// is where people come from.
type Directory interface {
	// Members returns those of the ids that exist, in no particular order, each
	// once. Unknown ids must be left out; no ids at all is no error.
	Members(ctx context.Context, ids []ID) ([]Member, error)
	// SetAvatar gives the person the picture, in place of the one that they had. It is
	// ErrNobody if there is no such person.
	SetAvatar(ctx context.Context, id ID, avatar media.Picture) error
}
