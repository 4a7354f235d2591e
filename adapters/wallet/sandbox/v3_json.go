package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// numbers are the fields whose values are numbers. The others are texts.
var numbers = []string{"amount/total", "amount/refund"}

// parseObject reads a JSON object. It rejects repeated names, empty objects, values of other kinds,
// and text after the object.
func parseObject(body []byte) (fields, error) {
	f := fields{}
	return f, f.readObject(body, "")
}

// readObject reads the object with the path.
func (f fields) readObject(object []byte, path string) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(object, &members); err != nil || len(members) == 0 {
		return fmt.Errorf("must have a JSON object with fields, each once: %s", path)
	}
	for name, value := range members {
		at := path + name
		isNumber := slices.Contains(numbers, at)
		switch kind := value.Kind(); {
		case strings.Contains(name, "/"):
			return fmt.Errorf("has a field of a wrong name: %s", at)
		case kind == '{':
			if err := f.readObject(value, at+"/"); err != nil {
				return err
			}
		case kind == '0' && isNumber:
			f[at] = string(value)
		case kind == '"' && !isNumber:
			text, _ := jsontext.AppendUnquote(nil, value) // Unmarshal has checked it
			f[at] = string(text)
		default:
			return fmt.Errorf("has a field of a wrong type: %s", at)
		}
	}
	return nil
}
