package event

import (
	"fmt"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
)

// PlateID numbers plates.
type PlateID int64

// Plate is a picture attached to an event by its author.
type Plate struct {
	ID      PlateID // zero until stored
	Photo   media.Key
	Width   int   // pixels
	Height  int   // pixels
	Bytes   int64 // that the picture takes, for the quota of its author; zero once stored
	Created time.Time
	Hidden  bool // by staff (MOD-06)
}

// ShownPlates returns the plates that are not hidden.
func (s State) ShownPlates() []Plate {
	return slices.DeleteFunc(slices.Clone(s.Plates), func(p Plate) bool { return p.Hidden })
}

// TurnPlate hides the plate from all, or shows it again. It moves. It returns moderation.ErrHidden or ErrNotHidden if nothing
// changes. A published event may be blank while a plate is hidden.
func (e *Event) TurnPlate(id PlateID, isHidden bool, moves media.Moves) (err error) {
	at := slices.IndexFunc(e.s.Plates, func(p Plate) bool { return p.ID == id })
	if at < 0 {
		return ErrNoPlate
	}
	p := &e.s.Plates[at]
	if p.Hidden, err = moderation.Turned(p.Hidden, isHidden); err == nil {
		p.Photo, err = moves.Of(p.Photo)
	}
	return err
}

// ErrNoPlate is the fault of a plate that does not exist.
var ErrNoPlate = fault.New(fault.NotFound, "Plate not found.")

// AddPlate attaches the new plate. More than MaxPlates plates are a fault on photo.
func (e *Event) AddPlate(p Plate, now time.Time) error {
	if len(e.s.Plates) >= MaxPlates {
		return fault.Field("photo", fmt.Sprintf("An event has at most %d plates.", MaxPlates))
	}
	p.Created = instant.Normalise(now)
	e.s.Plates = append(e.s.Plates, p)
	e.s.Modified = later(e.s.Modified, now)
	return nil
}

// RemovePlate removes the plate from the event and returns it. It returns ErrLastPlate
// if the event is published and would become blank.
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
