package imported

import (
	"strconv"
	"strings"
)

// Number returns the numeric id, or zero if the id is not a number.
func (r Ref) Number() int64 {
	id, err := strconv.ParseInt(r.ID, 10, 64)
	if err != nil || r.ID != strconv.FormatInt(id, 10) {
		return 0
	}
	return id
}

// Guide returns the category and the robot of a how-to. It reports false if the id is
// not that of a how-to.
func (r Ref) Guide() (category, robot string, is bool) {
	quoted, err := strconv.QuotedPrefix(r.ID)
	if err != nil {
		return "", "", false
	}
	robot, is = strings.CutPrefix(r.ID[len(quoted):], " ")
	category, err = strconv.Unquote(quoted)
	return category, robot, is && err == nil && r.ID == strconv.Quote(category)+" "+robot
}
