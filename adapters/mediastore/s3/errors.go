package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"plaza/domain/fault"
)

// Faults of a store that can't do its part. The cause is wrapped beside them, for the log.
var (
	ErrAway    = fault.RetryAfter(fault.Unavailable, 2*time.Second, "Pictures can't be reached right now. Try again soon.")
	ErrFailing = fault.New(fault.Gateway, "The store of the pictures is failing.")
)

var (
	errTooLong   = errors.New("it took too long")
	errBroken    = errors.New("the connection broke")
	errNoSize    = errors.New("it does not tell the size of an object")
	errOtherSize = errors.New("it sends another part of an object than it was asked for")
	errForeign   = errors.New("it does not answer as a store does")
)

// codes are what a store's words for an error look like. Other words are not repeated: they
// may be what we have sent.
var codes = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// explain turns an error into what a caller can use. An error of HTTP may repeat the
// request, so only those of the net are safe to show.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil { // the caller has gone away, or had no more time
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTooLong) {
		return fmt.Errorf("%w: %w", ErrAway, errTooLong)
	}
	if said, is := errors.AsType[minio.ErrorResponse](err); is {
		return judge(said)
	}
	if e, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Errorf("%w: %w", ErrFailing, e)
	}
	if e, is := errors.AsType[*net.OpError](err); is {
		return fmt.Errorf("%w: %w", ErrAway, e)
	}
	for _, ours := range []error{errNoSize, errOtherSize, errOrder, errForeign} {
		if errors.Is(err, ours) {
			return fmt.Errorf("%w: %w", ErrFailing, ours)
		}
	}
	_, isHTTP := errors.AsType[*url.Error](err)
	if (isHTTP || errors.Is(err, io.ErrUnexpectedEOF)) && !strings.Contains(err.Error(), "malformed") {
		return fmt.Errorf("%w: %w", ErrAway, errBroken)
	}
	return fmt.Errorf("%w: %w", ErrFailing, errForeign)
}

// judge tells a store that is busy from one that refuses us or does something odd, which
// does not pass.
func judge(said minio.ErrorResponse) error {
	kind := ErrFailing
	switch s := said.StatusCode; {
	case s >= http.StatusInternalServerError, s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, said.Code == "SlowDown":
		kind = ErrAway
	}
	if !codes.MatchString(said.Code) {
		return fmt.Errorf("%w: status %d", kind, said.StatusCode)
	}
	return fmt.Errorf("%w: status %d, %s", kind, said.StatusCode, said.Code)
}

// isMissing says whether the error is that there is no such object.
func isMissing(err error) bool {
	said, is := errors.AsType[minio.ErrorResponse](err)
	return is && said.StatusCode == http.StatusNotFound && said.Code == minio.NoSuchKey
}

// isRefused says whether the store has clearly not done what it was asked for.
func isRefused(err error) bool {
	said, is := errors.AsType[minio.ErrorResponse](err)
	return is && said.StatusCode >= http.StatusBadRequest && said.StatusCode < http.StatusInternalServerError &&
		said.StatusCode != http.StatusRequestTimeout
}
