package settings

import (
	"cmp"
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// MediaURL says where pictures are stored: in a folder, or in a bucket of an S3 store.
type MediaURL struct {
	Dir                              string // empty, without an endpoint: media in the data directory
	Endpoint, Region, Bucket, Prefix string // of an S3 store
	PublicURL                        string // base URL of public pictures in the bucket; empty: this server
}

// UnmarshalText parses the URL. Errors never quote it: it may have a secret.
func (m *MediaURL) UnmarshalText(text []byte) (err error) {
	dir, isDir := strings.CutPrefix(string(text), "file:")
	switch {
	case isDir:
		m.Dir, err = dir, checkDir(dir)
	case strings.HasPrefix(string(text), "s3://"):
		*m, err = parseS3(string(text))
	default:
		err = errors.New("must be file:DIR or s3://…")
	}
	return err
}

func (m MediaURL) String() string {
	scheme, host, isBucket := strings.Cut(m.Endpoint, "://")
	if !isBucket {
		return "file:" + m.Dir
	}
	query := url.Values{"region": {m.Region}}
	if m.PublicURL != "" {
		query.Set("public", m.PublicURL)
	}
	if scheme == "http" {
		query.Set("tls", "off")
	}
	return (&url.URL{Scheme: "s3", Host: host, Path: path.Join("/", m.Bucket, m.Prefix), RawQuery: query.Encode()}).String()
}

// checkMedia notes a missing access key.
func (c Config) checkMedia(p Problems) {
	if c.MediaURL.Endpoint != "" {
		p.require("PLAZA_MEDIA_KEY_ID", c.MediaKeyID != "", "an s3 store")
		p.require("PLAZA_MEDIA_SECRET", !c.MediaSecret.IsZero(), "an s3 store")
	}
}

func parseS3(value string) (MediaURL, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return MediaURL{}, errors.New("is not a valid URL after s3://")
	}
	if u.User != nil {
		return MediaURL{}, errors.New("the access key belongs in PLAZA_MEDIA_KEY_ID and PLAZA_MEDIA_SECRET")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return MediaURL{}, errors.New("has a malformed query")
	}
	for name := range query {
		if err := OneOf(name, "region", "public", "tls"); err != nil {
			return MediaURL{}, err
		}
	}
	scheme := "https"
	switch query.Get("tls") {
	case "", "on":
	case "off":
		scheme = "http"
	default:
		return MediaURL{}, errors.New("tls must be on or off")
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if bucket == "" {
		return MediaURL{}, errors.New("names no bucket: s3://HOST/BUCKET")
	}
	return MediaURL{
		Endpoint: scheme + "://" + u.Host, Region: cmp.Or(query.Get("region"), "us-east-1"), Bucket: bucket, Prefix: prefix,
		PublicURL: query.Get("public"),
	}, nil
}

// MediaDir returns the folder of pictures. It applies only to the disk store.
func (c Config) MediaDir() string { return cmp.Or(c.MediaURL.Dir, filepath.Join(c.DataDir, "media")) }

// DisplayMedia returns where pictures are stored, and the settings that say so, for people.
func (c Config) DisplayMedia() string {
	switch {
	case c.MediaURL.Endpoint != "":
		return "the bucket " + c.MediaURL.String() + " (PLAZA_MEDIA_URL, PLAZA_MEDIA_KEY_ID, PLAZA_MEDIA_SECRET)"
	case c.MediaURL.Dir != "":
		return "the folder " + c.MediaURL.Dir + " (PLAZA_MEDIA_URL)"
	}
	return "the folder " + c.MediaDir() + " (PLAZA_DATA_DIR)"
}
