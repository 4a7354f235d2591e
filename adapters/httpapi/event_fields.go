package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/diary"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/news"
	"plaza/domain/user"
)

// eventBody is the body of a new event (EVT-02) or of a change (EVT-03). No field has a
// default (EVT-06).
type eventBody struct {
	Title      *string                             `json:"title"`
	Content    *string                             `json:"content"`
	HTML       *string                             `json:"html_content"`
	Date       *calendar.Date                      `json:"event_time"`
	Permission *event.Permission                   `json:"view_permission"`
	Category   transport.Nullable[feed.CategoryID] `json:"category"`
	Publish    *bool                               `json:"publish"`
}

func (b *eventBody) change() event.Change {
	c := event.Change{Title: b.Title, Content: b.Content, HTML: b.HTML, Date: b.Date, Permission: b.Permission, Publish: b.Publish}
	if b.Category.Sent {
		c.Category = &b.Category.Value
		if !b.Category.Null && b.Category.Value == 0 {
			c.Category = new(feed.CategoryID(-1)) // no category has this ID; null means none, not zero
		}
	}
	return c
}

// eventFields holds the fields shared by an event and the events of its moment.
type eventFields struct {
	ID           event.ID            `json:"id"`
	EventTime    string              `json:"event_time"`
	Title        string              `json:"title"`
	Content      string              `json:"content"`
	HTML         markup.HTML         `json:"html_content"`
	Category     *feed.CategoryID    `json:"category"`
	CategoryName *string             `json:"category_name"`
	Plates       []plateView         `json:"plates"`
	Permission   event.Permission    `json:"view_permission"`
	CreateTime   transport.Timestamp `json:"create_time"`
	LastModified transport.Timestamp `json:"last_modified"`
	Status       event.Status        `json:"status"`
	User         author              `json:"user"`
	City         *string             `json:"city"`
	District     *string             `json:"district"`
	Province     *string             `json:"province"`
	Comments     []commentView       `json:"comments"`
	IsHidden     bool                `json:"is_hidden,omitzero"` // by staff; its author alone sees it then (MOD-06)
}

// eventView is an event (EVT-01).
type eventView struct {
	eventFields
	CommentCount int           `json:"comment_count"`
	LikeCount    int           `json:"like_count"`
	TheMoment    []eventFields `json:"the_moment"` // without their comments (EVT-14)
	PlaceAround  []placeAround `json:"place_around"`
}

type plateView struct {
	ID         event.PlateID       `json:"id"`
	User       user.ID             `json:"user"`
	UserName   string              `json:"user_name"`
	Photo      string              `json:"photo"`
	Width      *int                `json:"width"`
	Height     *int                `json:"height"`
	Sizes      *sizes              `json:"sizes"`
	CreateTime transport.Timestamp `json:"create_time"`
}

// placeAround is a news item of the event's day (EVT-15).
type placeAround struct {
	SiteName    string      `json:"site_name"`
	URL         string      `json:"url"`
	Title       string      `json:"title"`
	ReleaseDate string      `json:"release_date"`
	HTML        markup.HTML `json:"html_content"`
	City        string      `json:"city"`
	Category    string      `json:"category"`
	SiteLogo    string      `json:"site_logo"`
	District    string      `json:"district"`
	Province    string      `json:"province"`
	Country     *string     `json:"country"`
}

func (a *api) renderEvent(people users, s diary.View) eventView {
	view := eventView{
		eventFields:  a.renderEventFields(people, s.Event, s.Category),
		CommentCount: s.Counts.Comments,
		LikeCount:    s.Likes,
		TheMoment: mapSlice(s.Moment, func(m diary.Moment) eventFields {
			return a.renderEventFields(people, m.Event, m.Category)
		}),
		PlaceAround: mapSlice(s.News, renderNews),
	}
	view.Comments = mapSlice(s.Comments, people.renderComment)
	return view
}

func (a *api) renderEventFields(people users, e *event.Event, category string) eventFields {
	s := e.State()
	who := people[s.Author]
	return eventFields{
		ID: s.ID, EventTime: s.Date.String(), Title: s.Title, Content: s.Content, HTML: s.HTML,
		Category: view.OrNull(s.Category), CategoryName: view.OrNull(category),
		Plates:     mapSlice(s.ShownPlates(), func(p event.Plate) plateView { return a.renderPlate(who, p) }),
		Permission: s.Permission, CreateTime: transport.Timestamp(s.Created), LastModified: transport.Timestamp(s.Modified),
		Status: s.Status, User: renderAuthor(who),
		City: view.OrNull(s.Place.City), District: view.OrNull(s.Place.District), Province: view.OrNull(s.Place.Province),
		Comments: []commentView{}, IsHidden: s.IsHidden,
	}
}

// renderPlate renders the plate with signed URLs that expire (PLA-04), and its sizes (PLA-05).
func (a *api) renderPlate(author user.Info, p event.Plate) plateView {
	photo := renderPicture(a.Diary.Photo(p))
	return plateView{
		p.ID, author.ID, author.Username, photo.Path, view.OrNull(p.Width), view.OrNull(p.Height), view.OrNull(photo.Sizes),
		transport.Timestamp(p.Created),
	}
}

func renderNews(n news.Item) placeAround {
	return placeAround{
		SiteName: n.SiteName, URL: n.URL, Title: n.Title, ReleaseDate: n.Released.String(), HTML: n.HTML,
		City: n.City, Category: n.Category, SiteLogo: n.SiteLogo,
		District: n.District, Province: n.Province, Country: view.OrNull(n.Country),
	}
}
