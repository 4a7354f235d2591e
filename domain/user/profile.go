package user

import (
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// BioLimit bounds what a person says of themselves.
var BioLimit = text.Limit{Chars: 500}

// ErrProfileHidden is the fault of changing a profile that staff have hidden (MOD-06).
var ErrProfileHidden = fault.New(fault.Conflict, "Staff have hidden your profile. It can't be changed until they show it again.")

// HiddenName is the given name of a user whose profile is hidden.
const HiddenName = "…"

// Hidden returns the member as they are shown while their profile is hidden: with no avatar, and no names but HiddenName.
func (m Member) Hidden() Member {
	return Member{ID: m.ID, Firstname: HiddenName, Timezone: m.Timezone, Joined: m.Joined, Seen: m.Seen}
}

// Profile is a user as others see them (USR-09).
type Profile struct {
	Member
	Bio       string // what the user says of themselves; empty: nothing
	Events    int    // how many of their events are published, public and not hidden
	Followers int
	Followed  int          // how many users they follow
	Relation  Relationship // of the viewer
}

// Relationship is what stands between a viewer and a user (USR-10). It does not tell that the user blocks the viewer.
type Relationship struct {
	User          ID
	Subscription  int64 // the ID of the viewer's subscription to the user; zero: none
	FollowsViewer bool
	IsBlocked     bool // by the viewer
}

// IsFollowed reports whether the viewer follows the user.
func (r Relationship) IsFollowed() bool { return r.Subscription != 0 }

// IsContact reports whether each follows the other (EVT-08).
func (r Relationship) IsContact() bool { return r.IsFollowed() && r.FollowsViewer }

// ProfileChange is what a person changes of their profile (USR-06). A nil field stays as it is.
type ProfileChange struct {
	Firstname, Lastname *string // the latter may be empty
	Timezone            *string
	Location, Expertise *string // empty: none
	Bio                 *string // empty: none
}

// IsHideable reports whether the change is of what is hidden with the profile.
func (c ProfileChange) IsHideable() bool { return c != ProfileChange{Timezone: c.Timezone} }

// Check returns the change in the stored form, or all faults of its fields.
func (c ProfileChange) Check() (ProfileChange, error) { return c.check(NameLimit.RequiredLine) }

func (c ProfileChange) check(firstnameProblem func(*string) string) (ProfileChange, error) {
	var wrong fault.Fields
	for _, f := range []struct {
		name    string
		value   **string
		problem func(*string) string
	}{
		{"firstname", &c.Firstname, firstnameProblem},
		{"lastname", &c.Lastname, NameLimit.Line},
		{"location", &c.Location, NameLimit.Line},
		{"expertise", &c.Expertise, NameLimit.Line},
		{"timezone", &c.Timezone, timezoneProblem},
		{"bio", &c.Bio, BioLimit.Lines},
	} {
		if *f.value != nil {
			*f.value = new(**f.value)
			wrong.Add(f.name, f.problem(*f.value))
		}
	}
	return c, wrong.Err()
}

// Apply returns the member after the change. The bio is no part of it.
func (c ProfileChange) Apply(m Member) Member {
	for field, value := range map[*string]*string{
		&m.Firstname: c.Firstname, &m.Lastname: c.Lastname, &m.Timezone: c.Timezone, &m.Location: c.Location, &m.Expertise: c.Expertise,
	} {
		if value != nil {
			*field = *value
		}
	}
	return m
}

// timezoneProblem trims the name of a time zone. It returns the sentence about one that does not exist, or an empty text.
func timezoneProblem(name *string) string {
	*name = text.Trim(*name)
	if _, err := zone(*name); err != nil {
		return fmt.Sprintf("Unknown time zone %q.", *name)
	}
	return ""
}
