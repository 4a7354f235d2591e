package bootstrap

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"plaza/adapters/mediastore/disk"
	"plaza/adapters/mediastore/s3"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// mediaStore is a media.Store with a function to close it.
type mediaStore struct {
	media.Store
	close func() error
}

// mediaDir returns the folder of pictures. It applies only to the disk store.
func (c Config) mediaDir() string { return cmp.Or(c.MediaURL.Dir, filepath.Join(c.DataDir, "media")) }

// openMedia opens the configured store of pictures. It signs URLs with the key.
func openMedia(c Config, signing secret.String) (mediaStore, error) {
	if c.MediaURL.Endpoint == "" {
		s, err := disk.New(c.mediaDir(), c.PublicURL, []byte(signing.Reveal()))
		if err != nil {
			return mediaStore{}, fmt.Errorf("open folder of pictures: %w", err)
		}
		return mediaStore{s, s.Close}, nil
	}
	at := c.MediaURL
	s, err := s3.New(s3.Config{
		Endpoint: at.Endpoint, Region: at.Region, Bucket: at.Bucket, Prefix: at.Prefix, PublicURL: at.PublicURL,
		KeyID: c.MediaKeyID, Secret: c.MediaSecret, Addresses: media.NewAddresses(c.PublicURL, signing),
	})
	if err != nil {
		return mediaStore{}, fmt.Errorf("%w: PLAZA_MEDIA_…:\n%w", errUsage, err)
	}
	return mediaStore{s, func() error { return nil }}, nil
}

// showable returns the URL prefixes of the pictures that members' HTML may show: the public
// pictures of this server and of its store.
func showable(c Config) []string {
	all := []string{c.PublicURL + "/media/public/"}
	if public := c.MediaURL.PublicURL; public != "" {
		all = append(all, strings.TrimRight(public, "/")+"/public/")
	}
	return all
}
