package people

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/page"
	"plaza/domain/user"
)

func TestUSR08_what_is_read_under_several_prefixes_ends_where_the_first_read_does(t *testing.T) {
	found := func(rank int64, id user.ID) user.Found { return user.Found{Rank: rank, Member: user.Member{ID: id}} }
	a, b := found(user.RankFollowed, 9), found(user.RankFollowed, 12)
	one, two, three, four := found(user.RankOther, 1), found(user.RankOther, 2), found(user.RankOther, 3), found(user.RankOther, 4)
	for name, c := range map[string]struct {
		reads [][]user.Found
		users []user.Found
		upTo  page.Cursor
	}{
		"nothing": {[][]user.Found{nil, nil}, nil, page.Cursor{}},
		"all":     {[][]user.Found{{b, one}, {a, b, two}}, []user.Found{a, b, one, two}, page.Cursor{}},
		"one is cut": {[][]user.Found{{a, one, two, three}, {four}}, []user.Found{a, one, two, three},
			page.Cursor{Rank: user.RankOther, ID: 3}},
		"one has examined": {[][]user.Found{{one, found(rankExamined, 2)}, {two, three}}, []user.Found{one, two},
			page.Cursor{Rank: user.RankOther, ID: 2}},
		"both are cut": {[][]user.Found{{a, one, two, four}, {a, b, one, three}}, []user.Found{a, b, one, two, three},
			page.Cursor{Rank: user.RankOther, ID: 3}},
		"among those at first": {[][]user.Found{{a, b, one, found(rankExamined, 8)}, {found(0, 1), found(0, 2), found(0, 3), a}},
			[]user.Found{found(0, 1), found(0, 2), found(0, 3), a}, page.Cursor{ID: 9}},
	} {
		users, upTo := examinedAlike(c.reads, 4)
		assert.Equal(t, c.users, append([]user.Found(nil), users...), name)
		assert.Equal(t, c.upTo, upTo, name)
	}
}
