package imported

import (
	"path"
	"strings"
	"time"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/text"
	"plaza/domain/user"
)

// SourceID is a textual id of the source. Some files have it as an integer.
type SourceID string

// SourceLimit bounds the ids.
var SourceLimit = text.Limit{Chars: 200}

func (id SourceID) problem() string { return SourceLimit.RequiredProblem(string(id)) }

// fileLimit bounds the file names of covers.
var fileLimit = text.Limit{Bytes: 1024}

// Draft is an unchecked record: one of the types below. Their tags are the names of the
// fields in files and in faults.
type Draft interface {
	// Record checks the draft and returns the record. All invalid fields are one fault,
	// by their names in the record. It does no I/O: a cover's file is read through
	// CoverRecord.
	Record(s markup.Sanitiser) (Record, error)
}

// UserDraft is the draft of a UserRecord.
type UserDraft struct {
	ID        SourceID  `json:"id"`
	Username  string    `json:"username"` // the phone number for login
	Firstname string    `json:"firstname"`
	Lastname  string    `json:"lastname"`
	Expertise string    `json:"expertise"`
	Location  string    `json:"location"`
	Timezone  string    `json:"timezone"` // empty: UTC
	Joined    time.Time `json:"joined"`
}

// Record implements Draft.
func (d UserDraft) Record(markup.Sanitiser) (Record, error) {
	member, err := user.NewMember(user.Member{
		Firstname: d.Firstname, Lastname: d.Lastname, Expertise: d.Expertise, Location: d.Location, Timezone: d.Timezone,
	})
	wrong := fault.FieldsOf(err)
	wrong.Add("id", d.ID.problem())
	phone, err := user.ParsePhone(d.Username)
	wrong.Merge(fault.FieldsOf(fault.OnField("username", err)))
	member.Joined = instant.Normalise(d.Joined)
	wrong.Add("joined", instant.Problem(member.Joined))
	return UserRecord{Source: string(d.ID), Phone: phone, Member: member}, wrong.Err()
}

// CategoryDraft is the draft of a CategoryRecord. A zero Parent is no parent.
type CategoryDraft struct {
	ID     feed.CategoryID `json:"id"`
	Parent feed.CategoryID `json:"parent"`
	Name   string          `json:"name"`
	Slug   string          `json:"slug"`
}

// Record implements Draft.
func (d CategoryDraft) Record(markup.Sanitiser) (Record, error) {
	category, err := feed.NewCategory(feed.Category(d))
	return CategoryRecord{category}, err
}

// BundleDraft is the draft of a BundleRecord. Zero is no original.
type BundleDraft struct {
	ID            publication.BundleID `json:"id"`
	FirstOriginal publication.BundleID `json:"first_original"`
	Original      publication.BundleID `json:"original"`
}

// Record implements Draft.
func (d BundleDraft) Record(markup.Sanitiser) (Record, error) {
	bundle, err := publication.NewBundle(publication.Bundle(d))
	return BundleRecord{bundle}, err
}

// CoverDraft is a picture in a file of the record's folder, or at an address. At an
// address, the record must state its size.
type CoverDraft struct {
	File   string `json:"file"`
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// ContentDraft has the fields that publications and nodes share. Zero is no category.
type ContentDraft struct {
	Title     string          `json:"title"`
	Summary   string          `json:"summary"`
	Cover     *CoverDraft     `json:"cover"` // nil: none
	Author    SourceID        `json:"author"`
	Language  string          `json:"language"`
	Category  feed.CategoryID `json:"category"`
	Published bool            `json:"published"`
	Deleted   bool            `json:"deleted"`
	Created   time.Time       `json:"created"`
	Updated   time.Time       `json:"updated"` // zero: never
}

// content returns the content without its author, and the name of the cover's file. It checks
// the cover and the author; publication.New and NewNode check the rest.
func (d ContentDraft) content() (c publication.Content, file coverFile, wrong fault.Fields) {
	cover, file, wrong := d.Cover.picture(media.CoverSM)
	wrong.Add("author", d.Author.problem())
	return publication.Content{
		Title: d.Title, Summary: d.Summary, Cover: cover, Language: d.Language, Category: d.Category,
		Published: d.Published, Deleted: d.Deleted, Created: d.Created, Updated: d.Updated,
	}, file, wrong
}

// PublicationDraft is the draft of a PublicationRecord. Zero is no node.
type PublicationDraft struct {
	ID     publication.ID       `json:"id"`
	Bundle publication.BundleID `json:"bundle"`
	Node   publication.NodeID   `json:"node"`
	Type   publication.Type     `json:"type"`
	ContentDraft
}

// Record implements Draft.
func (d PublicationDraft) Record(markup.Sanitiser) (Record, error) {
	content, file, wrong := d.content()
	p, err := publication.New(publication.Publication{
		ID: d.ID, Bundle: publication.Bundle{ID: d.Bundle}, Node: d.Node, Type: d.Type, Content: content,
	})
	wrong.Merge(fault.FieldsOf(err))
	return PublicationRecord{Publication: p, By: string(d.Author), coverFile: file}, wrong.Err()
}

// NodeDraft is the draft of a NodeRecord. Zero is no bundle.
type NodeDraft struct {
	ID     publication.NodeID   `json:"id"`
	Bundle publication.BundleID `json:"bundle"`
	ContentDraft
}

// Record implements Draft.
func (d NodeDraft) Record(markup.Sanitiser) (Record, error) {
	content, file, wrong := d.content()
	n, err := publication.NewNode(publication.Node{ID: d.ID, Bundle: d.Bundle, Content: content})
	wrong.Merge(fault.FieldsOf(err))
	return NodeRecord{Node: n, By: string(d.Author), coverFile: file}, wrong.Err()
}

// DemandDraft is the draft of a DemandRecord. Zero is no category. Lat and Lng are both
// set or both nil.
type DemandDraft struct {
	ID          demand.ID       `json:"id"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Tags        []string        `json:"tags"`
	Cover       *CoverDraft     `json:"cover"`  // nil: none
	Images      []string        `json:"images"` // addresses
	Author      SourceID        `json:"author"`
	Address     string          `json:"address"`
	Category    feed.CategoryID `json:"category"`
	Lat         *float64        `json:"lat"`
	Lng         *float64        `json:"lng"`
	Closed      time.Time       `json:"closed"`
	Start       time.Time       `json:"start"`
	End         time.Time       `json:"end"`
	Published   bool            `json:"published"`
	Deleted     bool            `json:"deleted"`
	Created     time.Time       `json:"created"`
	Updated     time.Time       `json:"updated"` // zero: never
}

// Record implements Draft.
func (d DemandDraft) Record(markup.Sanitiser) (Record, error) {
	cover, file, wrong := d.Cover.picture(media.DemandCoverMD)
	place := d.place(&wrong)
	made, err := demand.New(demand.Demand{
		ID: d.ID, Title: d.Title, Description: d.Description, Tags: d.Tags, Cover: cover, Images: d.Images,
		Address: d.Address, Category: d.Category, Place: place, Closed: d.Closed, Start: d.Start, End: d.End,
		Published: d.Published, Deleted: d.Deleted, Created: d.Created, Updated: d.Updated,
	})
	wrong.Merge(fault.FieldsOf(err))
	wrong.Add("author", d.Author.problem())
	return DemandRecord{Demand: made, By: string(d.Author), coverFile: file}, wrong.Err()
}

// place returns the place of the demand; nil: none. It adds the problems with it.
func (d DemandDraft) place(wrong *fault.Fields) *geo.Point {
	switch {
	case d.Lat == nil && d.Lng == nil:
	case d.Lat == nil:
		wrong.Add("lat", text.Required)
	case d.Lng == nil:
		wrong.Add("lng", text.Required)
	default:
		point := &geo.Point{Lat: *d.Lat, Lng: *d.Lng}
		lat, lng := point.Problems()
		wrong.Add("lat", lat)
		wrong.Add("lng", lng)
		return point
	}
	return nil
}

// HowToDraft is the draft of a HowToRecord.
type HowToDraft struct {
	Category string                 `json:"category"`
	Robot    SourceID               `json:"robot"`
	Bundles  []publication.BundleID `json:"bundles"`
	Created  time.Time              `json:"created"`
	Updated  time.Time              `json:"updated"` // zero: never
}

// Record implements Draft.
func (d HowToDraft) Record(markup.Sanitiser) (Record, error) {
	howTo, err := publication.NewHowTo(publication.HowTo{
		Category: d.Category, Bundles: d.Bundles, Created: d.Created, Updated: d.Updated,
	})
	wrong := fault.FieldsOf(err)
	wrong.Add("robot", d.Robot.problem())
	return HowToRecord{HowTo: howTo, By: string(d.Robot)}, wrong.Err()
}

// NewsDraft is the draft of a NewsRecord.
type NewsDraft struct {
	ID       SourceID   `json:"id"`
	SiteName string     `json:"site_name"`
	SiteLogo string     `json:"site_logo"`
	URL      string     `json:"url"`
	Title    string     `json:"title"`
	Released event.Date `json:"released"`
	HTML     string     `json:"html"`
	Category string     `json:"category"`
	City     string     `json:"city"`
	District string     `json:"district"`
	Province string     `json:"province"`
	Country  string     `json:"country"`
}

// Record implements Draft. It sanitises the HTML.
func (d NewsDraft) Record(s markup.Sanitiser) (Record, error) {
	var wrong fault.Fields
	wrong.Add("id", d.ID.problem())
	// Sanitising may shorten the HTML, so only far too long HTML is rejected before it.
	wrong.Add("html", text.Limit{Bytes: 4 * event.NewsHTMLLimit.Bytes}.Problem(d.HTML))
	var clean markup.HTML
	if len(wrong["html"]) == 0 {
		clean = s.Sanitise(d.HTML)
	}
	news, err := event.NewNews(event.News{
		SiteName: d.SiteName, SiteLogo: d.SiteLogo, URL: d.URL, Title: d.Title, Released: d.Released, HTML: clean,
		Category: d.Category, City: d.City, District: d.District, Province: d.Province, Country: d.Country,
	})
	wrong.Merge(fault.FieldsOf(err))
	return NewsRecord{Source: string(d.ID), News: news}, wrong.Err()
}

// picture returns the cover at its address, or the name of its file.
func (d *CoverDraft) picture(size string) (p media.Picture, file coverFile, wrong fault.Fields) {
	switch {
	case d == nil:
		return media.Picture{}, "", nil
	case d.File != "" && (d.URL != "" || d.Width != 0 || d.Height != 0):
		wrong.Add("cover", "Enter either a file, or a url with width and height.")
	case d.File != "":
		wrong.Add("cover.file", fileProblem(d.File))
		return media.Picture{}, coverFile(d.File), wrong
	default:
		picture, err := media.CoverAt(d.URL, size, d.Width, d.Height)
		for field, texts := range fault.FieldsOf(err) {
			wrong.Merge(fault.Fields{"cover." + field: texts})
		}
		return picture, "", wrong
	}
	return media.Picture{}, "", wrong
}

// fileProblem returns the problem with the name of a file, or an empty text. The file
// must be in the folder of the record's file or below it.
func fileProblem(name string) string {
	if p := fileLimit.RequiredProblem(name); p != "" {
		return p
	}
	if path.IsAbs(name) || path.Clean(name) != name || name == "." || strings.HasPrefix(name, "..") || strings.Contains(name, "\\") {
		return "Enter a relative path with slashes to a file in the same folder or below it."
	}
	return ""
}
