package media_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
)

func TestGEN14_all_sizes_of_a_picture_count(t *testing.T) {
	original := media.Upload{Bytes: make([]byte, 100)}
	assert.EqualValues(t, 100, media.Processed{Upload: original}.Size())
	assert.EqualValues(t, 112, media.Processed{Upload: original, Variants: []media.Variant{
		{Upload: media.Upload{Bytes: make([]byte, 5)}}, {Upload: media.Upload{Bytes: make([]byte, 7)}}, {}, // the last is the picture itself
	}}.Size())
}
