package user_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
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
	for _, bad := range []string{"a\nb", "\u202eabc", "\u200b", "a\ufffe", strings.Repeat("é", 65)} {
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
	assert.Equal(t, user.Info{
		ID: 3, Firstname: "Lucía", Lastname: "Fernández", Username: "Lucía Fernández", Expertise: "Photography",
		Location: "Madrid", Timezone: "Europe/Madrid", UTCOffset: "+01:00", IsOnline: true, Avatar: avatar,
	}, m.Describe(avatar, now))
}
