package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"plaza/adapters/bunstore"
	"plaza/adapters/mediastore/disk"
	"plaza/adapters/mediastore/s3"
	"plaza/application/cleanup"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// mediaMark is the name of the mark that the pictures of a database have.
const mediaMark = "media mark"

// pairPictures returns nil if the pictures are those of the database, or else media.ErrForeign. The first call marks both.
func pairPictures(ctx context.Context, c settings.Config, s *bunstore.Store, pictures media.Store) error {
	keep := func(ctx context.Context, mark string) (string, error) { return s.Kept(ctx, mediaMark, mark) }
	err := media.Pair(audit.Without(ctx), pictures, keep) // the first call marks them, also of a caller that only reads
	if errors.Is(err, media.ErrForeign) {
		return fmt.Errorf("%w. The pictures are in %s, the database is %s (PLAZA_DATABASE_URL). "+
			"Set those that belong together, or give these pictures to this database: plaza media adopt", err, c.DisplayMedia(), c.DisplayDatabase())
	}
	return explainMedia(c, err)
}

// explainMedia names the settings of the store of pictures that returned the error.
func explainMedia(c settings.Config, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pictures in %s: %w", c.DisplayMedia(), err)
}

// PairPictures returns nil if the pictures are those of the database, or else media.ErrForeign.
func (a *App) PairPictures(ctx context.Context) error {
	return pairPictures(ctx, a.Config, a.Database(), a.Stores.Media)
}

// picturesRetry is how long a server waits until it tries again whether it may store pictures.
const picturesRetry = 10 * time.Second

// tryPictures compares the pictures with the database, and stores and removes one in a bucket. It returns an error if the server
// must not run. A store that is away, or takes no pictures, is noted for /readyz: pictures that are there are shown all the same.
func (a *App) tryPictures(ctx context.Context) error {
	err := a.PairPictures(ctx)
	if err != nil && !fault.Is(err, fault.Unavailable) {
		return err
	}
	if _, isFolder := a.Stores.Media.(*disk.Store); err == nil && !isFolder {
		var key media.Key
		if key, err = (media.Upload{Type: "image/png"}).Put(ctx, a.Stores.Media, media.Viewers); err == nil {
			err = a.Stores.Media.Remove(ctx, key)
		}
		err = explainMedia(a.Config, err)
	}
	a.untried.Store(&err)
	return nil
}

// retryPictures tries again until pictures can be stored, or the server must not run.
func (a *App) retryPictures(ctx context.Context) error {
	for a.mayStorePictures(ctx) != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(picturesRetry):
		}
		if err := a.tryPictures(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// mayStorePictures returns why no pictures can be stored. A bucket is not asked again once it has taken one: while it is away
// on all servers, they serve what needs no pictures.
func (a *App) mayStorePictures(ctx context.Context) error {
	if problem := a.untried.Load(); problem != nil && *problem != nil {
		return *problem
	}
	if folder, is := a.Stores.Media.(*disk.Store); is {
		return folder.Check()
	}
	return nil
}

// checkTemporary returns an error that names TMPDIR if no temporary file can be made.
func checkTemporary() error {
	file, err := os.CreateTemp("", "plaza-check-")
	if err == nil {
		err = errors.Join(file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		return fmt.Errorf("TMPDIR, where bodies of requests are kept, can't be written: %w", err)
	}
	return nil
}

// WithPictures calls work for the pictures of the settings if they are those of the database.
func WithPictures(ctx context.Context, c settings.Config, s *bunstore.Store, work func(*cleanup.Cleanup) error) error {
	return withMedia(ctx, c, s, func(pictures media.Store) error {
		if err := pairPictures(ctx, c, s, pictures); err != nil {
			return err
		}
		return work(cleanup.New(s.Deletions, pictures, time.Now))
	})
}

// AdoptPictures gives the pictures of the settings to the database. Another database that they belonged to refuses them then.
func AdoptPictures(ctx context.Context, c settings.Config, s *bunstore.Store) error {
	return withMedia(ctx, c, s, func(pictures media.Store) error {
		return explainMedia(c, media.Adopt(ctx, pictures, func(ctx context.Context, mark string) error { return s.Keep(ctx, mediaMark, mark) }))
	})
}

func withMedia(ctx context.Context, c settings.Config, s *bunstore.Store, work func(media.Store) error) error {
	pictures, _, err := picturesOf(ctx, c, s, nil)
	if err != nil {
		return err
	}
	return errors.Join(work(pictures), closeMedia(pictures))
}

// openMedia opens the configured store of pictures, whose URLs are signed with the key.
func openMedia(c settings.Config, t *traces, signing secret.String) (media.Store, error) {
	addresses := media.NewAddresses(c.PublicURL, signing)
	if c.MediaURL.Endpoint == "" {
		s, err := disk.New(c.MediaDir(), addresses)
		if err != nil {
			return nil, explainMedia(c, err)
		}
		return s, nil
	}
	at := c.MediaURL
	s, err := s3.New(s3.Config{
		Endpoint: at.Endpoint, Region: at.Region, Bucket: at.Bucket, Prefix: at.Prefix, PublicURL: at.PublicURL,
		KeyID: c.MediaKeyID, Secret: c.MediaSecret, Addresses: addresses, Wrap: t.spans("s3", false),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_MEDIA_…:\n%w", settings.ErrInvalid, err)
	}
	return s, nil
}

// closeMedia closes a store of pictures that holds something open.
func closeMedia(s media.Store) error {
	if closer, is := s.(io.Closer); is {
		return closer.Close()
	}
	return nil
}

// showable returns the URL prefixes of the pictures that members' HTML may show: the public
// pictures of this server and of its store.
func showable(c settings.Config) []string {
	all := []string{c.PublicURL + "/media/public/"}
	if public := c.MediaURL.PublicURL; public != "" {
		all = append(all, strings.TrimRight(public, "/")+"/public/")
	}
	return all
}
