package demo

import (
	"bytes"
	"fmt"

	"plaza/adapters/jsonlines"
	"plaza/domain/feed"
	"plaza/domain/imported"
)

// handle identifies a person in the tables. It is the id in people.jsonl.
type handle string

const (
	yuan    handle = "Yu'an"
	qing    handle = "Gu Qing"
	ines    handle = "Inés"
	nora    handle = "Nora"
	camille handle = "Camille"
	nagi    handle = "Nagi"
	owen    handle = "Owen"
	seoyun  handle = "Seo-yun"
	vera    handle = "Vera"
	amal    handle = "Amal"
	beatriz handle = "Beatriz"
	meera   handle = "Meera"
	rex     handle = "Rex"
)

// staff may use the back office.
const staff = nora

// password is the password of every demo account.
const password = "plaza-demo"

// people returns the records of people.jsonl, in the order of joining, which is the order of
// their uids. Their phone numbers are reserved for fiction or can't be assigned.
func people() ([]imported.UserRecord, error) {
	file, err := embedded.ReadFile("records/" + peopleFile)
	if err != nil {
		return nil, err
	}
	var all []imported.UserRecord
	for line := range bytes.Lines(file) {
		draft, err := jsonlines.Decoder{}.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peopleFile, err)
		}
		record, err := draft.Record(nil) // users have no HTML
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peopleFile, err)
		}
		all = append(all, record.(imported.UserRecord))
	}
	return all, nil
}

// Login is a person as whom visitors of the demo log in.
type Login struct{ Name, Note, Username, Password string }

// Logins returns the people who show most of the interface.
func Logins() ([]Login, error) {
	all, err := people()
	if err != nil {
		return nil, err
	}
	byID := map[handle]imported.UserRecord{}
	for _, record := range all {
		byID[handle(record.Source)] = record
	}
	name := func(who handle) string { return byID[who].FullName() }
	var logins []Login
	for _, l := range []struct {
		who  handle
		note string
	}{
		{yuan, "has an open order"}, {qing, "a contact of " + name(yuan)},
		{ines, "follows " + name(yuan) + ", no contact"}, {staff, "works in the back office"},
	} {
		logins = append(logins, Login{name(l.who), l.note, byID[l.who].Phone.String(), password})
	}
	return logins, nil
}

// follow is a subscription with its time.
type follow struct {
	who        handle
	at         string // in the person's time zone
	people     []handle
	categories []feed.CategoryID
}

// follows makes yuan and qing, yuan and nagi, qing and seoyun, ines and camille, camille and
// owen, vera and amal contacts of each other. The other subscriptions to users are one-sided:
// ines and beatriz follow yuan.
var follows = []follow{
	{yuan, "2026-10-01 09:10", []handle{qing}, []feed.CategoryID{tea, mountains}},
	{qing, "2026-10-01 09:20", []handle{yuan}, []feed.CategoryID{buildings}},
	{ines, "2026-10-01 13:30", []handle{yuan}, []feed.CategoryID{clay}},
	{camille, "2026-10-02 09:00", []handle{ines}, []feed.CategoryID{kitchen}},
	{ines, "2026-10-02 11:45", []handle{camille}, nil},
	{nagi, "2026-10-03 07:30", []handle{yuan}, []feed.CategoryID{garden, books}},
	{yuan, "2026-10-03 08:00", []handle{nagi, owen}, []feed.CategoryID{clay}},
	{owen, "2026-10-03 08:20", []handle{camille}, []feed.CategoryID{music}},
	{camille, "2026-10-03 12:40", []handle{owen}, nil},
	{seoyun, "2026-10-03 21:00", []handle{qing, nagi}, []feed.CategoryID{books}},
	{qing, "2026-10-03 22:15", []handle{seoyun}, []feed.CategoryID{cycling}},
	{amal, "2026-10-03 19:00", []handle{vera, ines}, []feed.CategoryID{craft}},
	{vera, "2026-10-04 08:00", []handle{amal}, []feed.CategoryID{garden}},
	{beatriz, "2026-10-04 09:30", []handle{ines, owen}, []feed.CategoryID{water}},
	{meera, "2026-10-04 07:10", []handle{vera}, []feed.CategoryID{neighbours, tea}},
	{nora, "2026-10-05 09:00", nil, []feed.CategoryID{everyday}},
	{beatriz, "2026-11-20 08:30", []handle{yuan}, nil},
}

// blocks are who blocks whom. Neither follows the other.
var blocks = []struct {
	who  handle
	at   string // in the person's time zone
	whom handle
}{
	{meera, "2026-11-19 20:15", beatriz},
}
