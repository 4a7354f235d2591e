package user_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/page"
	"plaza/domain/user"
)

func TestUSR08_a_name_has_one_Han_or_two_other_characters(t *testing.T) {
	for sent, want := range map[string]user.SearchName{
		"王": "王", " 王\u3000": "王", "𠮷": "𠮷", "ab": "ab", "a\u00a0 B": "a b", "ＡＢ": "ab", "ﬁ": "fi", "Straße": "strasse",
		"Ünal": "unal", "U\u0308nal": "unal", "Anne-Marie O’Neill": "anne marie o neill", "García, Gabriel": "garcia gabriel", "-- a_": "-- a_",
		"\u202eab": "ab", "ΟΔΟΣ": "οδοσ", "かな": "かな", "ｶﾞｷ": "ガキ", "株式会社㈱": "株式会社 株",
		strings.Repeat("é", 64): user.SearchName(strings.Repeat("e", 64)), strings.Repeat("e\u0301",
			64): user.SearchName(strings.Repeat("e", 64)),
	} {
		got, err := user.ParseSearchName(sent)
		require.NoError(t, err, sent)
		assert.Equal(t, want, got, sent)
	}
	for _, sent := range []string{"", " ", "a", " a ", "é", "か", "가", "😀", "\u200b\u200b", "\u2060 \u200b", "\u2800\u2800", "a,", "-a",
		"\u0301\u0301", "a\u0301\u0301"} {
		_, err := user.ParseSearchName(sent)
		assert.ErrorIs(t, err, user.ErrShortName, "%q", sent)
	}
	for _, sent := range []string{strings.Repeat("é", 65), "ab\x00", "ab\xff"} {
		_, err := user.ParseSearchName(sent)
		assert.Error(t, err, "%q", sent)
	}
}

func TestUSR08_a_name_finds_people_by_the_beginnings_of_words_or_all_together(t *testing.T) {
	sabela := user.Member{Firstname: "Sabela María", Lastname: "Castro"}
	li := user.Member{Firstname: "西", Lastname: "林"}
	for _, c := range []struct {
		sent  string
		finds user.Member
		is    bool
	}{
		{"SAB", sabela, true}, {"castro", sabela, true}, {"sabela  maría ca", sabela, true}, {"castrosabela", sabela, true},
		{"maría", sabela, true},
		{"castro s", sabela, true}, {"maria castro sab", sabela, true}, {"castro sabelam", sabela, true}, {"sabela m.", sabela, true},
		{"abela", sabela, false}, {"sabelamaria", sabela, false}, {"sabela maría castros", sabela, false}, {"castro x", sabela, false},
		{"林", li, true}, {"西", li, true}, {"林西", li, true}, {"西 林", li, true}, {"林 西", li, true}, {"西林", li, false}, {"林西林", li, false},
		{"ab", user.Member{}, false}, {"ab", user.Member{Lastname: "Abe"}, true}, {"ab c", user.Member{Firstname: "Ab", Lastname: "Cd"}, true},
		{"山 田", user.Member{Firstname: "山田"}, true}, {"dela cruz", user.Member{Lastname: "De la Cruz"}, true},
	} {
		name, err := user.ParseSearchName(c.sent)
		require.NoError(t, err)
		assert.Equal(t, c.is, name.Finds(c.finds), c.sent)
	}
}

func TestUSR08_one_of_the_prefixes_of_a_name_is_among_those_of_everybody_whom_it_finds(t *testing.T) {
	names := []string{
		"", "A", "Ab", "a b c d", "Abcdefg", "Abcdefgh", "Abcdefg hi", "Abcdefghij", "王", "欧阳", "王小明同学会会长先生", "가나다", "ㅏ\u3163", "e\u0301e\u0301",
		"x ﷺ", "A-b’c", "--", "Jean Abcdefghi",
	}
	var searched []user.SearchName
	for _, given := range names {
		for _, family := range names {
			for _, sent := range []string{given + " " + family, given, family + given, firstOf(family, 2) + " " + firstOf(given, 9)} {
				if name, err := user.ParseSearchName(sent); err == nil {
					searched = append(searched, name)
				}
			}
		}
	}
	found := 0
	for _, given := range names {
		for _, family := range names {
			m := user.Member{Firstname: given, Lastname: family}
			prefixes := m.NamePrefixes()
			assert.IsIncreasing(t, append([]string{""}, prefixes...))
			for _, name := range searched {
				isAmong := slices.ContainsFunc(name.Prefixes(), func(p string) bool { return slices.Contains(prefixes, p) })
				is := name.Finds(m)
				if is && !isAmong || name.IsPrefix() && is != isAmong {
					t.Errorf("%q: %q, %q", name, given, family)
				}
				if is {
					found++
				}
			}
		}
	}
	assert.Greater(t, found, 10_000)
}

func firstOf(s string, chars int) string { return string([]rune(s)[:min(chars, len([]rune(s)))]) }

func TestUSR08_people_find_themselves_by_their_names(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringN(1, 30, -1),
			rapid.SampledFrom([]string{"José Ángel", "van der Berg", "ﷺ", "沈", "Ꭰꭰ", "葛\U000e0100城", "ಕನ್ನಡ"}))
		m := user.Member{Firstname: name.Draw(t, "given"), Lastname: name.Draw(t, "family")}
		for _, typed := range []string{m.FullName(), m.Lastname + m.Firstname, m.Lastname + "\u3000" + m.Firstname, strings.ToUpper(m.Firstname),
			m.Lastname} {
			if searched, err := user.ParseSearchName(typed); err == nil {
				assert.True(t, searched.Finds(m), "%q", typed)
			}
		}
	})
}

// TestUSR08_nobody_is_repeated_or_left_out pages while the follows of the reader change.
func TestUSR08_nobody_is_repeated_or_left_out(t *testing.T) {
	name, err := user.ParseSearchName("ana")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.IntRange(1, 400).Draw(t, "people")
		uid := func(n int) user.ID { return user.ID(n) << 50 } // which takes room in a cursor
		size := rapid.IntRange(1, 100).Draw(t, "size")
		turn := rapid.SliceOfN(rapid.IntRange(1, people), 0, people)
		followed := map[user.ID]bool{}
		var found []user.ID
		for after, more := (page.Cursor{}), true; more; {
			for _, id := range turn.Draw(t, "turned") {
				followed[uid(id)] = !followed[uid(id)]
			}
			q := user.Search{Name: name, CursorRequest: page.Behind(after, size)}
			behind, others, cameFirst := q.Continues()
			var first, rest []user.Found
			for n := 1; n <= people; n++ {
				id := uid(n)
				switch m := (user.Member{ID: id, Firstname: "Ana"}); {
				case followed[id] && id > behind:
					first = append(first, user.Found{Rank: user.RankFollowed, Member: m})
				case id > others && !slices.Contains(cameFirst, id):
					rest = append(rest, user.Found{Rank: user.RankOther, Member: m})
				}
			}
			p := q.PageOf(append(first, rest...), page.Cursor{})
			for _, m := range p.Items {
				found = append(found, m.ID)
			}
			require.LessOrEqual(t, len(p.Next.Seen), page.MaxSeen)
			after, more = p.Next, p.Next != page.Cursor{}
		}
		slices.Sort(found)
		require.Len(t, found, people)
		require.Len(t, slices.Compact(found), people)
	})
}

func TestUSR08_no_more_people_come_first_than_a_cursor_has_room_for(t *testing.T) {
	var after page.Cursor
	cameFirst := 0
	for range 4 { // pages
		q := user.Search{Name: "ana", CursorRequest: page.Behind(after, page.MaxSize)}
		behind, others, _ := q.Continues()
		var people []user.Found
		for id := user.ID(1); id <= 400; id++ {
			if id > behind {
				people = append(people, user.Found{Rank: user.RankFollowed, Member: user.Member{ID: id, Firstname: "Ana"}})
			}
		}
		for id := others + 1000; id < others+1400; id++ {
			people = append(people, user.Found{Rank: user.RankOther, Member: user.Member{ID: id, Firstname: "Ana"}})
		}
		after = q.PageOf(people, page.Cursor{}).Next
		_, _, seen := user.Search{CursorRequest: page.Behind(after, page.MaxSize)}.Continues()
		cameFirst = max(cameFirst, len(seen))
		assert.LessOrEqual(t, len(after.Seen), page.MaxSeen)
	}
	assert.GreaterOrEqual(t, cameFirst, 100)
}

func TestUSR08_a_cursor_with_any_text_ends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := string(rapid.SliceOfN(rapid.Byte(), 0, page.MaxSeen).Draw(t, "seen"))
		_, _, cameFirst := user.Search{CursorRequest: page.Behind(page.Cursor{ID: 1, Seen: seen}, 1)}.Continues()
		assert.LessOrEqual(t, len(cameFirst), page.MaxSeen)
	})
}
