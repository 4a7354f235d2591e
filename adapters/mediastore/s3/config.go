package s3

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"plaza/domain/media"
	"plaza/domain/secret"
)

// Config says which store to use, and as whom. Nothing is taken from the environment.
type Config struct {
	// Endpoint is the address of the store, https://host[:port]. With http:// pictures and
	// signatures can be read on the way: only for a network that is trusted. Clients fetch
	// what is for Viewers there themselves.
	Endpoint string
	Region   string
	// Bucket must be there already, and nobody else should be able to list it.
	Bucket string
	// KeyID and Secret are the access key. It must allow s3:GetObject, s3:PutObject and
	// s3:DeleteObject below the prefix, and s3:ListBucket, without which what is missing
	// can't be told from what is forbidden.
	KeyID  string
	Secret secret.String
	// Prefix is put before every key, with a slash between: several servers can share a
	// bucket. Empty: nothing is.
	Prefix string
	// Addresses are where Plaza itself serves pictures.
	Addresses media.Addresses
	// PublicURL is where pictures for Everyone are found without Plaza, by their keys: a CDN,
	// or the folder of a bucket that all may read. Empty: Plaza serves them.
	PublicURL string
	// Deadline bounds each call, and each read of an opened picture; zero: 10 seconds.
	Deadline time.Duration
	// Transport carries the requests; nil: one that knows no proxies.
	Transport http.RoundTripper
}

const (
	defaultDeadline = 10 * time.Second
	patience        = 5 * time.Second // for a connection
)

var (
	regions  = regexp.MustCompile(`^[a-zA-Z0-9-]{1,64}$`)
	prefixes = regexp.MustCompile(`^(?:[a-zA-Z0-9_-][a-zA-Z0-9._-]*/?)*$`)
)

// problems are all that is wrong with the configuration. Values don't show: one may be a
// secret in the wrong place.
func (c Config) problems() error {
	var wrong []error
	check := func(right bool, problem string) {
		if !right {
			wrong = append(wrong, errors.New("s3: "+problem))
		}
	}
	endpoint, isEndpoint := address(c.Endpoint)
	check(isEndpoint && strings.Trim(endpoint.Path, "/") == "", "Endpoint must be https://host[:port] (http:// only where the network is trusted)")
	check(regions.MatchString(c.Region), "Region must be 1 to 64 letters, digits and hyphens")
	check(s3utils.CheckValidBucketNameStrict(c.Bucket) == nil, "Bucket must be the name of a bucket")
	check(isVisible(c.KeyID), "KeyID must be visible characters")
	check(isVisible(c.Secret.Reveal()), "Secret must be visible characters")
	check(len(c.Prefix) <= 256 && prefixes.MatchString(c.Prefix),
		"Prefix must be at most 256 letters, digits and ._- in folders that begin with no dot")
	_, isPublic := address(c.PublicURL)
	check(c.PublicURL == "" || isPublic, "PublicURL must be an http or https address without user, query and fragment")
	check(c.Deadline >= 0, "Deadline must not be negative")
	return errors.Join(wrong...)
}

func isVisible(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func address(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "?#") || !isVisible(s) {
		return nil, false
	}
	return u, u.Scheme == "https" || u.Scheme == "http"
}

// newTransport carries requests straight to the store: the environment has no say in this.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: patience, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    patience,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true, // a picture has the length that the store tells
		MaxResponseHeaderBytes: 64 << 10,
	}
}
