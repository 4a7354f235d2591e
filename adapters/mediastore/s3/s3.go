// Package s3 keeps pictures in a store that speaks the protocol of S3, one object each.
//
// An object has its key as its name, below the prefix. Pictures for Viewers are fetched
// from the store itself, by addresses that Plaza signs; those for Everyone from Plaza, or
// from a public place that the configuration names. No part of the access key, and nothing
// that the store says in its own words, ever appears in an error.
package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/secret"
)

const (
	// tries is how often a request is sent that failed only because of the moment. Every
	// request here can be sent again: it has the same effect.
	tries = 3
	// parting is how long a picture is tried to be removed that may have been stored.
	parting = 2 * time.Second
)

// caching is what caches may do with a picture for Everyone, who may have it for ever.
const caching = "public, max-age=31536000, immutable"

// Store implements media.Store. Any number of goroutines may use it.
type Store struct {
	media.Addresses
	client   minio.Core
	bucket   string
	prefix   string
	region   string
	keyID    string
	secret   secret.String
	base     *url.URL // of all objects
	public   string   // of pictures for Everyone; empty: Plaza's
	deadline time.Duration
}

var _ media.Store = (*Store)(nil)

// New returns the store, or all that is wrong with the configuration. Nothing is asked of
// the store yet.
func New(c Config) (*Store, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	endpoint, _ := address(c.Endpoint)
	var transport http.RoundTripper = newTransport()
	if c.Transport != nil {
		transport = c.Transport
	}
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds:     credentials.NewStaticV4(c.KeyID, c.Secret.Reveal(), ""),
		Secure:    endpoint.Scheme == "https",
		Region:    c.Region,
		Transport: strict{transport}, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: the Endpoint is not taken: %w", err)
	}
	s := &Store{
		Addresses: c.Addresses, client: *client, bucket: c.Bucket, region: c.Region, keyID: c.KeyID, secret: c.Secret,
		public: strings.TrimRight(c.PublicURL, "/"), deadline: defaultDeadline,
	}
	if prefix := strings.Trim(c.Prefix, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	if c.Deadline > 0 {
		s.deadline = c.Deadline
	}
	if s.base, err = base(client, c.Bucket); err != nil {
		return nil, fmt.Errorf("s3: the Bucket has no address: %w", err)
	}
	return s, nil
}

func (s *Store) object(key media.Key) string { return s.prefix + string(key) }

// Put implements media.Store.
func (s *Store) Put(ctx context.Context, u media.Upload, a media.Audience) (media.Key, error) {
	key, err := media.NewKey(a, u.Type)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	err = s.put(bounded, key, u, a)
	if err == nil {
		return key, nil
	}
	if !isRefused(err) {
		s.abandon(ctx, key)
	}
	return "", fmt.Errorf("storing a picture: %w", explain(ctx, err))
}

// put sends the picture, and again when the failure may pass. minio-go is kept from doing so
// itself, only it pauses afterwards: it would rewind a reader from which the try before may
// still be sending.
func (s *Store) put(ctx context.Context, key media.Key, u media.Upload, a media.Audience) error {
	options := minio.PutObjectOptions{
		ContentType: u.Type,
		// The checksum goes as a whole into the signature, instead of piece by piece into
		// the body, which not every store can read.
		DisableContentSha256: true,
	}
	if a == media.Everyone {
		options.CacheControl = caching
	}
	sum := sha256.Sum256(u.Bytes)
	var err error
	for range tries {
		content := struct{ io.Reader }{bytes.NewReader(u.Bytes)} // that can't be rewound
		_, err = s.client.PutObject(ctx, s.bucket, s.object(key), content, int64(len(u.Bytes)), "", hex.EncodeToString(sum[:]), options)
		if err == nil || !errors.Is(explain(ctx, err), ErrAway) {
			break
		}
	}
	return err
}

// abandon tries to remove a picture of which nobody knows whether it was stored. When that
// fails as well, the picture has no record, and All finds it.
func (s *Store) abandon(ctx context.Context, key media.Key) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(parting, s.deadline))
	defer cancel()
	_ = s.Remove(bounded, key)
}

// Open implements media.Store.
func (s *Store) Open(ctx context.Context, key media.Key) (media.File, error) {
	if err := ctx.Err(); err != nil {
		return media.File{}, err
	}
	kind, ok := key.Type()
	if !ok {
		return media.File{}, media.ErrNotFound
	}
	info, err := s.look(ctx, key)
	if isMissing(err) {
		return media.File{}, media.ErrNotFound
	}
	if err == nil && info.Size < 0 {
		err = errNoSize
	}
	if err != nil {
		return media.File{}, fmt.Errorf("opening a picture: %w", explain(ctx, err))
	}
	f := &file{ctx: ctx, store: s, object: s.object(key), size: info.Size}
	return media.File{ReadSeekCloser: f, Type: kind, Modified: instant.Normalise(info.LastModified)}, nil
}

// look asks what the store knows of the picture.
func (s *Store) look(ctx context.Context, key media.Key) (minio.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	info, err := s.client.StatObject(ctx, s.bucket, s.object(key), minio.StatObjectOptions{})
	if !isMissing(err) {
		return info, err
	}
	// The answer to HEAD is the same when the whole bucket is missing. That to GET says
	// which of them is.
	body, info, _, err := s.client.GetObject(ctx, s.bucket, s.object(key), minio.GetObjectOptions{})
	if err == nil {
		_ = body.Close()
	}
	return info, err
}

// Remove implements media.Store.
func (s *Store) Remove(ctx context.Context, key media.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := key.Type(); !ok {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	err := s.client.RemoveObject(bounded, s.bucket, s.object(key), minio.RemoveObjectOptions{})
	if err == nil || isMissing(err) {
		return nil
	}
	return fmt.Errorf("removing a picture: %w", explain(ctx, err))
}
