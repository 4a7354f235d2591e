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

// maxXML bounds the wallet's messages, which have a few hundred bytes.
const maxXML = 64 << 10

// xmlMessage is a protocol message: unordered names and values.
type xmlMessage map[string]string

// encode returns the message as XML. The same message always has the same bytes. Values
// other than plain text are CDATA sections, as in the wallet's own messages.
func (m xmlMessage) encode() []byte {
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

// parseXML reads a message. It accepts only unambiguous XML: one root with differently named
// elements that contain only text; no attributes, comments or declarations. Its errors
// contain no part of the text, which may hold secrets.
func parseXML(text []byte) (xmlMessage, error) { return parseXMLRoot(text, "xml") }

// parseXMLRoot is parseXML for a message whose root has another name.
func parseXMLRoot(text []byte, root string) (xmlMessage, error) {
	if len(text) > maxXML {
		return nil, errors.New("message too large")
	}
	r := xmlReader{tokens: xml.NewDecoder(bytes.NewReader(text)), root: root, found: xmlMessage{}}
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

// xmlReader is a partly read message.
type xmlReader struct {
	tokens *xml.Decoder
	root   string
	found  xmlMessage
	begun  bool
	depth  int
	name   string // of the current element
	value  strings.Builder
}

func (r *xmlReader) take(token xml.Token, first bool) error {
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

func (r *xmlReader) start(e xml.StartElement) error {
	r.depth++
	_, twice := r.found[e.Name.Local]
	switch {
	case e.Name.Space != "" || !isXMLName(e.Name.Local):
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

// isXMLName is stricter than XML: a name must not look like a part of the signed text.
func isXMLName(s string) bool {
	return s != "" && strings.Trim(s, letters+digits+"_") == ""
}
