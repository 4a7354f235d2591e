package s3

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

// The example of Amazon's reference, "Authenticating Requests: Using Query Parameters".
func TestPLA04_signatures_are_those_of_the_reference(t *testing.T) {
	p := presigning{"AKIAIOSFODNN7EXAMPLE", secret.New("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), "us-east-1"}
	object, err := url.Parse("https://examplebucket.s3.amazonaws.com/test.txt")
	require.NoError(t, err)
	assert.Equal(t, "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"+
		"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z"+
		"&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"+
		"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
		p.sign(object, url.Values{}, time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC), 24*time.Hour))
}

func TestThe_base_of_all_objects(t *testing.T) {
	for endpoint, base := range map[string]string{
		"https://s3.example":               "https://s3.example/pictures/",
		"https://s3.example:443/":          "https://s3.example/pictures/",
		"http://10.0.0.1:9000":             "http://10.0.0.1:9000/pictures/",
		"http://[::1]:9000":                "http://[::1]:9000/pictures/",
		"https://s3.amazonaws.com":         "https://pictures.s3.dualstack.eu-central-1.amazonaws.com/",
		"https://storage.googleapis.com":   "https://pictures.storage.googleapis.com/",
		"https://s3.fr-par.scw.cloud:8443": "https://s3.fr-par.scw.cloud:8443/pictures/",
	} {
		s, err := New(Config{Endpoint: endpoint, Region: "eu-central-1", Bucket: "pictures", KeyID: "id", Secret: secret.New("secret")})
		require.NoError(t, err, endpoint)
		assert.Equal(t, base, s.base.String())
	}
}
