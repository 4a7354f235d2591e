package bench

import (
	"encoding/json"
	"time"

	"plaza/domain/user"
)

// The responses of the floor, field by field as in the interface.

type stamp time.Time

func (s stamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z"), nil
}

func (s stamp) MarshalJSON() ([]byte, error) {
	b, err := s.AppendText(append(make([]byte, 0, 32), '"'))
	return append(b, '"'), err
}

type (
	wrapped struct {
		Data any `json:"data"`
	}
	pageView struct {
		Data       any        `json:"data"`
		Pagination pagination `json:"pagination"`
	}
	pagination struct {
		PageSize    int  `json:"page_size"`
		TotalCount  int  `json:"total_count"`
		TotalPages  int  `json:"total_pages"`
		CurrentPage int  `json:"current_page"`
		Next        *int `json:"next"`
		Previous    *int `json:"previous"`
	}
	sizeView struct {
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Path   string `json:"path"`
	}
	portraitView struct {
		Path  string        `json:"path"`
		Sizes portraitSizes `json:"sizes"`
	}
	portraitSizes struct {
		Small  sizeView `json:"sm"`
		Medium sizeView `json:"md"`
		Large  sizeView `json:"lg"`
	}
	coverView struct {
		Path  string              `json:"path"`
		Sizes map[string]sizeView `json:"sizes"`
	}
)

const pageSize = 20

func paged(items any, number, total int) pageView {
	p := pagination{PageSize: pageSize, TotalCount: total, TotalPages: max(1, (total+pageSize-1)/pageSize), CurrentPage: number}
	if number < p.TotalPages {
		p.Next = new(number + 1)
	}
	if number > 1 {
		p.Previous = new(number - 1)
	}
	return pageView{items, p}
}

// coverOf makes a stored cover, or none, what is shown of it.
func coverOf(text []byte) (v coverView, err error) {
	v.Sizes = map[string]sizeView{}
	if len(text) == 0 {
		return v, nil
	}
	var stored struct {
		Path  string `json:"path"`
		Sizes []struct {
			Name string `json:"name"`
			sizeView
		} `json:"sizes"`
	}
	err = json.Unmarshal(text, &stored)
	v.Path = stored.Path
	for _, s := range stored.Sizes {
		v.Sizes[s.Name] = s.sizeView
	}
	return v, err
}

// memberRow is what is read of a person wherever one is shown.
type memberRow struct {
	id                                                 int64
	firstname, lastname, expertise, location, timezone string
	seen                                               time.Time
}

const memberColumns = "u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, w.seen"

func (m *memberRow) fullName() string {
	return user.Member{Firstname: m.firstname, Lastname: m.lastname}.FullName()
}

func (m *memberRow) isOnline(now time.Time) bool { return user.Member{Seen: m.seen}.IsOnline(now) }

type (
	personView struct {
		UID       int64        `json:"uid"`
		Avatar    string       `json:"avatar"`
		Expertise *string      `json:"expertise"`
		Firstname string       `json:"firstname"`
		Lastname  string       `json:"lastname"`
		Username  string       `json:"username"`
		Timezone  string       `json:"timezone"`
		UTCOffset string       `json:"timezone_utc_offset"`
		Location  string       `json:"location"`
		Avatars   portraitView `json:"avatars"`
		IsOnline  bool         `json:"is_online"`
	}
	// authorView is a person whose flag is called otherwise.
	authorView struct {
		UID       int64        `json:"uid"`
		Avatar    string       `json:"avatar"`
		Expertise *string      `json:"expertise"`
		Firstname string       `json:"firstname"`
		Lastname  string       `json:"lastname"`
		Username  string       `json:"username"`
		Timezone  string       `json:"timezone"`
		UTCOffset string       `json:"timezone_utc_offset"`
		Location  string       `json:"location"`
		Avatars   portraitView `json:"avatars"`
		IsOnline  bool         `json:"online"`
	}
	publicationView struct {
		ID         int64      `json:"id"`
		BundleID   int64      `json:"bundle_id"`
		NodeID     int64      `json:"node_id"`
		Title      string     `json:"title"`
		Content    string     `json:"content"`
		Type       int        `json:"pub_type"`
		Cover      string     `json:"cover_image"`
		Covers     coverView  `json:"cover_images"`
		Author     int64      `json:"author"`
		UpdateAt   stamp      `json:"update_at"`
		Bundle     bundleView `json:"bundle"`
		Language   string     `json:"language"`
		EntityType string     `json:"entity_type"`
		EntityID   int64      `json:"entity_id"`
		Kind       string     `json:"kind"`
	}
	bundleView struct {
		FirstOriginal *int64 `json:"first_original_id"`
		Original      *int64 `json:"original_id"`
	}
	demandView struct {
		Title          string     `json:"title"`
		Description    string     `json:"description"`
		Tags           []string   `json:"tags"`
		Cover          string     `json:"auto_cover"`
		Covers         coverView  `json:"auto_covers"`
		Images         []string   `json:"images"`
		Author         personView `json:"author"`
		ServiceAddress *string    `json:"service_address"`
		ClosedTime     stamp      `json:"closed_time"`
		StartTime      stamp      `json:"start_time"`
		EndTime        stamp      `json:"end_time"`
		CreateTime     stamp      `json:"create_time"`
		UpdateAt       stamp      `json:"update_at"`
		EntityType     string     `json:"entity_type"`
		Kind           string     `json:"kind"`
		EntityID       int64      `json:"entity_id"`
		Distance       *float64   `json:"distance"`
	}
	shelfView struct {
		ID       any      `json:"id"`
		Name     *string  `json:"name,omitempty"`
		ParentID *int64   `json:"parent_id"`
		Kind     string   `json:"kind"`
		Slug     string   `json:"slug"`
		Level    int      `json:"level"`
		Meta     metaView `json:"meta"`
	}
	categoryView struct {
		shelfView
		Parent   *shelfView     `json:"parent,omitempty"`
		Children []categoryView `json:"children"`
	}
	metaView struct {
		CreatedAt *stamp `json:"feed_created_at"`
		UpdatedAt *stamp `json:"feed_updated_at"`
		Count     int    `json:"feeds_count"`
	}
	imageView struct {
		ID         int64    `json:"id"`
		User       int64    `json:"user"`
		Img        string   `json:"img"`
		Height     int      `json:"img_height"`
		Width      int      `json:"img_width"`
		CreateTime stamp    `json:"create_time"`
		DeleteTime *stamp   `json:"delete_time"`
		Tags       []string `json:"tags"`
	}
)
