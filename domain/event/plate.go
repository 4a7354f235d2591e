package event

import (
	"fmt"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
)

// PlateID numbers plates.
type PlateID int64

// Plate is a picture attached to an event by its author.
type Plate struct {
	ID      PlateID // zero until a store has given it one
	Photo   media.Key
	Created time.Time
}

// ErrNoPlate is the fault of a plate that is not there.
var ErrNoPlate = fault.New(fault.NotFound, "There is no such plate.")

// AddPlate attaches the picture; one more than MaxPlates is a fault on photo.
func (e *Event) AddPlate(photo media.Key, now time.Time) error {
	if len(e.s.Plates) >= MaxPlates {
		return fault.Field("photo", fmt.Sprintf("An event has at most %d plates.", MaxPlates))
	}
	e.s.Plates = append(e.s.Plates, Plate{Photo: photo, Created: instant.Normalise(now)})
	e.s.Modified = later(e.s.Modified, now)
	return nil
}

// RemovePlate takes the plate off the event and returns it. The last thing that
// a published event shows stays.
func (e *Event) RemovePlate(id PlateID, now time.Time) (Plate, error) {
	at := slices.IndexFunc(e.s.Plates, func(p Plate) bool { return p.ID == id })
	if at < 0 {
		return Plate{}, ErrNoPlate
	}
	next := Event{s: e.State()}
	next.s.Plates = slices.Delete(next.s.Plates, at, at+1)
	if next.s.Status == Normal && next.IsBlank() {
		return Plate{}, ErrLastPlate
	}
	removed := e.s.Plates[at]
	next.s.Modified = later(e.s.Modified, now)
	*e = next
	return removed, nil
}
