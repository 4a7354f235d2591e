package diary

import (
	"context"
	"errors"
	"slices"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/media"
)

// Attach adds the picture to the actor's event and returns the plate. It returns Denied if
// the actor may only see the event, and a fault on event if the actor may not see it
// (PLA-01). Bytes that are not an accepted picture, and one plate too many, are faults on
// photo. If the actor's quota of bytes is used up, nothing is decoded (GEN-14). If the plate
// can't be stored, its files are removed.
func (d *Diary) Attach(
	ctx context.Context, actor access.Actor, on event.ID, raw media.Raw, k *idempotency.Key, readErr error,
) (event.Plate, error) {
	if readErr != nil {
		_, err := d.writable(ctx, actor, on)
		return event.Plate{}, fault.Merge(readErr, noEvent(err))
	}
	return idempotency.Once(ctx, d.ports.Keys, k, d.now(), idempotency.Lease,
		func(a idempotency.Answer) (event.Plate, error) { return d.plate(ctx, actor, event.PlateID(a.ID)) },
		func() (event.Plate, error) { return d.attach(ctx, actor, on, raw, k) })
}

func (d *Diary) attach(ctx context.Context, actor access.Actor, on event.ID, raw media.Raw, k *idempotency.Key) (event.Plate, error) {
	if _, err := d.writable(ctx, actor, on); err != nil {
		return event.Plate{}, noEvent(err)
	}
	charges := d.limits.Upload(int64(actor.ID), raw.Size(), d.now())
	if err := d.ports.Room.CheckPictures(ctx, actor.ID, charges...); err != nil {
		return event.Plate{}, err
	}
	processed, err := d.ports.Processor.Process(ctx, actor.QueueKey(), raw, media.PictureSizes...)
	if err != nil {
		return event.Plate{}, fault.OnField("photo", err)
	}
	key, err := processed.StoreDerived(ctx, d.ports.Pictures, media.Viewers)
	if err != nil {
		return event.Plate{}, err
	}
	stored, err := d.ports.Events.Change(ctx, on, func(e *event.Event) error {
		e.CompleteKey(k)
		return e.AddPlate(event.Plate{
			Photo: key, Width: processed.Width, Height: processed.Height, Bytes: processed.Size(),
		}, d.now())
	}, charges...)
	if err != nil {
		return event.Plate{}, media.Abandon(ctx, d.ports.Pictures, noEvent(err), key)
	}
	plates := stored.State().Plates
	return plates[slices.IndexFunc(plates, func(p event.Plate) bool { return p.Photo == key })], nil
}

// Detach removes the plate from the actor's event, then its files. If the actor may not see
// the event, the plate is NotFound.
func (d *Diary) Detach(ctx context.Context, actor access.Actor, id event.PlateID) error {
	on, err := d.plated(ctx, actor, id)
	if err != nil {
		return err
	}
	var removed event.Plate
	if _, err := d.ports.Events.Change(ctx, on.ID(), func(e *event.Event) error {
		removed, err = e.RemovePlate(id, d.now())
		return err
	}); err != nil {
		return noPlate(err)
	}
	d.removePhotos(ctx, removed)
	return nil
}

func (d *Diary) plated(ctx context.Context, actor access.Actor, id event.PlateID) (event.Entry, error) {
	on, err := d.ports.Reader.OfPlate(ctx, id)
	if err != nil {
		return event.Entry{}, err
	}
	entry, err := d.writable(ctx, actor, on)
	return entry, noPlate(err)
}

func (d *Diary) plate(ctx context.Context, actor access.Actor, id event.PlateID) (event.Plate, error) {
	on, err := d.plated(ctx, actor, id)
	if err != nil {
		return event.Plate{}, err
	}
	plates := on.State().ShownPlates()
	if i := slices.IndexFunc(plates, func(p event.Plate) bool { return p.ID == id }); i >= 0 {
		return plates[i], nil
	}
	return event.Plate{}, event.ErrNoPlate // it was removed meanwhile
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

// Photo returns the plate's picture with its sizes, for users who may see the event. Its addresses
// expire (PLA-04).
func (d *Diary) Photo(p event.Plate) media.Picture {
	return media.PictureAt(d.ports.Addresses.URL(p.Photo, media.Viewers, d.now()), p.Width, p.Height)
}
