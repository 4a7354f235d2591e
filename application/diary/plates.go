package diary

import (
	"context"
	"errors"
	"slices"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// Attach adds the picture to the actor's event and returns the plate. It returns Denied if
// the actor may only see the event, and a fault on event if the actor may not see it
// (PLA-01). Bytes that are not an accepted picture, and one plate too many, are faults on
// photo. If the actor's quota of bytes is used up, nothing is decoded (GEN-14). If the plate
// can't be stored, its file is removed.
func (d *Diary) Attach(ctx context.Context, actor access.Actor, on event.ID, raw media.Raw, readErr error) (event.Plate, error) {
	_, err := d.writable(ctx, actor, on)
	if err := fault.Merge(readErr, noEvent(err)); err != nil {
		return event.Plate{}, err
	}
	if err := d.ports.Room.CheckPictures(ctx, actor.ID); err != nil {
		return event.Plate{}, err
	}
	processed, err := d.ports.Processor.Process(ctx, actor.QueueKey(), raw)
	if err != nil {
		return event.Plate{}, fault.OnField("photo", err)
	}
	key, err := d.ports.Pictures.Put(ctx, processed.Upload, media.Viewers)
	if err != nil {
		return event.Plate{}, err
	}
	stored, err := d.ports.Events.Change(ctx, on, func(e *event.Event) error { return e.AddPlate(key, processed.Size(), d.now()) },
		d.limits.Upload(int64(actor.ID), raw.Size(), d.now())...)
	if err != nil {
		return event.Plate{}, errors.Join(noEvent(err), d.ports.Pictures.Remove(context.WithoutCancel(ctx), key))
	}
	plates := stored.State().Plates
	return plates[slices.IndexFunc(plates, func(p event.Plate) bool { return p.Photo == key })], nil
}

// Detach removes the plate from the actor's event, then its file. If the actor may not see
// the event, the plate is NotFound.
func (d *Diary) Detach(ctx context.Context, actor access.Actor, id event.PlateID) error {
	on, err := d.ports.Reader.OfPlate(ctx, id)
	if err != nil {
		return err
	}
	if _, err := d.writable(ctx, actor, on); err != nil {
		return noPlate(err)
	}
	var removed event.Plate
	if _, err := d.ports.Events.Change(ctx, on, func(e *event.Event) error {
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
	_ = media.RemoveFiles(context.WithoutCancel(ctx), d.ports.Pictures, d.ports.Deletions, keys)
}

// PhotoURL returns the URL of the plate's picture, for users who may see the event. The URL
// expires (PLA-04).
func (d *Diary) PhotoURL(p event.Plate) string {
	return d.ports.Pictures.URL(p.Photo, media.Viewers, d.now())
}
