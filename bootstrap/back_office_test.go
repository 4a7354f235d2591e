package bootstrap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
)

// remotePictures have addresses elsewhere.
type remotePictures struct{ media.Store }

func (remotePictures) URL(key media.Key, to media.Audience, _ time.Time) string {
	if to == media.Viewers {
		return "https://signed.example.org/" + string(key)
	}
	return "https://cdn.example.org/pictures/" + string(key)
}

func TestPages_for_staff_show_pictures_of_the_server_and_of_their_store(t *testing.T) {
	assert.Equal(t, "https://cdn.example.org https://plaza.example.org https://signed.example.org",
		originsOf("https://plaza.example.org/base", remotePictures{}))
}
