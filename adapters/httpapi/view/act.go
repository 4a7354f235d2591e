package view

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/audit"
)

// Act is an act of staff (OFF-01).
type Act struct {
	ID       audit.ID            `json:"id"`
	At       transport.Timestamp `json:"at"`
	By       any                 `json:"by"` // a uid, or the name of a person at the command line
	Act      audit.Act           `json:"act"`
	Object   audit.Kind          `json:"object"`
	ObjectID *string             `json:"object_id"`
	Reason   string              `json:"reason"`
}

func OfAct(r audit.Record) Act {
	return Act{r.ID, transport.Timestamp(r.At), ofActor(r.By), r.Act, r.Object.Kind, OrNull(r.Object.ID), r.Reason}
}

// ofActor returns the uid of staff, or the name of a person at the command line.
func ofActor(by audit.Actor) any {
	if by.Staff != 0 {
		return by.Staff
	}
	return by.Person
}
