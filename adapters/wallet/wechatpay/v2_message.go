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
func parseXML(text []byte, root string) (xmlMessage, error) {
	if len(text) > maxXML {
		return nil, errors.New("message too large")
	}
	tokens := xml.NewDecoder(bytes.NewReader(text))
	found, value := xmlMessage{}, strings.Builder{}
	depth, hasRoot := 0, false
	for first := true; ; first = false {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) && hasRoot {
			return found, nil
		}
		isRight := false // comments and the parts of a DTD are wrong
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			_, twice := found[name]
			isRight = token.Name.Space == "" && isXMLName(name) && len(token.Attr) == 0 &&
				(depth == 0 && !hasRoot && name == root || depth == 1 && !twice)
			hasRoot = true
			depth++
			value.Reset()
		case xml.EndElement:
			isRight = true
			if depth--; depth == 1 {
				found[token.Name.Local] = value.String()
			}
		case xml.CharData:
			isRight = depth == 2 || len(bytes.Trim(token, " \t\r\n")) == 0
			value.Write(token)
		case xml.ProcInst:
			isRight = first && token.Target == "xml"
		}
		if err != nil || !isRight {
			return nil, errors.New("not well-formed XML of one root with differently named texts")
		}
	}
}

// isXMLName is stricter than XML: a name must not look like a part of the signed text.
func isXMLName(s string) bool {
	return s != "" && strings.Trim(s, letters+digits+"_") == ""
}
