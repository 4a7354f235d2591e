package user

import (
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// ProfileChange is what a person changes of their profile (USR-06). A nil field stays as it is.
type ProfileChange struct {
	Firstname, Lastname *string // at least one visible character
	Timezone            *string
	Location, Expertise *string // empty: none
}

// Check returns the change in the stored form, or all faults of its fields.
func (c ProfileChange) Check() (ProfileChange, error) {
	var wrong fault.Fields
	for _, f := range []struct {
		name    string
		value   **string
		problem func(string) string
	}{
		{"firstname", &c.Firstname, nameProblem},
		{"lastname", &c.Lastname, nameProblem},
		{"location", &c.Location, lineProblem},
		{"expertise", &c.Expertise, lineProblem},
		{"timezone", &c.Timezone, timezoneProblem},
	} {
		if *f.value != nil {
			*f.value = new(text.Trim(**f.value))
			wrong.Add(f.name, f.problem(**f.value))
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

// nameProblem returns the sentence about a name that a person may not give themselves, or an empty text.
func nameProblem(name string) string {
	if p := NameLimit.RequiredProblem(name); p != "" {
		return p
	}
	return lineProblem(name)
}

// lineProblem returns the sentence about a text of one line that is invalid, or an empty text.
func lineProblem(line string) string {
	switch p := NameLimit.Problem(line); {
	case p != "":
		return p
	case line != "" && text.IsBlank(line):
		return text.Blank
	case text.HasControl(line):
		return "Control characters are not allowed."
	}
	return ""
}

func timezoneProblem(name string) string {
	if _, err := zone(name); err != nil || name == "" {
		return fmt.Sprintf("Unknown time zone %q.", name)
	}
	return ""
}
