package diary

import (
	"context"
	"errors"
	"slices"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/media"
)

// MayAttach is nil when the actor may attach plates to the event. Who may only see
// it is Denied; for anyone else it is a fault on event (PLA-01).
func (d *Diary) MayAttach(ctx context.Context, actor access.Actor, on event.ID) error {
	_, err := d.writable(ctx, actor, on)
	return noEvent(err)
}

// Attach adds the picture to the actor's event and returns the plate. Bytes that
// are no accepted picture, or one plate too many, are a fault on photo. When the
// plate can't be stored, no file stays.
func (d *Diary) Attach(ctx context.Context, actor access.Actor, on event.ID, raw media.Raw) (event.Plate, error) {
	if err := d.MayAttach(ctx, actor, on); err != nil {
		return event.Plate{}, err
	}
	developed, err := d.studio.Process(ctx, "photo", raw)
	if err != nil {
		return event.Plate{}, err
	}
	key, err := d.pictures.Put(ctx, developed.Upload, media.Viewers)
	if err != nil {
		return event.Plate{}, err
	}
	stored, err := d.events.Change(ctx, on, func(e *event.Event) error { return e.AddPlate(key, d.now()) })
	if err != nil {
		return event.Plate{}, errors.Join(noEvent(err), d.pictures.Remove(context.WithoutCancel(ctx), key))
	}
	plates := stored.State().Plates
	return plates[slices.IndexFunc(plates, func(p event.Plate) bool { return p.Photo == key })], nil
}

// Detach takes the plate off the actor's event; its file goes after that is
// stored. For who may not see the event there is no such plate.
func (d *Diary) Detach(ctx context.Context, actor access.Actor, id event.PlateID) error {
	on, err := d.reader.OfPlate(ctx, id)
	if err != nil {
		return err
	}
	if _, err := d.writable(ctx, actor, on); err != nil {
		return noPlate(err)
	}
	var removed event.Plate
	if _, err := d.events.Change(ctx, on, func(e *event.Event) error {
		removed, err = e.RemovePlate(id, d.now())
		return err
	}); err != nil {
		return noPlate(err)
	}
	d.removePhotos(ctx, removed)
	return nil
}

func noPlate(err error) error {
	if errors.Is(err, event.ErrNotFound) {
		return event.ErrNoPlate
	}
	return err
}

// removePhotos deletes the files of plates that are no longer there, also when the caller
// does not wait for it. What fails is tried again, by whoever empties the bin.
func (d *Diary) removePhotos(ctx context.Context, plates ...event.Plate) {
	keys := make([]media.Key, len(plates))
	for i, p := range plates {
		keys[i] = p.Photo
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), d.pictures, d.bin, keys)
}

// PhotoURL is the address of the plate's picture, for those who may see the event
// now: it expires (PLA-04).
func (d *Diary) PhotoURL(p event.Plate) string {
	return d.pictures.URL(p.Photo, media.Viewers, d.now())
}
