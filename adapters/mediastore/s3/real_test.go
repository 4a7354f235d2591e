//go:build soak

package s3_test

import (
	"testing"

	"plaza/test/versitygw"
)

func init() {
	servers["versitygw"] = func(t *testing.T) string { return versitygw.Start(t) }
}
