package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
)

// borderRows show that no number, wherever it is sent, is the server's mistake.
var borderRows = []row{
	{"GEN-04 numbers at every border are answered in every parameter", bordersInQueries, oneDatabase},
	{"GEN-08 numbers at every border are answered in every field", bordersInBodies, oneDatabase},
	{"GEN-08 ninety thousand unknown names are ignored", manyNames, oneStore},
}

// borders are numbers where a type of some program ends, and texts that some programs take for
// numbers. The last ones are no JSON.
var borders = []string{
	"0", "-0", "1", "-1", "32767", "32768", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967296",
	"9007199254740993", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551616", "100000000000000000000000000000", "1e2", "1e400", "-1e400",
	"1e-400", "1.5", "0.1", "1.0", "90.0000001", "-180.0000001",
	"00", "007", "+1", "0x10", "0b1", "1_000", ".5", "5.", "NaN", "Infinity", "-Infinity", "nan(0)", "1,000", "１", "٣", "½", " 1 ", "1 OR 1=1",
	"null", "true", "%", "'", "\x00", "1\x00", "\xff", "1,2", "2-1", "${7*7}", "[]", "1;2", strings.Repeat("9", 3000),
}

const jsonBorders = 28 // how many of them are JSON

func bordersInQueries(t *testing.T, s *server) {
	ada := s.staff(t)
	id := ada.publishes(t, "x")
	s.storesItem(t, ada, 1, 0)
	for _, o := range operations(t) {
		if o.method != "GET" {
			continue
		}
		path, needed := concrete(o.template, fmt.Sprint(id)), o.needed(t, ada, id)
		if o.template == "/api/feed/items/{category_id}/" {
			path = itemsOf("uncategory")
		}
		for _, parameter := range o.Parameters {
			if parameter.Value.In != openapi3.ParameterInQuery {
				continue
			}
			name := parameter.Value.Name
			for _, value := range borders {
				query := maps.Clone(needed)
				query.Set(name, value)
				switch name {
				case "lat", "lng", "within_distance":
					for other, place := range map[string]string{"lat": "30.2741", "lng": "120.1551", "type": "demand"} {
						if other != name {
							query.Set(other, place)
						}
					}
				}
				a := ada.get(t, path+"?"+query.Encode())
				for a.status == 429 && o.template == streamPath { // closed streams are to have their places a little longer
					a = ada.get(t, path+"?"+query.Encode())
				}
				if assert.Contains(t, []int{200, 400, 404}, a.status, "%s?%s: %.300s", path, query.Encode(), a.body); a.status == 400 {
					assert.Contains(t, a.at("data"), name)
				}
			}
		}
	}
}

func bordersInBodies(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		for _, field := range slices.Sorted(maps.Keys(to.body)) {
			if _, isText := to.body[field].(string); isText {
				continue
			}
			for _, value := range borders[:jsonBorders] {
				raw := value
				if list, isList := to.body[field].([]any); isList && len(list) > 0 {
					raw = "[" + value + "]"
				}
				for _, sent := range []string{raw, fmt.Sprintf("%q", value)} {
					body := maps.Clone(to.body)
					body[field] = "?"
					text := strings.Replace(marshalled(t, body), `"?"`, sent, 1)
					a := ada.send(t, to.method, to.path, text)
					assert.True(t, a.status < 500 || a.status == 503 && to.path == pay, "%s %s %s=%s: %d %.300s", to.method, to.path, field, sent,
						a.status, a.body)
				}
			}
		}
	}
}

func manyNames(t *testing.T, s *server) {
	ada := s.member(t)
	var body strings.Builder
	body.WriteString(`{"Title": "no", "TITLE": "no", " title": "no", "title\u0020": "no", "\u0074itle": "named in escapes"`)
	for i := range 90_000 {
		fmt.Fprintf(&body, `,"k%d":1`, i)
	}
	ada.post(t, events, body.String()+"}").is(201).shows(object{"title": "named in escapes"})
}
