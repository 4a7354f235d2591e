// Package user models users: phone numbers, public profiles and presence.
//
// Login data (password, scopes, staff) is in package access and is never exposed through
// this package.
package user

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/text"
)

// ID is a user's uid. Valid ones are positive.
type ID int64

// OnlineFor is how long after being seen a user counts as online (USR-03).
const OnlineFor = 5 * time.Minute

// NameLimit bounds each of the names, the expertise and the location of a user.
var NameLimit = text.Limit{Chars: 64}

// Member is a user as stored.
type Member struct {
	ID        ID
	Firstname string
	Lastname  string
	Expertise string // name of the main expertise; empty: none
	Location  string // current region
	Timezone  string // name in the time zone database: Asia/Shanghai
	Joined    time.Time
	Seen      time.Time     // zero: never
	Avatar    media.Picture // zero: the drawn portrait
}

// NewMember checks the member and returns it in the stored form: texts of one line within the
// limits, in an existing time zone.
func NewMember(m Member) (Member, error) {
	m.Timezone = cmp.Or(m.Timezone, "UTC")
	c, err := ProfileChange{
		Firstname: &m.Firstname, Lastname: &m.Lastname, Timezone: &m.Timezone, Location: &m.Location, Expertise: &m.Expertise,
	}.check(NameLimit.Line)
	return c.Apply(m), err
}

// FullName returns the given name followed by the family name. If both are written in
// Han, Kana or Hangul, also with ignorable characters among them, the family name is first and no space separates them.
func (m Member) FullName() string {
	if eastAsian(m.Firstname) && eastAsian(m.Lastname) {
		return m.Lastname + m.Firstname
	}
	return text.Trim(m.Firstname + " " + m.Lastname)
}

func eastAsian(name string) bool {
	for _, r := range name {
		if !text.IsIgnorable(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return false
		}
	}
	return name != ""
}

// IsOnline reports whether the user was seen within OnlineFor before now.
func (m Member) IsOnline(now time.Time) bool {
	return !m.Seen.IsZero() && now.Sub(m.Seen) <= OnlineFor
}

// UTCOffset returns the UTC offset of the user's time zone at the instant, like +08:00.
func (m Member) UTCOffset(at time.Time) string { return at.In(m.Zone()).Format("-07:00") }

// Zone returns the user's time zone, or UTC if the time zone database no longer has it.
func (m Member) Zone() *time.Location {
	loc, err := zone(m.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// zones caches the loaded time zones by name, because loading one reads a file. The
// time zone database bounds its size.
var zones sync.Map

// noPlaces are the folders and names of the database, in lower case, that are no place's.
var noPlaces = []string{"local", "localtime", "posix", "posixrules", "right", "factory"}

// zone returns the time zone with the name. It rejects names of the database that are no place's: the
// server's own time zone, and copies that count leap seconds or none.
func zone(name string) (*time.Location, error) {
	if loaded, is := zones.Load(name); is {
		return loaded.(*time.Location), nil
	}
	folder, _, _ := strings.Cut(strings.ToLower(name), "/")
	if path.Clean(name) != name || slices.Contains(noPlaces, folder) { // ./UTC and Europe//Berlin are paths of files
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	loaded, err := time.LoadLocation(name)
	if err == nil {
		zones.Store(name, loaded)
	}
	return loaded, err
}

// Info is the simple user info, the public view of a user (USR-01).
type Info struct {
	Member
	Username  string // full name
	UTCOffset string
	IsOnline  bool
	Avatar    media.Picture // with addresses, in place of the member's
}

// Describe returns the public view of the user at the instant, with the given avatar.
func (m Member) Describe(avatar media.Picture, at time.Time) Info {
	return Info{Member: m, Username: m.FullName(), UTCOffset: m.UTCOffset(at), IsOnline: m.IsOnline(at), Avatar: avatar}
}

// ErrNotFound is the fault of a user that does not exist.
var ErrNotFound = fault.New(fault.NotFound, "User not found.")

// Directory finds users. Every implementation passes test/ports.Accounts, because
// access.Accounts adds users.
type Directory interface {
	// Members returns the existing users of the ids, in any order, each once. Unknown
	// ids, and those of users whose data was erased, must be left out. An empty list of ids is not an error.
	Members(ctx context.Context, ids []ID) ([]Member, error)
	// Profile returns the user, what they say of themselves and have, and the viewer's relationship to them; the zero viewer has
	// none. Changes show at once. It returns ErrNotFound if the user does not exist, was erased or is disabled, or if a block stands
	// between the two (block.Repository).
	Profile(ctx context.Context, id, viewer ID) (Profile, error)
	// Relationships returns the viewer's relationship to each of the users, in any order, each once. Those who do not exist, were
	// erased or are disabled must be left out. An empty list of ids is not an error.
	Relationships(ctx context.Context, viewer ID, ids []ID) ([]Relationship, error)
	// SetAvatar replaces the user's avatar, or takes it away if the new one is zero. All sizes of the new one take so many bytes
	// together; those of the old one are given back. It returns ErrNotFound if the user does
	// not exist or was erased, and quota.Limits.ErrPictures if the new avatar takes more bytes than are
	// left of the quota with which the store was opened (GEN-14). It returns ErrProfileHidden while staff have hidden the
	// profile (moderation.Store). Charges are as in event.Repository.
	SetAvatar(ctx context.Context, id ID, avatar media.Picture, bytes int64, charges ...ratelimit.Charge) error
	// ChangeProfile changes the fields of the change that are not nil. It returns ErrNotFound as
	// SetAvatar does, and ErrProfileHidden as that does if the change IsHideable. Charges are as in event.Repository.
	ChangeProfile(ctx context.Context, id ID, c ProfileChange, charges ...ratelimit.Charge) error
	// Search returns the users whom the name finds, those first whom the searching user follows, and each of both in
	// ascending order of uid. Each comes once, although the searching user follows them, or no longer does, between two
	// pages. It leaves out users whose account is disabled, unless the search is WithDisabled, whose
	// data was erased, or between whom and the searching user a block stands (block.Repository). Changed names find the user
	// at once, and former ones no longer do. A page may have fewer users than its size, also none, and
	// the list continues all the same. Charges are as in event.Repository; a search without a result is charged, too.
	Search(ctx context.Context, q Search, charges ...ratelimit.Charge) (page.CursorPage[Member], error)
}
