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
	got := fields{}
	depth, roots, name, text := 0, 0, "", ""
	for first := true; ; first = false {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && roots == 1 {
			return got, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errXML, err)
		}
		valid := false // other tokens are comments and directives
		switch tok := token.(type) {
		case xml.ProcInst:
			valid = first && tok.Target == "xml"
		case xml.CharData:
			valid = depth == 2 || len(bytes.TrimSpace(tok)) == 0
			text += string(tok)
		case xml.StartElement:
			name, text = tok.Name.Local, ""
			_, twice := got[name]
			isRoot := depth == 0 && roots == 0 && name == "xml"
			isField := depth == 1 && !twice && len(got) < maxFields
			valid = (isRoot || isField) && tok.Name.Space == "" && len(tok.Attr) == 0
			depth++
		case xml.EndElement:
			valid = true
			if depth--; depth == 0 {
				roots++
			} else {
				got[name] = text
			}
		}
		if !valid {
			return nil, fmt.Errorf("%w: unexpected markup, or a repeated field, before byte %d", errXML, dec.InputOffset())
		}
	}
}

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
