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

// sizeLimit bounds the wallet's messages, which have a few hundred bytes.
const sizeLimit = 64 << 10

// message is a protocol message: unordered names and values.
type message map[string]string

// encode returns the message as XML. The same message always has the same bytes. Values
// other than plain text are CDATA sections, as in the wallet's own messages.
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

// parse reads a message. It accepts only unambiguous XML: one root with differently named
// elements that contain only text; no attributes, comments or declarations. Its errors
// contain no part of the text, which may hold secrets.
func parse(text []byte) (message, error) { return parseRoot(text, "xml") }

// parseRoot is parse for a message whose root has another name.
func parseRoot(text []byte, root string) (message, error) {
	if len(text) > sizeLimit {
		return nil, errors.New("message too large")
	}
	r := reader{tokens: xml.NewDecoder(bytes.NewReader(text)), root: root, found: message{}}
	for first := true; ; first = false {
		token, err := r.tokens.Token()
		if errors.Is(err, io.EOF) && r.depth == 0 && r.begun {
			return r.found, nil
		}
		if err != nil {
			return nil, errors.New("not well-formed XML")
		}
		if err := r.take(token, first); err != nil {
			return nil, err
		}
	}
}

// reader is a partly read message.
type reader struct {
	tokens *xml.Decoder
	root   string
	found  message
	begun  bool
	depth  int
	name   string // of the current element
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
			return errors.New("text between elements")
		}
	case xml.ProcInst:
		if !first || token.Target != "xml" {
			return errors.New("XML instructions")
		}
	default: // comments and the parts of a DTD
		return errors.New("more than elements and text")
	}
	return nil
}

func (r *reader) start(e xml.StartElement) error {
	r.depth++
	_, twice := r.found[e.Name.Local]
	switch {
	case e.Name.Space != "" || !isName(e.Name.Local):
		return errors.New("invalid element name")
	case len(e.Attr) > 0:
		return errors.New("element with attributes")
	case r.depth > 2:
		return errors.New("nested elements")
	case r.depth == 1 && (r.begun || e.Name.Local != r.root):
		return errors.New("missing or wrong root element")
	case r.depth == 2 && twice:
		return errors.New("repeated element")
	}
	r.begun = true
	if r.depth == 2 {
		r.name = e.Name.Local
		r.value.Reset()
	}
	return nil
}

// isName is stricter than XML: a name must not look like a part of the signed text.
func isName(s string) bool {
	return s != "" && strings.Trim(s, letters+digits+"_") == ""
}

const (
	digits   = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = "abcdefghijklmnopqrstuvwxyz" + capitals
)

// printable replaces characters that XML can't express or would change, so that the received
// text is the signed text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
