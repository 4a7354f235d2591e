package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// object is a JSON object.
type object map[string]any

// numbers are the fields whose values are numbers. The others are texts.
var numbers = []string{"amount/total", "amount/refund"}

// parseObject reads a JSON object. It rejects repeated names, empty objects, values of other kinds,
// and text after the object.
func parseObject(body []byte) (fields, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("must be a JSON object")
	}
	f := fields{}
	if err := f.readObject(dec, ""); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has more after the object")
	}
	return f, nil
}

// readObject reads what follows the first brace of the object with the path.
func (f fields) readObject(dec *json.Decoder, path string) error {
	seen := map[json.Token]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		value, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder accepts nothing else here
		at, valid := path+name, !seen[name] && !strings.Contains(name, "/")
		seen[name] = true
		switch v := value.(type) {
		case string:
			f[at] = v
			valid = valid && !slices.Contains(numbers, at)
		case json.Number:
			f[at] = v.String()
			valid = valid && slices.Contains(numbers, at)
		default:
			valid = valid && v == json.Delim('{')
		}
		if !valid {
			return fmt.Errorf("has a field that is repeated or of a wrong type: %s", at)
		}
		if _, isText := f[at]; !isText {
			err = f.readObject(dec, at+"/")
		}
		if err != nil {
			return err
		}
	}
	if len(seen) == 0 {
		return fmt.Errorf("has an empty object: %s", path)
	}
	_, err := dec.Token() // the last brace
	return err
}

func marshal(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a value that JSON does not have
	}
	return body
}
