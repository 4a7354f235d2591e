package user_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

func TestAUT03_phone_names(t *testing.T) {
	for _, good := range []string{"+86-13800000001", "+1-2025550104", "+34-600000003", " +852-12345678 ", "+1-1234"} {
		p, err := user.ParsePhone(good)
		require.NoError(t, err, good)
		assert.Equal(t, strings.TrimSpace(good), p.String())
	}
	for _, bad := range []string{
		"", "+86", "13800000001", "86-13800000001", "+86 13800000001", "+86-", "+86-abc", "+0-12345678",
		"+86-138 0000 0001", "+8613800000001", "+1234-12345678", "+86-123", "+86-12345678901234", "+86-１３８０００", "+86-13800000001\n+1-2345678",
	} {
		_, err := user.ParsePhone(bad)
		assert.ErrorIs(t, err, user.ErrNoPhone, bad)
	}
}

func TestOFF01_a_number_is_found_however_it_is_typed(t *testing.T) {
	for typed, want := range map[string]string{
		"+86-13800000001": "+86-13800000001", " 86-13800000001": "+86-13800000001", "+8613800000001": "+86-13800000001",
		"8613800000001":     "+86-13800000001",
		"+86 138 0000 0001": "+86-13800000001", "12025550104": "+1-2025550104", "+3726543210": "+372-6543210",
		"+861-3800000001": "+861-3800000001",
	} {
		got, err := user.ParseTypedPhone(typed)
		require.NoError(t, err, typed)
		assert.Equal(t, want, got.String(), typed)
	}
	for _, bad := range []string{"", "+", "86", "86-", "9991234567", "++8613800000001", "Ada", "86１３８00000001", "+8613800000001234"} {
		_, err := user.ParseTypedPhone(bad)
		assert.Equal(t, user.ErrNoPhone, err, bad)
	}
}

func TestAUT03_a_dialling_code_exists_and_no_other_begins_with_it(t *testing.T) {
	var found []string
	for n := range 1000 {
		if digits := strconv.Itoa(n); user.IsDiallingCode(digits) {
			found = append(found, digits)
		}
	}
	assert.Len(t, found, 215)
	for _, one := range found {
		for _, other := range found {
			assert.False(t, one != other && strings.HasPrefix(other, one), "%s begins %s", one, other)
		}
	}
	for name, problem := range map[string]error{
		"+999-13800000001": user.ErrNoDiallingCode, "+8-613800000001": user.ErrNoDiallingCode, "+861-3800000001": user.ErrNoDiallingCode,
		"+86-013800000001": user.ErrLeadingZero, "+44-07418084106": user.ErrLeadingZero,
		"+39-0512556080": nil, "+225-0123456789": nil, "+242-061234567": nil, "+378-0549886377": nil,
	} {
		_, err := user.ParsePhone(name)
		assert.Equal(t, problem, err, name)
		kept, err := user.ParseLoginName(name)
		require.NoError(t, err, "an account from before logs in")
		stored, err := user.StoredPhone(kept.String())
		require.NoError(t, err)
		assert.Equal(t, kept, stored)
	}
	one, _ := user.ParseLoginName("+8-613800000001")
	other, _ := user.ParsePhone("+86-13800000001")
	assert.Equal(t, other.E164(), one.E164(), "they are one telephone")
}

func FuzzParsePhone(f *testing.F) {
	for _, s := range []string{
		"+86-13800000001", " +1-2025550104\n", "\u00a0+86-13800000001\u3000", "+0-1234", "+1234-56789", "+1-123", "+123-123456789012",
		"+123-1234567890123", "+86-１３８", "+86-138\x00", "+86-13800000001\n\n+1-2345", "++86-1", "+86-+1", "\u202e+86-13800000001",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := user.ParsePhone(s)
		if err != nil {
			return
		}
		again, err := user.ParsePhone(p.String())
		if err != nil || again != p || len(p.String()) > 17 {
			t.Errorf("%q is %q, then %q: %v", s, p, again, err)
		}
	})
}

func TestUSR03_full_names(t *testing.T) {
	for _, c := range [][3]string{
		{"Lucía", "Fernández", "Lucía Fernández"},
		{"雷", "李", "李雷"},
		{"雷", "Lee", "雷 Lee"},
		{"Ada", "", "Ada"},
		{"", "李", "李"},
		{"髙", "葛\U000e0100城", "葛\U000e0100城髙"},
		{"太\u200d郎", "𠮷田", "𠮷田太\u200d郎"},
		{"민수", "김", "김민수"},
		{"a\ufe0f", "李", "a\ufe0f 李"},
	} {
		assert.Equal(t, c[2], user.Member{Firstname: c[0], Lastname: c[1]}.FullName())
	}
}

func TestUSR03_online_and_offset(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	m := user.Member{Timezone: "Europe/Madrid"}
	assert.False(t, m.IsOnline(now), "never seen")
	m.Seen = now.Add(-user.OnlineFor)
	assert.True(t, m.IsOnline(now))
	m.Seen = m.Seen.Add(-time.Microsecond)
	assert.False(t, m.IsOnline(now))

	assert.Equal(t, "+02:00", m.UTCOffset(now), "summer")
	assert.Equal(t, "+01:00", m.UTCOffset(now.AddDate(0, 6, 0)), "winter")
	for zone, want := range map[string]string{"America/St_Johns": "-02:30", "UTC": "+00:00", "Asia/Kathmandu": "+05:45",
		"gone/away": "+00:00"} {
		assert.Equal(t, want, user.Member{Timezone: zone}.UTCOffset(now), zone)
	}
}

func TestNewMember(t *testing.T) {
	m, err := user.NewMember(user.Member{Firstname: " Ada ", Lastname: "Byron"})
	require.NoError(t, err)
	assert.Equal(t, "Ada", m.Firstname)
	assert.Equal(t, "UTC", m.Timezone)

	_, err = user.NewMember(user.Member{Firstname: strings.Repeat("a", 65), Location: "x\x00", Timezone: "Local"})
	f, ok := fault.As(err)
	require.True(t, ok)
	assert.Len(t, f.Fields, 3, "all at once: %v", f.Fields)
	for _, nowhere := range []string{"localtime", "posix/Europe/Madrid", "right/UTC", "posixrules", "Factory", "Nowhere/City"} {
		_, err := user.NewMember(user.Member{Firstname: "Ada", Timezone: nowhere})
		assert.Error(t, err, nowhere)
	}
}

func TestUSR06_the_texts_of_a_person_are_of_one_line(t *testing.T) {
	decomposed := " " + strings.Repeat("e\u0301", 64)
	for _, bad := range []string{"a\nb", "\u202eabc", "\u200b", "a\ufffe", strings.Repeat("é", 101)} {
		_, err := user.NewMember(user.Member{Firstname: bad, Lastname: bad, Location: bad, Expertise: bad})
		assert.Len(t, fault.FieldsOf(err), 4, "%q", bad)
		_, err = user.ProfileChange{Firstname: &bad, Lastname: &bad, Location: &bad, Expertise: &bad}.Check()
		assert.Len(t, fault.FieldsOf(err), 4, "%q", bad)
	}
	m, err := user.NewMember(user.Member{Firstname: decomposed, Lastname: "", Location: decomposed, Timezone: " UTC"})
	require.NoError(t, err)
	assert.Equal(t, []string{strings.Repeat("é", 64), strings.Repeat("é", 64), "UTC"}, []string{m.Firstname, m.Location, m.Timezone})
	sent := user.ProfileChange{Firstname: new("Solo "), Lastname: new(" ")}
	c, err := sent.Check()
	require.NoError(t, err)
	assert.Equal(t, []string{"Solo", "", "Solo "}, []string{*c.Firstname, *c.Lastname, *sent.Firstname}, "what was sent stays")
	_, err = user.ProfileChange{Firstname: new(" ")}.Check()
	assert.Equal(t, fault.Fields{"firstname": {"This field may not be blank."}}, fault.FieldsOf(err))
}

func TestDescribe_takes_everything_over(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	m := user.Member{ID: 3, Firstname: "Lucía", Lastname: "Fernández", Expertise: "Photography",
		Location: "Madrid", Timezone: "Europe/Madrid", Seen: now}
	avatar := media.Picture{Path: "https://plaza.example/3.png"}
	assert.Equal(t, user.Info{Member: m, Username: "Lucía Fernández", UTCOffset: "+01:00", IsOnline: true, Avatar: avatar},
		m.Describe(avatar, now))
}

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
	for _, sent := range []string{strings.Repeat("é", 101), "ab\x00", "ab\xff"} {
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
