package wechatpay

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonObject is a JSON object of the wallet, with its names as they are written. Unknown names are kept, because the
// wallet adds some without notice.
type jsonObject map[string]jsontext.Value

// parseObject reads an object in which no name comes twice. Its errors contain no part of the text.
func parseObject(text []byte) (jsonObject, error) {
	var found jsonObject
	if json.Unmarshal(text, &found) != nil || found == nil {
		return nil, errors.New("not a well-formed JSON object, or one with a repeated name")
	}
	return found, nil
}

// text returns the text with the name, or "" if there is no text.
func (o jsonObject) text(name string) string {
	if o[name].Kind() != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, o[name]) // parseObject has checked it
	return string(s)
}

// object returns the object with the name, or nil.
func (o jsonObject) object(name string) jsonObject {
	found, _ := parseObject(o[name])
	return found
}

// list returns the objects of the list with the name, or nil.
func (o jsonObject) list(name string) (all []jsonObject) {
	if json.Unmarshal(o[name], &all) != nil {
		return nil
	}
	return all
}

func (o jsonObject) amount(name string) (int64, error) {
	amount, err := amountOf(string(o[name]))
	if err != nil {
		return 0, fmt.Errorf("%w %s", err, name)
	}
	return amount, nil
}
