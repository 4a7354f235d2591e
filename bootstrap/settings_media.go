package bootstrap

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"plaza/domain/secret"
)

// MediaSettings say where pictures are stored, as written.
type MediaSettings struct {
	MediaURL    string        `env:"PLAZA_MEDIA_URL" help:"Where pictures are stored: file:DIR, or s3://HOST/BUCKET/PREFIX?region=NAME&public=URL&tls=off (default: in the data directory)." placeholder:"URL"`
	MediaKeyID  string        `env:"PLAZA_MEDIA_KEY_ID" help:"Id of the access key for the s3 store." placeholder:"ID"`
	MediaSecret secret.String `env:"PLAZA_MEDIA_SECRET" help:"Secret of the access key." placeholder:"KEY"`
}

// MediaConfig says where pictures are stored.
type MediaConfig struct {
	Dir string   // empty: media in the data directory
	S3  S3Config // used if it has an endpoint
}

// S3Config names a bucket and its access key.
type S3Config struct {
	Endpoint, Region, Bucket, Prefix string
	PublicURL                        string // base URL of public pictures; empty: this server
	KeyID                            string
	Secret                           secret.String
}

// check returns the configuration and notes all problems.
func (s MediaSettings) check(problems *noted) MediaConfig {
	dir, isDir := strings.CutPrefix(s.MediaURL, "file:")
	switch {
	case s.MediaURL == "":
		return MediaConfig{}
	case isDir:
		problems.note("MEDIA_URL", checkDir(dir))
		return MediaConfig{Dir: dir}
	case !strings.HasPrefix(s.MediaURL, "s3://"):
		problems.note("MEDIA_URL", errors.New("must be file:DIR or s3://…"))
		return MediaConfig{}
	}
	c, err := readS3(s.MediaURL)
	problems.note("MEDIA_URL", err)
	c.KeyID, c.Secret = s.MediaKeyID, s.MediaSecret
	missing := errors.New("an s3 store needs one")
	if c.KeyID == "" {
		problems.note("MEDIA_KEY_ID", missing)
	}
	if c.Secret.IsZero() {
		problems.note("MEDIA_SECRET", missing)
	}
	return MediaConfig{S3: c}
}

// readS3 parses the URL of an S3 store. Errors never quote it: it may have a secret.
func readS3(value string) (S3Config, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return S3Config{}, errors.New("is not a valid URL after s3://")
	}
	if u.User != nil {
		return S3Config{}, errors.New("the access key belongs into PLAZA_MEDIA_KEY_ID and PLAZA_MEDIA_SECRET")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return S3Config{}, errors.New("has a malformed query")
	}
	for name := range query {
		if err := oneOf(name, "region", "public", "tls"); err != nil {
			return S3Config{}, err
		}
	}
	scheme := "https"
	switch query.Get("tls") {
	case "", "on":
	case "off":
		scheme = "http"
	default:
		return S3Config{}, errors.New("tls must be on or off")
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if bucket == "" {
		return S3Config{}, errors.New("names no bucket: s3://HOST/BUCKET")
	}
	return S3Config{
		Endpoint: scheme + "://" + u.Host, Region: cmp.Or(query.Get("region"), "us-east-1"), Bucket: bucket, Prefix: prefix,
		PublicURL: query.Get("public"),
	}, nil
}
