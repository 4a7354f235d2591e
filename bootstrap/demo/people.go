package demo

import (
	"io/fs"

	"plaza/domain/imported"
)

// handle identifies a person in the tables. It is the id in people.jsonl.
type handle string

// staff may use the back office.
const staff handle = "Nora"

// password is the password of every demo account.
const password = "plaza-demo"

// people returns the records of people.jsonl, in the order of joining, which is the order of
// their uids. Their phone numbers are reserved for fiction or can't be assigned.
func people(files fs.FS) (all []imported.UserRecord, err error) {
	err = eachRecord(files, peopleFile, func(_ string, record imported.UserRecord) error {
		all = append(all, record)
		return nil
	})
	return all, err
}

// Login is a person as whom visitors of the demo log in.
type Login struct{ Name, Note, Username, Password string }

// Logins returns the people who show most of the interface.
func Logins() ([]Login, error) {
	all, err := people(embedded)
	if err != nil {
		return nil, err
	}
	byID := map[handle]imported.UserRecord{}
	for _, record := range all {
		byID[handle(record.Source)] = record
	}
	type row struct {
		Person handle `json:"person"`
		Note   string `json:"note"`
	}
	var logins []Login
	err = eachRow(embedded, "logins", func(_ string, r row) error {
		record, err := find(byID, "person", r.Person)
		logins = append(logins, Login{record.FullName(), r.Note, record.Phone.String(), password})
		return err
	})
	return logins, err
}
