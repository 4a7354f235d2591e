package sandbox

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

// fields is a message of the protocol: one level of names and texts.
type fields map[string]string

const maxFields = 100

var errXML = errors.New("the XML is none that the wallet takes")

// parse reads a message and takes nothing that two readers could understand
// differently: no duplicates, nesting, attributes, DTD, comments or second root.
func parse(body []byte) (fields, error) {
	dec := xml.NewDecoder(bytes.NewReader(body))
	if err := open(dec); err != nil {
		return nil, err
	}
	got := fields{}
	for {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errXML, err)
		}
		switch tok := token.(type) {
		case xml.StartElement:
			name, value, err := leaf(dec, tok)
			if err != nil {
				return nil, err
			}
			if _, twice := got[name]; twice || len(got) == maxFields {
				return nil, fmt.Errorf("%w: %s is too much", errXML, name)
			}
			got[name] = value
		case xml.CharData:
			if !blank(tok) {
				return nil, fmt.Errorf("%w: text between the fields", errXML)
			}
		case xml.EndElement:
			return got, end(dec)
		default:
			return nil, fmt.Errorf("%w: something else between the fields", errXML)
		}
	}
}

// open reads up to the root's start.
func open(dec *xml.Decoder) error {
	for first := true; ; first = false {
		token, err := dec.Token()
		if err != nil {
			return fmt.Errorf("%w: %w", errXML, err)
		}
		switch tok := token.(type) {
		case xml.ProcInst:
			if !first || tok.Target != "xml" {
				return fmt.Errorf("%w: an instruction", errXML)
			}
		case xml.CharData:
			if !blank(tok) {
				return fmt.Errorf("%w: text before the root", errXML)
			}
		case xml.StartElement:
			if !plain(tok) || tok.Name.Local != "xml" {
				return fmt.Errorf("%w: another root", errXML)
			}
			return nil
		default:
			return fmt.Errorf("%w: something else before the root", errXML)
		}
	}
}

func leaf(dec *xml.Decoder, start xml.StartElement) (name, value string, err error) {
	if !plain(start) {
		return "", "", fmt.Errorf("%w: attributes or a namespace", errXML)
	}
	var text strings.Builder
	for {
		token, err := dec.Token()
		if err != nil {
			return "", "", fmt.Errorf("%w: %w", errXML, err)
		}
		switch tok := token.(type) {
		case xml.CharData:
			text.Write(tok)
		case xml.EndElement:
			return start.Name.Local, text.String(), nil
		default:
			return "", "", fmt.Errorf("%w: more than text in a field", errXML)
		}
	}
}

func end(dec *xml.Decoder) error {
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errXML, err)
		}
		if text, is := token.(xml.CharData); !is || !blank(text) {
			return fmt.Errorf("%w: more after the root", errXML)
		}
	}
}

func plain(e xml.StartElement) bool { return e.Name.Space == "" && len(e.Attr) == 0 }

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// inCDATA keeps what would end the section, or be read as another end of line.
var inCDATA = strings.NewReplacer("]]>", "]]]]><![CDATA[>", "\r", "]]>&#13;<![CDATA[")

// render writes the message, its fields in the order of their names.
func render(f fields) []byte {
	var out bytes.Buffer
	out.WriteString("<xml>\n")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&out, "<%s><![CDATA[%s]]></%s>\n", name, inCDATA.Replace(f[name]), name)
	}
	out.WriteString("</xml>\n")
	return out.Bytes()
}
