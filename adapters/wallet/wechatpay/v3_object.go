package wechatpay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth bounds how deep the wallet's JSON is nested. Its messages have a depth of four.
const maxDepth = 16

// jsonObject is a JSON object of the wallet, with its names as they are written: encoding/json would ignore their case
// and take the last of two equal names. Unknown names are kept, because the wallet adds some without notice.
type jsonObject map[string]any

// parseObject reads an object in which no name comes twice. Its errors contain no part of the text.
func parseObject(text []byte) (jsonObject, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	value, err := readValue(tokens, 0)
	if err != nil {
		return nil, err
	}
	found, is := value.(jsonObject)
	if !is {
		return nil, errors.New("not a JSON object")
	}
	if _, err := tokens.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the JSON object")
	}
	return found, nil
}

var errSyntax = errors.New("not well-formed JSON")

// readValue reads the next value: an object, a []any, a string, a json.Number, a bool or nil.
func readValue(tokens *json.Decoder, depth int) (any, error) {
	token, err := tokens.Token()
	if err != nil {
		return nil, errSyntax
	}
	delim, is := token.(json.Delim)
	switch {
	case !is:
		return token, nil
	case depth == maxDepth:
		return nil, errors.New("too deeply nested JSON")
	case delim == '{':
		return readObject(tokens, depth+1)
	}
	var list []any
	for tokens.More() {
		value, err := readValue(tokens, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, readEnd(tokens)
}

func readObject(tokens *json.Decoder, depth int) (jsonObject, error) {
	found := jsonObject{}
	for tokens.More() {
		token, err := tokens.Token()
		name, is := token.(string)
		if err != nil || !is {
			return nil, errSyntax
		}
		if _, twice := found[name]; twice {
			return nil, errors.New("repeated name in a JSON object")
		}
		if found[name], err = readValue(tokens, depth); err != nil {
			return nil, err
		}
	}
	return found, readEnd(tokens)
}

// readEnd reads the bracket that ends a list or an object.
func readEnd(tokens *json.Decoder) error {
	if _, err := tokens.Token(); err != nil {
		return errSyntax
	}
	return nil
}

// text returns the text with the name, or "" if there is no text.
func (o jsonObject) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// object returns the object with the name, or nil.
func (o jsonObject) object(name string) jsonObject {
	found, _ := o[name].(jsonObject)
	return found
}

// list returns the list with the name, or nil.
func (o jsonObject) list(name string) []any {
	found, _ := o[name].([]any)
	return found
}

// amount returns the amount with the name.
func (o jsonObject) amount(name string) (int64, error) {
	n, _ := o[name].(json.Number)
	amount, err := amountOf(n.String())
	if err != nil {
		return 0, fmt.Errorf("%w %s", err, name)
	}
	return amount, nil
}
