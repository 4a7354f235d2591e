package text_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/unicode/norm"

	"plaza/domain/text"
)

func TestLimits(t *testing.T) {
	chars := text.Limit{Chars: 3}
	assert.Empty(t, chars.Problem("😀😀😀"), "characters, not bytes")
	assert.NotEmpty(t, chars.Problem("abcd"))
	bytes := text.Limit{Bytes: 4}
	assert.Empty(t, bytes.Problem("😀"))
	assert.NotEmpty(t, bytes.Problem("😀a"))
	assert.Empty(t, text.Limit{}.Problem(strings.Repeat("x", 1<<20)), "a zero limit does not limit")
	for _, bad := range []string{"a\x00", "\xc3\x28"} {
		assert.NotEmpty(t, text.Limit{}.Problem(bad))
	}
}

func TestBlank(t *testing.T) {
	for _, blank := range []string{
		"", " \t\r\n", "\u00a0", "\u3000", "\u200b\u200d", "\ufeff", "\u200e", "\x07", "\u0085", "\u2028", "\u180e", // spaces, formats, controls
		"\u00ad", "\u2060", "\u2065", "\u206f", "\ufff0", "\ufff9\ufffb", "\U000e0001", "\U000e0041\U000e007f", "\U000e0fff",
		"\u034f", "\u115f\u1160", "\u17b4\u17b5", "\u3164", " \u3164\u3164 ", "\uffa0", // joiner, fillers, inherent vowels
		"\ufe0f", "\ufe00", "\U000e0100", "\u180b", // variation selectors
		"\u2800", "\u2800 \u2800", "\U0001d159", "\U00016fe4", // characters whose glyph is empty
	} {
		assert.True(t, text.IsBlank(blank), "%q", blank)
		assert.Equal(t, text.Blank, text.Limit{}.RequiredProblem(blank))
	}
	for _, seen := range []string{
		"x", " . ", "字", "😀", "-", "\u2801", "한", "\u1100\u1160", "\u115f\u1161", // a filler beside half a syllable
		"❤\ufe0f", "👩\u200d🚀", "می\u200cخواهم", "क्\u200dष", "葛\U000e0100", "🏴\U000e0067\U000e0062\U000e007f", // what scripts and emoji need
		"\u0301", " \u0301", "\u0e31", "\u20dd", // combining marks: fonts draw them on a space or a dotted circle
		"\u0600", "\u06dd", "\U000110bd", // format characters with a glyph: signs of numbers and verses
		"\ue000", "\u0378", "\ufffd", "\ufffc", // private, unassigned and replaced: fonts draw a box
	} {
		assert.False(t, text.IsBlank(seen), "%q", seen)
		assert.Empty(t, text.Limit{}.RequiredProblem(seen))
	}
}

func TestGEN08_trimming(t *testing.T) {
	assert.Equal(t, "a b", text.Trim("\u3000 a b\t\n"))
}

func TestNoChoice_names_the_choices(t *testing.T) {
	assert.Equal(t, "“50” is not a valid choice. Use one of: 0, 100, 200.", text.NoChoice(50, 0, 100, 200))
}

func TestDistinct(t *testing.T) {
	read := func(s string) (string, string) {
		if s = text.Trim(s); s == "" {
			return "", text.Blank
		}
		return s, ""
	}
	for name, c := range map[string]struct {
		values, want []string
		problem      string
	}{
		"nothing":              {nil, nil, ""},
		"each once, in order":  {[]string{"b", " a", "a ", "b"}, []string{"b", "a"}, ""},
		"a problem":            {[]string{"a", " "}, nil, text.Blank},
		"as many as there may": {[]string{"a", "b", "c", "a"}, []string{"a", "b", "c"}, ""},
		"one more":             {[]string{"a", "b", "c", "d"}, nil, "Ensure this field has no more than 3 elements."},
	} {
		got, problem := text.Distinct(c.values, 3, read)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.problem, problem, name)
	}
}

func TestDistinctStopsAtItsLimit(t *testing.T) {
	many := make([]string, 10_000)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	reads := 0
	_, problem := text.Distinct(many, 50, func(s string) (string, string) { reads++; return s, "" })
	assert.NotEmpty(t, problem)
	assert.Equal(t, 51, reads)
}

func TestServiceURL(t *testing.T) {
	for address, confidential := range map[string]bool{
		"https://wallet.example": true, "https://wallet.example:8443/pay/": true, "http://localhost:8090": true,
		"http://127.0.0.1:8090/": true, "http://[::1]/": true,
		"http://wallet.example": false, "http://10.0.0.1/": false, "http://localhost.example/": false,
	} {
		u, is := text.ServiceURL(address)
		assert.True(t, is, address)
		assert.Equal(t, confidential, text.IsConfidential(u), address)
	}
	for _, address := range []string{
		"", "wallet.example", "https://", "https://:443", "ftp://wallet.example", "https://user@wallet.example", "https://wallet.example?",
		"https://wallet.example#", "https://wallet.example/a b", "https://wallet.example/é", " https://wallet.example",
		"https://wallet.example/%zz",
	} {
		_, is := text.ServiceURL(address)
		assert.False(t, is, address)
	}
}

func TestIsVisible(t *testing.T) {
	for s, want := range map[string]bool{"": true, "!~aZ09": true, " ": false, "a b": false, "\x7f": false, "é": false, "\n": false} {
		assert.Equal(t, want, text.IsVisible(s), "%q", s)
	}
}

func TestADM04_addresses_are_whole_and_of_http(t *testing.T) {
	for _, good := range []string{
		"http://example.org", "https://example.org/a?b=c#d", "HTTPS://example.org:8443/%20", "https://例え.example/桂花", "http://[::1]/",
		"https://example.org/" + strings.Repeat("a", 2028),
	} {
		assert.Empty(t, text.AddressProblem(good), good)
	}
	for _, bad := range []string{
		"", " ", "example.org", "//example.org", "/a", "ftp://example.org", "javascript:alert(1)", "data:image/png;base64,AA==",
		"http://", "http:///a", "https://:80/", "https://user@example.org", "https://user:password@example.org/", "https://example.org/a b",
		"https://example.org/\n", "https://example.org/\x00", "https://example.org/\"onload=", "https://example.org\\@elsewhere.example",
		"https://example.org/<b>", "https://exam\u200bple.org", "https://example.org/%", "https://example.org/" + strings.Repeat("a", 2029),
		"\xff",
	} {
		assert.NotEmpty(t, text.AddressProblem(bad), "%q", bad)
	}
}

// FuzzAddress reads any address. One without a problem is that of a host on the web, and has
// nothing that ends an attribute or that browsers read in another way.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{
		"https://x.example/a?b=c#d", "http://[::1]:80/", "https://", "https:///x", "https://a@x.example", "https://x.example\\@evil.example",
		"javascript:alert(1)//https://x.example", "HTTPS://x.example", "https://x.example/\"onload=", "https://x.example/\u202e",
		"https://x.example/a b", "https://x.example/\x00", "//x.example", "https://:80", "https://x.example:", "https://%41.example",
		"https://xn--a", "https://x.example/%zz", "https://x.example/<", "https://\u200b", "data:text/html,x", "https://x.example/" +
			strings.Repeat("a", 2048),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if text.AddressProblem(s) != "" {
			return
		}
		assert.LessOrEqual(t, len(s), 2048)
		assert.True(t, utf8.ValidString(s))
		assert.Regexp(t, `^(?i:https?)://[^/?#\\@]`, s)
		assert.NotRegexp(t, "[\x00-\x20\"<>\\\\\x7f]", s)
		u, err := url.Parse(s)
		assert.NoError(t, err)
		assert.NotEmpty(t, u.Hostname())
		assert.Nil(t, u.User)
	})
}

func TestUSR06_a_text_of_one_line_is_trimmed_composed_and_then_counted(t *testing.T) {
	limit := text.Limit{Chars: 8}
	for sent, want := range map[string]string{
		"": "", " \u3000\n": "", " Ada\u00a0": "Ada", "Ada  K.": "Ada  K.", strings.Repeat("e\u0301", 8): "éééééééé",
		"ﬁ": "ﬁ", "Ａ": "Ａ", "葛\U000e0100城": "葛\U000e0100城", "می\u200cخواهم": "می\u200cخواهم", "א\u200eb\u200f": "א\u200eb\u200f",
		"ا\u061cb": "ا\u061cb",
		"❤\ufe0f":  "❤\ufe0f", "👩\u200d🚀": "👩\u200d🚀", "1\ufe0f\u20e3": "1\ufe0f\u20e3", "שָּׁ֖": norm.NFC.String("שָּׁ֖"), "မျှော့": "မျှော့",
		"སྒྲུབ":                            "སྒྲུབ",
		"a\u0316\u0317\u0318\u0319b\u0316": "a\u0316\u0317\u0318\u0319b\u0316",
	} {
		line := sent
		assert.Empty(t, limit.Line(&line), "%q", sent)
		assert.Equal(t, want, line, "%q", sent)
		assert.Equal(t, want, text.Line(sent))
		if want != "" {
			assert.Empty(t, limit.RequiredLine(&line))
		}
	}
	for sent, want := range map[string]string{
		"éééééééé" + "e\u0301": "Ensure this field has no more than 8 characters.", "a\xff": "Text must be valid UTF-8.",
		"a\x00":  "Null characters are not allowed.",
		"\u200b": text.Blank, "a\u0316\u0317\u0318\u0319\u031c": "A letter may have at most 4 marks.",
		"a\u0316\u0317\u200d\u0318\u0319\u031c": "A letter may have at most 4 marks.",
		"a\u20dd\u20dd\u20dd\u20dd\u20dd":       "A letter may have at most 4 marks.",
	} {
		assert.Equal(t, want, limit.Line(&sent))
	}
	for _, empty := range []string{"", " ", "\u2003", "\u200b", "\u2060\ufe0f"} {
		assert.Equal(t, text.Blank, limit.RequiredLine(&empty), "%q", empty)
	}
}

func TestUSR06_a_text_of_several_lines_ends_them_alike(t *testing.T) {
	limit := text.Limit{Chars: 8}
	for sent, want := range map[string]string{
		"": "", " \r\n": "", " a\r\nb\rc\n\nd\n": "a\nb\nc\n\nd", "\n\u3000e\u0301 \n x": "é \n x", "א\u200e\n1": "א\u200e\n1",
		strings.Repeat("\r\n", 6) + "a" + strings.Repeat("\r\n", 6) + "b": "a\n\n\n\n\n\nb",
	} {
		assert.Empty(t, limit.Lines(&sent))
		assert.Equal(t, want, sent)
	}
	const control = "Control characters other than line breaks are not allowed."
	for sent, want := range map[string]string{
		"a\n2345678": "Ensure this field has no more than 8 characters.", "a\n\xff": "Text must be valid UTF-8.",
		"a\tb": control, "a\vb": control, "a\u0085b": control, "a\u2028b": control, "\u200b\n\u2060": text.Blank,
		"a\n\u202eb": "Characters that change the direction of the text around them are not allowed.",
	} {
		assert.Equal(t, want, limit.Lines(&sent))
	}
}

// TestUSR06_a_text_of_one_line_has_no_character_that_reaches_beyond_it tries every character.
func TestUSR06_a_text_of_one_line_has_no_character_that_reaches_beyond_it(t *testing.T) {
	const beyond = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 { // no characters of a text
			continue
		}
		is := !unicode.IsControl(r) && !strings.ContainsRune(beyond, r) && r&0xfffe != 0xfffe && (r < 0xfdd0 || r > 0xfdef)
		if text.IsOfLine(r) != is {
			t.Errorf("%U", r)
		}
		line := "a" + string(r) + "b"
		if p := (text.Limit{}).Line(&line); (p == "") != is {
			t.Errorf("%U: %s", r, p)
		}
	}
}

func TestUSR08_folding(t *testing.T) {
	for sent, want := range map[string]string{
		"\tA\u00a0\u3000b\nＣ ": "a b c", "Straße": "strasse", "STRASSE": "strasse", "ΟΔΟΣ": "οδοσ", "ﬁ": "fi", "Ꭰꭰ": "ꭰꭰ", "Ᏸ": "ᏸ",
		// accents
		"Inés": "ines", "Müller": "muller", "Mu\u0308ller": "muller", "Åsa": "asa", "Søren": "soren", "Łódź": "lodz", "Đorđe": "dorde",
		"Işık": "isik", "İpek": "ipek", "Nguyễn": "nguyen",
		"Алёна": "алена", "Σοφία": "σοφια", "Æsir": "æsir", "Þór": "þor",
		"مُحَمَّد": "محمد", "محـــمد": "محمد", "أحمد": "احمد", "שָׁלוֹם": "שלום",
		// marks that make another letter, or are vowels
		"ガッキー": "ガッキー", "ｶﾞｷ": "ガキ", "は\u3099": "ば", "プ": "プ", "김민수": "김민수", "हिन्दी": "हिन्दी", "ক\u09bc": "ক\u09bc", "กุ้ง": "กุ้ง",
		"தமிழ்": "தமிழ்", "དྲུག": "དྲུག",
		// ignorable characters
		"葛\U000e0100城": "葛城", "a\u200db": "ab", "می\u200cخواهم": "میخواهم", "❤\ufe0f": "❤", "x\u00ady\u2060z\ufeff": "xyz", "a\u034f\u0301": "a",
		"\u3164\uffa0\u1160": "",
	} {
		assert.Equal(t, want, text.Folded(sent), "%q", sent)
	}
}

// TestUSR08_folding_every_character_again_changes_nothing also tells that the case of a letter makes no difference.
func TestUSR08_folding_every_character_again_changes_nothing(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsGraphic(r) && !text.IsIgnorable(r) {
			continue
		}
		folded := text.Folded(string(r))
		if again := text.Folded(folded); again != folded {
			t.Errorf("%U: %q, then %q", r, folded, again)
		}
		for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r), unicode.ToTitle(r)} {
			if unicode.SimpleFold(r) != r && text.Folded(string(other)) != folded {
				t.Errorf("%U and %U", r, other)
			}
		}
	}
}
