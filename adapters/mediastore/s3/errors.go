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

// Faults of a failing store. They wrap the cause for the log.
var (
	ErrAway    = fault.RetryAfter(fault.Unavailable, 2*time.Second, "Picture storage is unavailable. Try again soon.")
	ErrFailing = fault.New(fault.Gateway, "Picture storage is failing.")
)

var (
	errTooLong   = errors.New("timed out")
	errBroken    = errors.New("connection broken")
	errNoSize    = errors.New("no object size in the answer")
	errOtherSize = errors.New("wrong range in the answer")
	errForeign   = errors.New("invalid answer from the store")
)

// codes matches a store's error codes. Other text is not repeated, because it may contain
// the request.
var codes = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// explain turns an error into a fault. An HTTP error may repeat the request, so only network
// errors are shown.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil { // the caller cancelled or ran out of time
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTooLong) {
		return fmt.Errorf("%w: %w", ErrAway, errTooLong)
	}
	if reply, is := errors.AsType[minio.ErrorResponse](err); is {
		return errorOf(reply)
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

// errorOf distinguishes an overloaded store from one that refuses the request or fails for
// good.
func errorOf(reply minio.ErrorResponse) error {
	kind := ErrFailing
	switch s := reply.StatusCode; {
	case s >= http.StatusInternalServerError, s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, reply.Code == "SlowDown":
		kind = ErrAway
	}
	if !codes.MatchString(reply.Code) {
		return fmt.Errorf("%w: status %d", kind, reply.StatusCode)
	}
	return fmt.Errorf("%w: status %d, %s", kind, reply.StatusCode, reply.Code)
}

// isMissing reports whether the object does not exist.
func isMissing(err error) bool {
	reply, is := errors.AsType[minio.ErrorResponse](err)
	return is && reply.StatusCode == http.StatusNotFound && reply.Code == minio.NoSuchKey
}

// isRefused reports whether the store has certainly not executed the request.
func isRefused(err error) bool {
	reply, is := errors.AsType[minio.ErrorResponse](err)
	return is && reply.StatusCode >= http.StatusBadRequest && reply.StatusCode < http.StatusInternalServerError &&
		reply.StatusCode != http.StatusRequestTimeout
}
