// Package s3 stores pictures in an S3-compatible store, one object each.
//
// An object is named by its key, below the prefix. Clients fetch pictures for Viewers from
// the store itself, by URLs that Plaza signs. They fetch pictures for Everyone from Plaza or
// from the configured public URL. Errors never contain any part of the access key or any
// text of the store.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/domain/text"
)

const (
	// tries is how often a request is sent that failed for a temporary reason. Every request
	// here is idempotent.
	tries = 3
	// abandonTimeout is how long removeUnfinished tries to remove a picture.
	abandonTimeout = 2 * time.Second
)

// caching lets caches keep pictures for Everyone for ever.
const caching = "public, max-age=31536000, immutable"

// Store implements media.Store. It is safe for concurrent use.
type Store struct {
	media.Addresses
	client   minio.Core
	bucket   string
	prefix   string
	region   string
	keyID    string
	secret   secret.String
	base     *url.URL // URL of all objects
	public   string   // URL of pictures for Everyone; empty: Plaza's
	deadline time.Duration
}

// New returns the store, or all problems of the configuration. It sends no request.
func New(c Config) (*Store, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	c.Deadline = cmp.Or(c.Deadline, defaultDeadline)
	endpoint, _ := text.ServiceURL(c.Endpoint)
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds:     credentials.NewStaticV4(c.KeyID, c.Secret.Reveal(), ""),
		Secure:    endpoint.Scheme == "https",
		Region:    c.Region,
		Transport: checkedTransport{c.connection()}, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: invalid Endpoint: %w", err)
	}
	s := &Store{
		Addresses: c.Addresses, client: *client, bucket: c.Bucket, region: c.Region, keyID: c.KeyID, secret: c.Secret,
		public: strings.TrimRight(c.PublicURL, "/"), deadline: c.Deadline,
	}
	if prefix := strings.Trim(c.Prefix, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	if s.base, err = base(client, c.Bucket); err != nil {
		return nil, fmt.Errorf("s3: invalid Bucket: %w", err)
	}
	return s, nil
}

func (s *Store) object(key media.Key) string { return s.prefix + string(key) }

func (s *Store) Put(ctx context.Context, key media.Key, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	kind, isKey := key.Type()
	if !isKey {
		return media.ErrNoKey
	}
	options := minio.PutObjectOptions{ContentType: kind}
	if strings.HasPrefix(string(key), string(media.KeyAt(media.Everyone, ""))) {
		options.CacheControl = caching
	}
	bounded, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	err := s.send(bounded, s.object(key), content, options)
	if err == nil {
		return nil
	}
	if !isRefused(err) {
		s.removeUnfinished(ctx, key)
	}
	return fmt.Errorf("storing a picture: %w", explain(ctx, err))
}

// send sends the object and repeats that after a temporary failure. minio-go must not retry
// by itself: it would rewind a reader that the failed try may still be sending.
func (s *Store) send(ctx context.Context, name string, content []byte, options minio.PutObjectOptions) error {
	// The signature covers the whole checksum. Some stores can't read a body that is
	// signed in chunks.
	options.DisableContentSha256 = true
	sum := sha256.Sum256(content)
	var err error
	for range tries {
		body := struct{ io.Reader }{bytes.NewReader(content)} // not rewindable
		_, err = s.client.PutObject(ctx, s.bucket, name, body, int64(len(content)), "", hex.EncodeToString(sum[:]), options)
		if err == nil || !errors.Is(explain(ctx, err), ErrAway) {
			break
		}
	}
	return err
}

// removeUnfinished tries to remove a picture that may have been stored. If that fails too, the
// picture has no record, and All finds it.
func (s *Store) removeUnfinished(ctx context.Context, key media.Key) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(abandonTimeout, s.deadline))
	defer cancel()
	_ = s.Remove(bounded, key)
}

func (s *Store) Open(ctx context.Context, key media.Key) (media.File, error) {
	if err := ctx.Err(); err != nil {
		return media.File{}, err
	}
	kind, ok := key.Type()
	if !ok {
		return media.File{}, media.ErrNotFound
	}
	info, err := s.stat(ctx, key)
	if isMissing(err) {
		return media.File{}, media.ErrNotFound
	}
	if err == nil && info.Size < 0 {
		err = errNoSize
	}
	if err != nil {
		return media.File{}, fmt.Errorf("opening a picture: %w", explain(ctx, err))
	}
	f := newFile(ctx, s, s.object(key), info.Size)
	return media.File{ReadSeekCloser: f, Type: kind, Bytes: info.Size, Modified: instant.Normalise(info.LastModified)}, nil
}

// stat returns the store's metadata of the picture.
func (s *Store) stat(ctx context.Context, key media.Key) (minio.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	info, err := s.client.StatObject(ctx, s.bucket, s.object(key), minio.StatObjectOptions{})
	if !isMissing(err) {
		return info, err
	}
	// HEAD answers the same for a missing object and a missing bucket. GET tells which.
	body, info, _, err := s.client.GetObject(ctx, s.bucket, s.object(key), minio.GetObjectOptions{})
	if err == nil {
		_ = body.Close()
	}
	return info, err
}

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
