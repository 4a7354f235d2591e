package main

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pocketbase/pocketbase/core"
)

// publicURL is where the interface is said to be.
const publicURL = "https://plaza.example"

type wrapped struct {
	Data any `json:"data"`
}

type pageView struct {
	Data       any            `json:"data"`
	Pagination paginationView `json:"pagination"`
}

type paginationView struct {
	PageSize    int  `json:"page_size"`
	TotalCount  int  `json:"total_count"`
	TotalPages  int  `json:"total_pages"`
	CurrentPage int  `json:"current_page"`
	Next        *int `json:"next"`
	Previous    *int `json:"previous"`
}

func paged(items any, number, total int) pageView {
	p := paginationView{
		PageSize: pageSize, TotalCount: total, TotalPages: max(1, (total+pageSize-1)/pageSize), CurrentPage: number,
	}
	if number < p.TotalPages {
		p.Next = new(number + 1)
	}
	if number > 1 {
		p.Previous = new(number - 1)
	}
	return pageView{items, p}
}

type sizeView struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"path"`
}

type pictureView struct {
	Path  string              `json:"path"`
	Sizes map[string]sizeView `json:"sizes"`
}

// pictureOf reads a stored cover, or none.
func pictureOf(r *core.Record, field string) (pictureView, error) {
	var stored struct {
		Path  string `json:"path"`
		Sizes []struct {
			Name string `json:"name"`
			sizeView
		} `json:"sizes"`
	}
	err := r.UnmarshalJSONField(field, &stored)
	v := pictureView{stored.Path, make(map[string]sizeView, len(stored.Sizes))}
	for _, s := range stored.Sizes {
		v.Sizes[s.Name] = s.sizeView
	}
	return v, err
}

// number is the number of a record whose id it is.
func number(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64) // every id is recordID's
	return n
}

// orNull is nil for the zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// instant is the stored instant, rendered as the interface does: with microseconds, unless they are zero.
func instant(r *core.Record, field string) string {
	at := time.UnixMicro(int64(r.GetFloat(field))).UTC()
	if at.Nanosecond() == 0 {
		return at.Format("2006-01-02T15:04:05Z")
	}
	return at.Format("2006-01-02T15:04:05.000000Z")
}

type publicationView struct {
	ID       int64       `json:"id"`
	BundleID int         `json:"bundle_id"`
	NodeID   int         `json:"node_id"`
	Title    string      `json:"title"`
	Content  string      `json:"content"`
	Type     int         `json:"pub_type"`
	Cover    string      `json:"cover_image"`
	Covers   pictureView `json:"cover_images"`
	Author   int64       `json:"author"`
	UpdateAt string      `json:"update_at"`
	Bundle   struct {
		FirstOriginal *int `json:"first_original_id"`
		Original      *int `json:"original_id"`
	} `json:"bundle"`
	Language   string `json:"language"`
	EntityType string `json:"entity_type"`
	EntityID   int64  `json:"entity_id"`
	Kind       string `json:"kind"`
}

func viewPublication(r *core.Record) (publicationView, error) {
	covers, err := pictureOf(r, "cover")
	v := publicationView{
		ID: number(r.Id), BundleID: r.GetInt("bundle"), NodeID: r.GetInt("node"), Title: r.GetString("title"),
		Content: r.GetString("summary"), Type: r.GetInt("type"), Cover: covers.Path, Covers: covers,
		Author: number(r.GetString("author")), UpdateAt: instant(r, "updated"), Language: r.GetString("language"),
		EntityType: "publication", EntityID: number(r.Id), Kind: "feed",
	}
	v.Bundle.FirstOriginal, v.Bundle.Original = orNull(r.GetInt("first_original")), orNull(r.GetInt("original"))
	return v, err
}

type demandView struct {
	Title          string      `json:"title"`
	Description    string      `json:"description"`
	Tags           []string    `json:"tags"`
	Cover          string      `json:"auto_cover"`
	Covers         pictureView `json:"auto_covers"`
	Images         []string    `json:"images"`
	Author         memberView  `json:"author"`
	ServiceAddress *string     `json:"service_address"`
	ClosedTime     string      `json:"closed_time"`
	StartTime      string      `json:"start_time"`
	EndTime        string      `json:"end_time"`
	CreateTime     string      `json:"create_time"`
	UpdateAt       string      `json:"update_at"`
	EntityType     string      `json:"entity_type"`
	Kind           string      `json:"kind"`
	EntityID       int64       `json:"entity_id"`
	Distance       float64     `json:"distance"`
}

// viewDemand renders a demand whose author is expanded.
func viewDemand(r *core.Record, from circle, now time.Time) (demandView, error) {
	covers, err := pictureOf(r, "cover")
	v := demandView{
		Title: r.GetString("title"), Description: r.GetString("description"),
		Cover: covers.Path, Covers: covers, Author: viewMember(r.ExpandedOne("author"), now),
		ServiceAddress: orNull(r.GetString("address")), ClosedTime: instant(r, "closed"), StartTime: instant(r, "starts"),
		EndTime: instant(r, "ends"), CreateTime: instant(r, "created"), UpdateAt: instant(r, "updated"),
		EntityType: "demand", Kind: "feed", EntityID: number(r.Id), Distance: from.distanceTo(r.GetFloat("lat"), r.GetFloat("lng")),
	}
	return v, cmp.Or(err, r.UnmarshalJSONField("tags", &v.Tags), r.UnmarshalJSONField("images", &v.Images))
}

type imageView struct {
	ID         int64    `json:"id"`
	User       int64    `json:"user"`
	Img        string   `json:"img"`
	Height     int      `json:"img_height"`
	Width      int      `json:"img_width"`
	CreateTime string   `json:"create_time"`
	DeleteTime *string  `json:"delete_time"` // none: deleted images are not shown
	Tags       []string `json:"tags"`
}

func viewImage(r *core.Record) (imageView, error) {
	v := imageView{
		ID: number(r.Id), User: number(r.GetString("owner")), Img: publicURL + "/media/" + r.GetString("key"),
		Height: r.GetInt("height"), Width: r.GetInt("width"), CreateTime: instant(r, "created"),
	}
	return v, r.UnmarshalJSONField("tags", &v.Tags)
}

type memberView struct {
	UID       int64       `json:"uid"`
	Avatar    string      `json:"avatar"`
	Expertise *string     `json:"expertise"`
	Firstname string      `json:"firstname"`
	Lastname  string      `json:"lastname"`
	Username  string      `json:"username"`
	Timezone  string      `json:"timezone"`
	UTCOffset string      `json:"timezone_utc_offset"`
	Location  string      `json:"location"`
	Avatars   pictureView `json:"avatars"`
	IsOnline  bool        `json:"is_online"`
}

// onlineFor is how long after being seen a user counts as online.
const onlineFor = 5 * time.Minute

func viewMember(r *core.Record, now time.Time) memberView {
	firstname, lastname, path := r.GetString("firstname"), r.GetString("lastname"), publicURL+"/media/portrait/"+strconv.FormatInt(number(r.Id), 10)
	avatars := pictureView{path + "-lg.png", map[string]sizeView{
		"sm": {64, 64, path + "-sm.png"}, "md": {128, 128, path + "-md.png"}, "lg": {256, 256, path + "-lg.png"},
	}}
	return memberView{
		UID: number(r.Id), Avatar: avatars.Path, Expertise: orNull(r.GetString("expertise")), Firstname: firstname, Lastname: lastname,
		Username: fullName(firstname, lastname), Timezone: r.GetString("timezone"),
		UTCOffset: now.In(zoneOf(r.GetString("timezone"))).Format("-07:00"), Location: r.GetString("location"), Avatars: avatars,
		IsOnline: now.Sub(time.UnixMicro(int64(r.GetFloat("seen")))) <= onlineFor,
	}
}

// fullName is the name as people write it: in Han, Kana or Hangul the family name is first.
func fullName(firstname, lastname string) string {
	if isEastAsian(firstname) && isEastAsian(lastname) {
		return lastname + firstname
	}
	return strings.TrimSpace(firstname + " " + lastname)
}

func isEastAsian(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

var zones sync.Map // *time.Location by name

func zoneOf(name string) *time.Location {
	if known, is := zones.Load(name); is {
		return known.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	zones.Store(name, zone)
	return zone
}
