package httpapi

import (
	"io"
	"net/http"
)

// maxNotification is far more than a wallet has to say (PAY-10).
const maxNotification = 64 << 10

// verbatim is content that is written as it is, and never cached.
type verbatim struct {
	mediaType string
	bytes     []byte
}

// notify takes in what the wallet says of a payment, and answers in the wallet's own
// words: the signature within is what lets it in, and the envelope would not be
// understood (PAY-10). What can't be read, or is too much, is no notification.
func (a *api) notify(c *call) (reply, error) {
	r := c.gin.Request
	raw, err := io.ReadAll(http.MaxBytesReader(innermost(c.gin.Writer), r.Body, maxNotification))
	if err != nil {
		raw = nil
	}
	said, err := a.Paying.Notify(c.ctx(), raw)
	if err != nil {
		return reply{}, err
	}
	return bare(verbatim{said.MediaType, said.Body}), nil
}
