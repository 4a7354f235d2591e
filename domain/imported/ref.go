package imported

import (
	"strconv"
	"strings"
)

// Number is the id of a record whose id is a number; zero: it can't be one.
func (r Ref) Number() int64 {
	id, err := strconv.ParseInt(r.ID, 10, 64)
	if err != nil || r.ID != strconv.FormatInt(id, 10) {
		return 0
	}
	return id
}

// Guide is the category of a how-to, and its robot; false: it can't be one.
func (r Ref) Guide() (category, robot string, is bool) {
	quoted, err := strconv.QuotedPrefix(r.ID)
	if err != nil {
		return "", "", false
	}
	robot, is = strings.CutPrefix(r.ID[len(quoted):], " ")
	category, err = strconv.Unquote(quoted)
	return category, robot, is && err == nil && r.ID == strconv.Quote(category)+" "+robot
}
