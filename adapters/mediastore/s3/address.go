package s3

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"

	"plaza/domain/media"
	"plaza/domain/secret"
)

// URL implements media.Store. The URL for a picture of another audience leads nowhere.
func (s *Store) URL(key media.Key, to media.Audience, now time.Time) string {
	own := media.KeyAt(to, strings.TrimPrefix(string(key), string(media.KeyAt(to, ""))))
	switch {
	case to == media.Viewers:
		return s.presign(own, now)
	case s.public != "":
		return s.public + "/" + s3utils.EncodePath(string(own))
	}
	return s.Addresses.URL(key, to, now)
}

// presign signs a GET of the picture as of the start of the hour, which minio-go does not
// support. So all URLs within an hour are the same. Caches keep the picture while the URL is
// valid, and the store sends it with its media type.
func (s *Store) presign(key media.Key, now time.Time) string {
	from := now.UTC().Truncate(time.Hour)
	query := url.Values{
		"response-cache-control": {"private"},
		"response-expires":       {from.Add(media.AddressLife).Format(http.TimeFormat)},
	}
	if kind, ok := key.Type(); ok {
		query.Set("response-content-type", kind)
	}
	object := *s.base
	object.Path += s.object(key)
	return presigning{s.keyID, s.secret, s.region}.sign(&object, query, from, media.AddressLife)
}

// presigning is the query form of AWS Signature Version 4.
type presigning struct {
	keyID  string
	secret secret.String
	region string
}

const moment = "20060102T150405Z"

// sign returns the URL of a GET that is valid from that time on for life.
func (p presigning) sign(object *url.URL, query url.Values, from time.Time, life time.Duration) string {
	credential := signer.GetCredential(p.keyID, p.region, from, signer.ServiceTypeS3)
	query.Set("X-Amz-Algorithm", "AWS4-HMAC-SHA256")
	query.Set("X-Amz-Credential", credential)
	query.Set("X-Amz-Date", from.Format(moment))
	query.Set("X-Amz-Expires", strconv.Itoa(int(life/time.Second)))
	query.Set("X-Amz-SignedHeaders", "host")
	path, canonical := s3utils.EncodePath(object.Path), strings.ReplaceAll(query.Encode(), "+", "%20")

	request := strings.Join([]string{http.MethodGet, path, canonical, "host:" + object.Host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	scope := strings.TrimPrefix(credential, p.keyID+"/")
	signed := fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", from.Format(moment), scope, sha256.Sum256([]byte(request)))
	signature := signer.PostPresignSignatureV4(signed, from, p.secret.Reveal(), p.region) // it signs any text
	return object.Scheme + "://" + object.Host + path + "?" + canonical + "&X-Amz-Signature=" + signature
}

// base returns the URL of the bucket's objects. With some stores the bucket is part of the
// host.
func base(client *minio.Core, bucket string) (*url.URL, error) {
	const any = "x"
	u, err := client.PresignedGetObject(context.Background(), bucket, any, time.Second, nil)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, any)}, nil
}
