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

const maxFields = 100

var errXML = errors.New("invalid XML")

// parse reads a message. It rejects ambiguous XML: duplicates, nesting, attributes, DTDs,
// comments and second roots.
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
				return nil, fmt.Errorf("%w: %s is repeated, or one field too many", errXML, name)
			}
			got[name] = value
		case xml.CharData:
			if !blank(tok) {
				return nil, fmt.Errorf("%w: text between fields", errXML)
			}
		case xml.EndElement:
			return got, end(dec)
		default:
			return nil, fmt.Errorf("%w: unexpected markup between fields", errXML)
		}
	}
}

// open reads up to the root's start tag.
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
			return fmt.Errorf("%w: unexpected markup before the root", errXML)
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

// inCDATA escapes text that would end the section or change as a line end.
var inCDATA = strings.NewReplacer("]]>", "]]]]><![CDATA[>", "\r", "]]>&#13;<![CDATA[")

// render returns the message with its fields sorted by name.
func render(f fields) []byte { return renderAs("xml", f) }

// renderAs returns the fields below the root, sorted by name.
func renderAs(root string, f fields) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<%s>\n", root)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&out, "<%s><![CDATA[%s]]></%s>\n", name, inCDATA.Replace(f[name]), name)
	}
	fmt.Fprintf(&out, "</%s>\n", root)
	return out.Bytes()
}
