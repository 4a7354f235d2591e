package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object.
type object map[string]any

const maxNesting = 8

var errJSON = errors.New("invalid JSON")

// parseObject reads a JSON object. It rejects repeated names, deep nesting, and text after the
// object.
func parseObject(body []byte) (object, error) {
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("%w: not UTF-8", errJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	value, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more after the object", errJSON)
	}
	o, is := value.(object)
	if !is {
		return nil, fmt.Errorf("%w: not an object", errJSON)
	}
	return o, nil
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errJSON, err)
	}
	if _, nested := token.(json.Delim); nested && depth == maxNesting {
		return nil, fmt.Errorf("%w: nested too deeply", errJSON)
	}
	switch token {
	case json.Delim('{'):
		return readObject(dec, depth)
	case json.Delim('['):
		return readArray(dec, depth)
	}
	return token, nil
}

func readObject(dec *json.Decoder, depth int) (object, error) {
	o := object{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errJSON, err)
		}
		name, _ := token.(string) // the decoder accepts nothing else here
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("%w: %s is repeated", errJSON, name)
		}
		if o[name], err = readValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	return o, closeValue(dec)
}

func readArray(dec *json.Decoder, depth int) ([]any, error) {
	all := []any{}
	for dec.More() {
		value, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, closeValue(dec)
}

// closeValue reads the end of an object or of an array.
func closeValue(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%w: %w", errJSON, err)
	}
	return nil
}

// fingerprintOf identifies the content of the object.
func fingerprintOf(o object) string {
	text, _ := json.Marshal(o) // sorts the names; what was parsed can be encoded
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// form takes the fields of an object one by one. Its first problem is a refusal.
type form struct {
	of    object
	path  string
	first *error
}

// readFields takes the fields of the object with read. It refuses fields that read has not taken.
func readFields(o object, read func(form)) error {
	var first error
	f := form{o, "", &first}
	read(f)
	f.end()
	return first
}

func (f form) refuse(name, why string) {
	if *f.first == nil {
		*f.first = invalidParam(f.path+name, why)
	}
}

// take returns the field and removes it from the object.
func (f form) take(name string) (value any, there bool) {
	value, there = f.of[name]
	delete(f.of, name)
	return value, there
}

// text returns a text of least to most bytes. It may be missing if least is 0.
func (f form) text(name string, least, most int) string {
	value, there := f.take(name)
	text, is := value.(string)
	switch {
	case !there && least == 0:
	case !there:
		f.refuse(name, "is missing")
	case !is:
		f.refuse(name, "must be a text")
	case len(text) < least || len(text) > most:
		f.refuse(name, fmt.Sprintf("must have %d to %d bytes", least, most))
	}
	return text
}

// amount returns a whole number of 1 or more.
func (f form) amount(name string) int64 {
	value, there := f.take(name)
	number, is := value.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	switch {
	case !there:
		f.refuse(name, "is missing")
	case !is || err != nil || number.String() != strconv.FormatInt(n, 10):
		f.refuse(name, "must be an integer")
	case n < 1 || n > maxAmount:
		f.refuse(name, fmt.Sprintf("must be 1 to %d", int64(maxAmount)))
	}
	return n
}

// object takes the fields of an object with read. It may be missing unless it is needed.
func (f form) object(name string, needed bool, read func(form)) {
	value, there := f.take(name)
	o, is := value.(object)
	switch {
	case !there && !needed:
	case !there:
		f.refuse(name, "is missing")
	case !is:
		f.refuse(name, "must be an object")
	default:
		inner := form{o, f.path + name + "/", f.first}
		read(inner)
		inner.end()
	}
}

// end refuses the fields that were not taken.
func (f form) end() {
	for name := range f.of {
		f.refuse(name, "is not a field of this request")
	}
}
