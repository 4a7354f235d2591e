package wechatpay

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY10_what_can_be_read(t *testing.T) {
	for text, want := range map[string]xmlMessage{
		"<xml></xml>":                                               {},
		"<xml/>":                                                    {},
		"<xml><a>1</a><b_0></b_0></xml>":                            {"a": "1", "b_0": ""},
		"<xml>\n <a>1</a>\r\n</xml>\n":                              {"a": "1"},
		"<xml><a> 1 </a><b/></xml>":                                 {"a": " 1 ", "b": ""},
		"<xml><a><![CDATA[<&]]></a></xml>":                          {"a": "<&"},
		"<xml><a>&lt;&amp;&#33402;</a></xml>":                       {"a": "<&艺"},
		"<xml><a>1<![CDATA[2]]>3</a></xml>":                         {"a": "123"},
		`<?xml version="1.0" encoding="UTF-8"?><xml><a>1</a></xml>`: {"a": "1"},
	} {
		m, err := parseXML([]byte(text), "xml")
		require.NoError(t, err, text)
		assert.Equal(t, want, m)
	}
}

func TestPAY10_what_is_refused(t *testing.T) {
	all := map[string]string{
		"broken UTF-8": "<xml><a>\xff</a></xml>", "too much": "<xml><a>" + strings.Repeat("1", maxXML) + "</a></xml>",
	}
	require.NoError(t, json.Unmarshal(must(os.ReadFile("testdata/v2/refused.json")), &all))
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			m, err := parseXML([]byte(text), "xml")
			assert.Error(t, err)
			assert.Nil(t, m)
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		signedV2(), "<xml><a>1</a><a>2</a></xml>", "<xml/>", `<?xml version="1.0"?><xml><a>&lt;</a></xml>`,
		"<xml><a><![CDATA[]]]]><![CDATA[>]]></a></xml>", `<!DOCTYPE xml><xml/>`,
		string(xmlMessage{"a": "]]>", "b": "]]]]>>", "c": "<![CDATA[x]]>", "d": `"'&amp;`}.encode()),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseXML(text, "xml")
		if err != nil {
			return
		}
		for name := range m {
			if strings.Count(string(text), "<"+name) < 1 {
				t.Fatalf("%q is not in it", name)
			}
		}
		for name, value := range m { // \r, if spelt out, is the one thing that can't be repeated
			m[name] = strings.ReplaceAll(value, "\r", " ")
		}
		back, err := parseXML(m.encode(), "xml")
		if err == nil && !maps.Equal(m, back) {
			t.Fatalf("%q became %q", m, back)
		}
		if err != nil && len(m.encode()) <= maxXML {
			t.Fatalf("%q can't be read again: %v", m.encode(), err)
		}
	})
}
