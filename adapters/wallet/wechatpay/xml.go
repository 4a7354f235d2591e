package wechatpay

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// sizeLimit bounds what is read of the wallet; its answers have a few hundred bytes.
const sizeLimit = 64 << 10

// message is what the wallet and we tell each other: names and values, without order.
type message map[string]string

// encode writes the message as the wallet wants it; the same message is always the same
// bytes. A value that is more than plain text is a CDATA section, the wallet's own way.
func (m message) encode() []byte {
	var b bytes.Buffer
	b.WriteString("<xml>")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := m[name]
		if strings.ContainsAny(value, "<>&") {
			value = "<![CDATA[" + strings.ReplaceAll(value, "]]>", "]]]]><![CDATA[>") + "]]>"
		}
		fmt.Fprintf(&b, "<%s>%s</%[1]s>", name, value)
	}
	b.WriteString("</xml>")
	return b.Bytes()
}

// parse reads a message. It takes only what can be read in one way: one root, in it
// elements of different names with nothing but text, no attributes, no comments, nothing
// that is declared elsewhere. Its errors tell nothing of the text: that may hold what must
// not be shown.
func parse(text []byte) (message, error) {
	if len(text) > sizeLimit {
		return nil, errors.New("there is too much of it")
	}
	r := reader{tokens: xml.NewDecoder(bytes.NewReader(text)), found: message{}}
	for first := true; ; first = false {
		token, err := r.tokens.Token()
		if errors.Is(err, io.EOF) && r.depth == 0 && r.begun {
			return r.found, nil
		}
		if err != nil {
			return nil, errors.New("it is not well-formed")
		}
		if err := r.take(token, first); err != nil {
			return nil, err
		}
	}
}

// reader is a message of which something has been read.
type reader struct {
	tokens *xml.Decoder
	found  message
	begun  bool
	depth  int
	name   string // of the element that is being read
	value  strings.Builder
}

func (r *reader) take(token xml.Token, first bool) error {
	switch token := token.(type) {
	case xml.StartElement:
		return r.start(token)
	case xml.EndElement:
		if r.depth--; r.depth == 1 {
			r.found[r.name] = r.value.String()
		}
	case xml.CharData:
		if r.depth == 2 {
			r.value.Write(token)
		} else if len(bytes.Trim(token, " \t\r\n")) > 0 {
			return errors.New("there is text between its elements")
		}
	case xml.ProcInst:
		if !first || token.Target != "xml" {
			return errors.New("it has instructions")
		}
	default: // comments, and all that a DTD may be
		return errors.New("it has more than elements and text")
	}
	return nil
}

func (r *reader) start(e xml.StartElement) error {
	r.depth++
	_, twice := r.found[e.Name.Local]
	switch {
	case e.Name.Space != "" || !isName(e.Name.Local):
		return errors.New("an element has an odd name")
	case len(e.Attr) > 0:
		return errors.New("an element has attributes")
	case r.depth > 2:
		return errors.New("its elements are nested")
	case r.depth == 1 && (r.begun || e.Name.Local != "xml"):
		return errors.New("it has not the one root that it should have")
	case r.depth == 2 && twice:
		return errors.New("an element comes twice")
	}
	r.begun = true
	if r.depth == 2 {
		r.name = e.Name.Local
		r.value.Reset()
	}
	return nil
}

// isName is narrower than XML is: no name may look like a part of what is signed.
func isName(s string) bool {
	return s != "" && strings.Trim(s, letters+digits+"_") == ""
}

const (
	digits   = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = "abcdefghijklmnopqrstuvwxyz" + capitals
)

// printable replaces what XML has no way to say, or would read back as something else, so
// that what is signed is what arrives.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
