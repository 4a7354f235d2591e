package bootstrap

import (
	"fmt"
	"io"
	"strings"

	"plaza/adapters/mediastore/disk"
	"plaza/adapters/mediastore/s3"
	"plaza/bootstrap/settings"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// openMedia opens the configured store of pictures. It signs URLs with the key.
func openMedia(c settings.Config, t *traces, signing secret.String) (media.Store, error) {
	if c.MediaURL.Endpoint == "" {
		s, err := disk.New(c.MediaDir(), c.PublicURL, []byte(signing.Reveal()))
		if err != nil {
			return nil, explainMedia(c, err)
		}
		return s, nil
	}
	at := c.MediaURL
	s, err := s3.New(s3.Config{
		Endpoint: at.Endpoint, Region: at.Region, Bucket: at.Bucket, Prefix: at.Prefix, PublicURL: at.PublicURL,
		KeyID: c.MediaKeyID, Secret: c.MediaSecret, Addresses: media.NewAddresses(c.PublicURL, signing), Wrap: t.spans("s3", false),
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
