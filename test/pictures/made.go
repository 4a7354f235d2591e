package pictures

import (
	"embed"
	"testing"

	"github.com/stretchr/testify/require"
)

// made are small pictures in formats that Go does not encode. heif-enc and avifenc have made them of pictures like those
// of test/ports; turned-1 to turned-8 then have the orientations of Exif as properties. The
// clean aperture of those named so is 20 × 16 pixels from (32, 24) on.
//
//go:embed testdata
var made embed.FS

// Made returns the picture with that name.
func Made(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := made.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return raw
}
