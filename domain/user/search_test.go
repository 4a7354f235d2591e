package user_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/text"
	"plaza/domain/user"
)

func TestUSR08_a_name_has_one_Han_or_two_other_characters(t *testing.T) {
	for sent, want := range map[string]user.SearchName{
		"王": "王", " 王\u3000": "王", "𠮷": "𠮷", "ab": "ab", "a\u00a0 B": "a b", "ＡＢ": "ab", "ﬁ": "fi", "Straße": "strasse",
		"Ünal": "ünal", "U\u0308nal": "ünal", "ΟΔΟΣ": "οδοσ", "かな": "かな", "ｶﾞｷ": "ガキ", "株式会社㈱": "株式会社(株)",
		strings.Repeat("é", 64): user.SearchName(strings.Repeat("é", 64)),
	} {
		got, err := user.ParseSearchName(sent)
		require.NoError(t, err, sent)
		assert.Equal(t, want, got, sent)
	}
	for _, sent := range []string{"", " ", "a", " a ", "é", "か", "가", "😀", "\u200b\u200b", "\u2060 \u200b"} {
		_, err := user.ParseSearchName(sent)
		assert.ErrorIs(t, err, user.ErrShortName, "%q", sent)
	}
	for _, sent := range []string{strings.Repeat("é", 65), "ab\x00", "ab\xff"} {
		_, err := user.ParseSearchName(sent)
		assert.Error(t, err, "%q", sent)
	}
}

func TestUSR08_a_name_finds_people_whose_given_family_or_full_name_begins_with_it(t *testing.T) {
	sabela := user.Member{Firstname: "Sabela María", Lastname: "Castro"}
	li := user.Member{Firstname: "西", Lastname: "林"}
	for _, c := range []struct {
		sent  string
		finds user.Member
		is    bool
	}{
		{"SAB", sabela, true}, {"castro", sabela, true}, {"sabela  maría ca", sabela, true}, {"castrosabela", sabela, true},
		{"maría", sabela, false}, {"abela", sabela, false}, {"sabela m.", sabela, false}, {"castro s", sabela, false}, {"sabela maría castros", sabela, false},
		{"林", li, true}, {"西", li, true}, {"林西", li, true}, {"西 林", li, true}, {"西林", li, false}, {"林西林", li, false},
		{"ab", user.Member{}, false}, {"ab", user.Member{Lastname: "Abe"}, true}, {"ab c", user.Member{Firstname: "Ab", Lastname: "Cd"}, true},
	} {
		name, err := user.ParseSearchName(c.sent)
		require.NoError(t, err)
		assert.Equal(t, c.is, name.Finds(c.finds), c.sent)
	}
}

func TestUSR08_the_prefix_of_a_name_is_among_those_of_everybody_whom_it_finds(t *testing.T) {
	names := []string{
		"", "A", "Ab", "a b c d e f g", "Abcdefg", "Abcdefgh", "Abcdefg hi", "Abcdefghij", "王", "欧阳", "王小明同学会会长先生", "가나다", "ㅏ\u3163", "e\u0301e\u0301", "ﷺ", "x ﷺ",
	}
	for _, given := range names {
		for _, family := range names {
			m := user.Member{Firstname: given, Lastname: family}
			prefixes := m.NamePrefixes()
			assert.IsIncreasing(t, append([]string{""}, prefixes...))
			assert.LessOrEqual(t, len(prefixes), 4*user.PrefixChars)
			for _, p := range prefixes {
				name, err := user.ParseSearchName(p)
				require.NoError(t, err, "%q", p)
				assert.Equal(t, p, name.Prefix())
				assert.True(t, name.IsPrefix() && name.Finds(m), p)
			}
			full := text.Folded(m.FullName())
			for end := range full {
				name, err := user.ParseSearchName(full[:end])
				if err != nil {
					continue
				}
				assert.True(t, name.Finds(m), "%q", name)
				assert.Contains(t, prefixes, name.Prefix())
				assert.Equal(t, utf8.RuneCountInString(string(name)) <= user.PrefixChars, name.IsPrefix(), "%q", name)
			}
		}
	}
}
