package s3

import (
	"errors"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"plaza/adapters/upstream"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// Config holds the settings of the store. The environment is never read.
type Config struct {
	// Endpoint is the store's URL, https://host[:port]. With http://, pictures and
	// signatures are readable on the network: only for a trusted one. Clients fetch pictures
	// for Viewers there themselves.
	Endpoint string
	Region   string
	// Bucket must exist. Other users should not be able to list it.
	Bucket string
	// KeyID and Secret are the access key. It must allow s3:GetObject, s3:PutObject and
	// s3:DeleteObject below the prefix, and s3:ListBucket; without that, the store answers
	// 403 for missing objects.
	KeyID  string
	Secret secret.String
	// Prefix precedes every key, with a slash between, so several servers can share a
	// bucket. It may be empty.
	Prefix string
	// Addresses are the URLs of pictures that Plaza serves.
	Addresses media.Addresses
	// PublicURL is where clients find pictures for Everyone by their keys without Plaza: a
	// CDN or a public folder of the bucket. If it is empty, Plaza serves them.
	PublicURL string
	// Deadline bounds each call and each Read of an opened picture; zero means 10 seconds.
	Deadline time.Duration
	// Wrap wraps the transport of the requests, which uses no proxy. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

const defaultDeadline = 10 * time.Second

var (
	regions  = regexp.MustCompile(`^[a-zA-Z0-9-]{1,64}$`)
	prefixes = regexp.MustCompile(`^(?:[a-zA-Z0-9_-][a-zA-Z0-9._-]*/?)*$`)
)

// problems returns all problems of the configuration. It never shows values: one may be a
// secret in the wrong field.
func (c Config) problems() error {
	var wrong []error
	check := func(right bool, problem string) {
		if !right {
			wrong = append(wrong, errors.New("s3: "+problem))
		}
	}
	endpoint, isEndpoint := text.ServiceURL(c.Endpoint)
	check(isEndpoint && strings.Trim(endpoint.Path, "/") == "", "Endpoint must be https://host[:port] (http:// only on a trusted network)")
	check(regions.MatchString(c.Region), "Region must be 1 to 64 letters, digits and hyphens")
	check(s3utils.CheckValidBucketNameStrict(c.Bucket) == nil, "Bucket must be a valid bucket name")
	check(c.KeyID != "" && text.IsVisible(c.KeyID), "KeyID must be visible characters")
	check(c.Secret.Reveal() != "" && text.IsVisible(c.Secret.Reveal()), "Secret must be visible characters")
	check(len(c.Prefix) <= 256 && prefixes.MatchString(c.Prefix),
		"Prefix must be at most 256 letters, digits and ._- in folders that do not begin with a dot")
	_, isPublic := text.ServiceURL(c.PublicURL)
	check(c.PublicURL == "" || isPublic, "PublicURL must be an http or https URL without user, query and fragment")
	check(c.Deadline >= 0, "Deadline must not be negative")
	return errors.Join(wrong...)
}

// connection returns what sends requests to the store.
func (c Config) connection() http.RoundTripper {
	const connectTimeout = 5 * time.Second
	return upstream.Connection{Deadline: c.Deadline, Wrap: c.Wrap}.HTTPClient(func(t *http.Transport) {
		t.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
		t.ForceAttemptHTTP2 = false // pictures are large, and would share the window of one connection
		t.DisableCompression = true // the length must match the one that the store declares
	}).Transport
}
