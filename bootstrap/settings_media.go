package bootstrap

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"plaza/domain/secret"
)

// MediaSettings say where pictures are kept, as they were written.
type MediaSettings struct {
	MediaURL    string        `env:"PLAZA_MEDIA_URL" help:"Where pictures are kept: file:DIR, or s3://HOST/BUCKET/PREFIX?region=NAME&public=URL&tls=off (default: in the data directory)." placeholder:"URL"`
	MediaKeyID  string        `env:"PLAZA_MEDIA_KEY_ID" help:"Who we are at an s3 store: the access key's id." placeholder:"ID"`
	MediaSecret secret.String `env:"PLAZA_MEDIA_SECRET" help:"The access key's secret." placeholder:"KEY"`
}

// MediaConfig says where pictures are kept.
type MediaConfig struct {
	Dir string   // empty: in the data directory, unless it is S3
	S3  S3Config // without an endpoint it is not
}

// S3Config names a bucket, and whom it lets in.
type S3Config struct {
	Endpoint, Region, Bucket, Prefix string
	PublicURL                        string // where everybody finds public pictures; empty: here
	KeyID                            string
	Secret                           secret.String
}

// check returns the configuration, and notes every problem.
func (s MediaSettings) check(problems *noted) MediaConfig {
	dir, isDir := strings.CutPrefix(s.MediaURL, "file:")
	switch {
	case s.MediaURL == "":
		return MediaConfig{}
	case isDir:
		problems.note("MEDIA_URL", checkDir(dir))
		return MediaConfig{Dir: dir}
	case !strings.HasPrefix(s.MediaURL, "s3://"):
		problems.note("MEDIA_URL", errors.New("it is neither file:DIR nor s3://…"))
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

// readS3 never quotes the address: somebody may have put a secret into it.
func readS3(value string) (S3Config, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return S3Config{}, errors.New("what follows s3:// is no address")
	}
	if u.User != nil {
		return S3Config{}, errors.New("the access key belongs into PLAZA_MEDIA_KEY_ID and PLAZA_MEDIA_SECRET")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return S3Config{}, errors.New("its query is malformed")
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
		return S3Config{}, errors.New("tls is on or off")
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if bucket == "" {
		return S3Config{}, errors.New("it names no bucket: s3://HOST/BUCKET")
	}
	return S3Config{
		Endpoint: scheme + "://" + u.Host, Region: cmp.Or(query.Get("region"), "us-east-1"), Bucket: bucket, Prefix: prefix,
		PublicURL: query.Get("public"),
	}, nil
}
