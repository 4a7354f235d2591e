package diary

import (
	"context"
	"errors"
	"slices"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/media"
)

// MayAttach returns nil if the actor may attach plates to the event, Denied if the actor may
// only see it, and otherwise a fault on event (PLA-01).
func (d *Diary) MayAttach(ctx context.Context, actor access.Actor, on event.ID) error {
	_, err := d.writable(ctx, actor, on)
	return noEvent(err)
}

// Attach adds the picture to the actor's event and returns the plate. Bytes that are not an
// accepted picture, and one plate too many, are faults on photo. If the plate can't be
// stored, its file is removed.
func (d *Diary) Attach(ctx context.Context, actor access.Actor, on event.ID, raw media.Raw) (event.Plate, error) {
	if err := d.MayAttach(ctx, actor, on); err != nil {
		return event.Plate{}, err
	}
	processed, err := d.processor.Process(ctx, "photo", raw)
	if err != nil {
		return event.Plate{}, err
	}
	key, err := d.pictures.Put(ctx, processed.Upload, media.Viewers)
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

// Detach removes the plate from the actor's event, then its file. If the actor may not see
// the event, the plate is NotFound.
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

// removePhotos removes the files of deleted plates, even if ctx is cancelled. The cleanup
// retries failures.
func (d *Diary) removePhotos(ctx context.Context, plates ...event.Plate) {
	keys := make([]media.Key, len(plates))
	for i, p := range plates {
		keys[i] = p.Photo
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), d.pictures, d.deletions, keys)
}

// PhotoURL returns the URL of the plate's picture, for users who may see the event. The URL
// expires (PLA-04).
func (d *Diary) PhotoURL(p event.Plate) string {
	return d.pictures.URL(p.Photo, media.Viewers, d.now())
}
