package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"plaza/domain/fault"
)

// Send writes the reply. A reply that can't be encoded becomes an internal error before the
// first byte is sent.
func (r Reply) Send(w http.ResponseWriter, req *http.Request) {
	switch content := r.Content.(type) {
	case nil:
		r.write(w, identity, "", nil)
	case File:
		r.sendFile(w, req, content)
	case http.Handler:
		content.ServeHTTP(w, req)
	case StreamedList:
		r.sendStreamedList(w, req, content)
	case *keptJSON:
		if r.part == nil {
			r.sendKept(w, req, content)
			return
		}
		r.Tagged = true
		r.sendPart(w, req, content.raw)
	case envelope:
		RequestLogOf(req.Context()).refused(content)
		r.sendJSON(w, req, content.translated(w.Header(), req))
	default:
		r.sendJSON(w, req, content)
	}
}

// clientGone is the logged status of a request whose client disconnected before the
// response. No client receives it.
const clientGone = 499

// Fail sends the error as the response. It logs errors that the client did not cause, and
// counts refusals by a limit.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) {
		w.WriteHeader(clientGone)
		return
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Internal:
		Logger(ctx).ErrorContext(ctx, "request failed", "error", err)
	case fault.Gateway, fault.Unavailable, fault.Timeout:
		Logger(ctx).WarnContext(ctx, "request refused", "code", kind.Code(), "error", err)
	}
	f, isFault := fault.As(err)
	if l := RequestLogOf(ctx); l.limited != nil && isFault && f.Limit != "" {
		l.limited(f.Limit)
	}
	Refuse(err).Send(w, r)
}

// sendJSON writes the content as JSON. The newline at its end separates responses in a
// terminal.
func (r Reply) sendJSON(w http.ResponseWriter, req *http.Request, content any) {
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	if err := writeJSON(buf, content); err != nil {
		Fail(w, req, fmt.Errorf("encoding a response: %w", err))
		return
	}
	r.sendPart(w, req, buf.Bytes())
}

// sendPart writes the part of the content, which is JSON already.
func (r Reply) sendPart(w http.ResponseWriter, req *http.Request, raw []byte) {
	if r.part == nil {
		r.sendEncoded(w, req, raw)
		return
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	if err := r.part.Write(buf, raw); err != nil {
		Fail(w, req, fmt.Errorf("leaving out fields of a response: %w", err))
		return
	}
	buf.WriteByte('\n')
	r.sendEncoded(w, req, buf.Bytes())
}

// sendEncoded writes content that is JSON already.
func (r Reply) sendEncoded(w http.ResponseWriter, req *http.Request, raw []byte) {
	if r.Tagged {
		w.Header().Add("Vary", varying)
		r.sendFile(w, req, File{"application/json", raw, "no-cache"})
		return
	}
	r.write(w, negotiate(w, req, "application/json", len(raw)), "application/json", raw)
}

// sendFile writes the bytes, or 304 if the client already has them.
func (r Reply) sendFile(w http.ResponseWriter, req *http.Request, f File) {
	if f.Caching == "" {
		r.write(w, identity, f.MediaType, f.Bytes)
		return
	}
	c := negotiate(w, req, f.MediaType, len(f.Bytes))
	sum := sha256.Sum256(f.Bytes)
	if !isUnchanged(w, req, sum[:], c, f.Caching) {
		r.write(w, c, f.MediaType, f.Bytes)
	}
}

// sendKept writes the content, or 304 if the client already has it.
func (r Reply) sendKept(w http.ResponseWriter, req *http.Request, k *keptJSON) {
	w.Header().Add("Vary", varying)
	c := negotiate(w, req, "application/json", len(k.raw))
	if !isUnchanged(w, req, k.sum[:], c, "no-cache") {
		r.writeCoded(w, c, "application/json", k.in[c]())
	}
}

// sendStreamedList sends the list, or 304 if the client already has it.
func (r Reply) sendStreamedList(w http.ResponseWriter, req *http.Request, l StreamedList) {
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	l.ctx, l.part = req.Context(), r.part.Item()
	e, err := l.encode(buf, accepted(req.Header), r.Tagged)
	if l.OnEncoded != nil {
		l.OnEncoded()
	}
	if err != nil {
		Fail(w, req, fmt.Errorf("encoding a list: %w", err))
		return
	}
	if e.SpillBuffer == nil {
		if !r.Tagged {
			varyByCoding(w.Header())
		}
		r.sendEncoded(w, req, buf.Bytes())
		return
	}
	defer e.Close()
	h := w.Header()
	if r.Tagged {
		h.Add("Vary", varying)
		if isUnchanged(w, req, e.sum.Sum(nil), e.coding, "no-cache") {
			return
		}
	}
	varyByCoding(h)
	r.begin(w, e.coding, "application/json", int(e.size))
	_, _ = e.WriteTo(w) // fails only when the client has disconnected
}

// write sends the bytes in the coding. The server drops them from responses to HEAD. The
// bytes are compressed before the first is sent, so that a slow client holds no compressor.
func (r Reply) write(w http.ResponseWriter, c coding, mediaType string, raw []byte) {
	if c != identity {
		buf := buffers.Get().(*bytes.Buffer)
		defer recycle(buf)
		raw = c.compress(buf, raw)
	}
	r.writeCoded(w, c, mediaType, raw)
}

// writeCoded sends bytes that are in the coding already.
func (r Reply) writeCoded(w http.ResponseWriter, c coding, mediaType string, coded []byte) {
	r.begin(w, c, mediaType, len(coded))
	if len(coded) > 0 {
		w.Write(coded) // fails only when the client has disconnected
	}
}

// begin sends the status and the headers of content in the coding.
func (r Reply) begin(w http.ResponseWriter, c coding, mediaType string, size int) {
	h := w.Header()
	maps.Copy(h, r.header)
	if c != identity {
		h.Set("Content-Encoding", string(c))
	}
	if mediaType != "" {
		h.Set("Content-Type", mediaType)
		h.Set("Content-Length", strconv.Itoa(size))
	}
	w.WriteHeader(r.Status)
}
