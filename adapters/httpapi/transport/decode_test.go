package transport

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/fault"
)

type refusing struct{ err error }

func (r refusing) UnmarshalText([]byte) error { return r.err }

func TestDecoderText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want fault.Fields
	}{
		{nil, nil},
		{ErrNotFound, fault.Fields{"day": {ErrNotFound.Text}}},
		{errors.New("offset 3"), fault.Fields{"day": {NotString}}}, // not a text for clients
	} {
		var d decoder
		d.text("day", []byte(`"tomorrow"`), refusing{c.err})
		assert.Equal(t, c.want, d.wrong, "%v", c.err)
	}
}
