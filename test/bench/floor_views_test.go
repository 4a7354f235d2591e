package bench

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"plaza/domain/media"
	"plaza/domain/user"
)

// The responses of the floor, as in the interface. A struct that is embedded with a name in JSON is an object there, and
// columns among the others in a row. Fields with db:"-" are computed.

// stamp is an instant; NULL is the zero time.
type stamp time.Time

func (s *stamp) ScanTimestamptz(v pgtype.Timestamptz) error {
	*s = stamp(v.Time)
	return nil
}

func (s *stamp) UnmarshalJSON(b []byte) error { return (*time.Time)(s).UnmarshalJSON(b) }

func (s stamp) MarshalJSON() ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(make([]byte, 0, 32), `"2006-01-02T15:04:05.000000Z"`), nil
}

type (
	wrapped struct {
		Data any `json:"data"`
	}
	sizeView struct {
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Path   string `json:"path"`
	}
	pictureView struct {
		Path  string    `json:"path"`
		Sizes sizesView `json:"sizes"`
	}
)

// sizesView is stored as a list.
type sizesView map[string]sizeView

func (s *sizesView) UnmarshalJSON(b []byte) error {
	var list []struct {
		Name string
		sizeView
	}
	err := json.Unmarshal(b, &list)
	*s = sizesView{}
	for _, size := range list {
		(*s)[size.Name] = size.sizeView
	}
	return err
}

// sizesOf are the sizes of a picture at addresses that begin so.
func sizesOf(address string, width, height int) sizesView {
	made := sizesView{}
	for _, spec := range media.PictureSizes {
		w, h := spec.Fit(width, height)
		made[spec.Name] = sizeView{Width: w, Height: h, Path: address + spec.Name}
	}
	return made
}

const pageSize = 20

func paged(items any, number, total int) any {
	pages := max(1, (total+pageSize-1)/pageSize)
	p := map[string]any{
		"page_size": pageSize, "total_count": total, "total_pages": pages, "current_page": number, "next": nil, "previous": nil,
	}
	if number < pages {
		p["next"] = number + 1
	}
	if number > 1 {
		p["previous"] = number - 1
	}
	return map[string]any{"data": items, "pagination": p}
}

// personColumns are those of personView, of the user u with the presence w.
const personColumns = "u.id, NULLIF(u.expertise, ''), u.firstname, u.lastname, u.timezone, u.location, w.seen"

type personView struct {
	UID       int64       `json:"uid"`
	Expertise *string     `json:"expertise"`
	Firstname string      `json:"firstname"`
	Lastname  string      `json:"lastname"`
	Timezone  string      `json:"timezone"`
	Location  string      `json:"location"`
	Seen      stamp       `json:"-"`
	Username  string      `json:"username" db:"-"`
	Avatar    string      `json:"avatar" db:"-"`
	Avatars   pictureView `json:"avatars" db:"-"`
	UTCOffset string      `json:"timezone_utc_offset" db:"-"`
	IsOnline  *bool       `json:"is_online,omitempty" db:"-"`
	Online    *bool       `json:"online,omitempty" db:"-"` // the same of an event's author
}

// complete computes what is not stored.
func (v *personView) complete(now time.Time) {
	m := user.Member{Firstname: v.Firstname, Lastname: v.Lastname, Seen: time.Time(v.Seen)}
	v.Username, v.IsOnline = m.FullName(), new(m.IsOnline(now))
	path := publicURL + "/media/portrait/" + strconv.FormatInt(v.UID, 10)
	v.Avatar = path + "-lg.png"
	v.Avatars = pictureView{v.Avatar, sizesView{
		"sm": {64, 64, path + "-sm.png"}, "md": {128, 128, path + "-md.png"}, "lg": {256, 256, v.Avatar},
	}}
	v.UTCOffset = now.In(locations()[v.Timezone]).Format("-07:00")
}

// locations are those of the dataset, by their names.
var locations = sync.OnceValue(func() map[string]*time.Location {
	all := map[string]*time.Location{}
	for _, name := range zones {
		all[name], _ = time.LoadLocation(name) // Plaza shows another offset if it fails
	}
	return all
})
