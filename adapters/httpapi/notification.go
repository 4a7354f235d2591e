package httpapi

import (
	"io"
	"net/http"
)

// maxNotification is far above the size of any notification (PAY-10).
const maxNotification = 64 << 10

// verbatim is content that is sent unchanged and never cached.
type verbatim struct {
	mediaType string
	bytes     []byte
}

// notify passes the wallet's notification on and answers in the wallet's format (PAY-10).
// The signature in the notification authenticates it. The wallet would not understand the
// error envelope. An unreadable or oversized body counts as an empty notification.
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
