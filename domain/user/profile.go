package user

import (
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// ProfileChange is what a person changes of their profile (USR-06). A nil field stays as it is.
type ProfileChange struct {
	Firstname, Lastname *string // the latter may be empty
	Timezone            *string
	Location, Expertise *string // empty: none
}

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
	} {
		if *f.value != nil {
			*f.value = new(**f.value)
			wrong.Add(f.name, f.problem(*f.value))
		}
	}
	return c, wrong.Err()
}

// Apply returns the member after the change.
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
	if _, err := zone(*name); err != nil || *name == "" {
		return fmt.Sprintf("Unknown time zone %q.", *name)
	}
	return ""
}
