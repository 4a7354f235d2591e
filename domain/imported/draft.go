package imported

import (
	"path"
	"strings"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/news"
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

// Draft is an unchecked record: one of the types below. In files and in faults, their fields
// have their Go names in snake case.
type Draft interface {
	// Record checks the draft and returns the record. All invalid fields are one fault,
	// by their names in the record. It does no I/O: a cover's file is read through
	// CoverRecord.
	Record(s markup.Sanitiser) (Record, error)
}

// UserDraft is the draft of a UserRecord.
type UserDraft struct {
	ID        SourceID
	Username  string // the phone number for login
	Firstname string
	Lastname  string
	Expertise string
	Location  string
	Timezone  string // empty: UTC
	Joined    time.Time
}

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
type CategoryDraft feed.Category

func (d CategoryDraft) Record(markup.Sanitiser) (Record, error) {
	category, err := feed.NewCategory(feed.Category(d))
	return CategoryRecord{category}, err
}

// BundleDraft is the draft of a BundleRecord. Zero is no original.
type BundleDraft publication.Bundle

func (d BundleDraft) Record(markup.Sanitiser) (Record, error) {
	bundle, err := publication.NewBundle(publication.Bundle(d))
	return BundleRecord{bundle}, err
}

// CoverDraft is a picture in a file of the record's folder, or at an address. At an
// address, the record must state its size.
type CoverDraft struct {
	File   string
	URL    string
	Width  int
	Height int
}

// ContentDraft has the fields that publications and nodes share. Zero is no category.
type ContentDraft struct {
	Title     string
	Summary   string
	HTML      string      // the text; empty: none
	Cover     *CoverDraft // nil: none
	Author    SourceID
	Language  string
	Category  feed.CategoryID
	Published bool
	Deleted   bool
	Created   time.Time
	Updated   time.Time // zero: never
}

// content returns the content without its author, its sanitised text, and the name of the cover's file. It checks
// the cover, the author and the text; publication.New and NewNode check the rest.
func (d ContentDraft) content(s markup.Sanitiser) (c publication.Content, html markup.HTML, file coverFile, wrong fault.Fields) {
	cover, file, wrong := d.Cover.picture(media.CoverSM)
	wrong.Add("author", d.Author.problem())
	html, problem := sanitised(s, d.HTML, publication.HTMLLimit)
	wrong.Add("html", problem)
	return publication.Content{
		Title: d.Title, Summary: d.Summary, Cover: cover, Language: d.Language, Category: d.Category,
		Published: d.Published, Deleted: d.Deleted, Created: d.Created, Updated: d.Updated,
	}, html, file, wrong
}

// sanitised returns the sanitised HTML, which must be within the limit, or the problem with it. Sanitising may shorten
// the HTML, so only far too long HTML is rejected before it.
func sanitised(s markup.Sanitiser, raw string, limit text.Limit) (clean markup.HTML, problem string) {
	if problem = (text.Limit{Bytes: 4 * limit.Bytes}).Problem(raw); problem != "" {
		return "", problem
	}
	if clean = s.Sanitise(raw); limit.Problem(string(clean)) != "" {
		return "", limit.Problem(string(clean))
	}
	return clean, ""
}

// PublicationDraft is the draft of a PublicationRecord. Zero is no node.
type PublicationDraft struct {
	ID     publication.ID
	Bundle publication.BundleID
	Node   publication.NodeID
	Type   publication.Type
	ContentDraft
}

func (d PublicationDraft) Record(s markup.Sanitiser) (Record, error) {
	content, html, file, wrong := d.content(s)
	p, err := publication.New(publication.Publication{
		ID: d.ID, Bundle: publication.Bundle{ID: d.Bundle}, Node: d.Node, Type: d.Type, Content: content,
	})
	wrong.Merge(fault.FieldsOf(err))
	return PublicationRecord{Publication: p, HTML: html, By: string(d.Author), coverFile: file}, wrong.Err()
}

// NodeDraft is the draft of a NodeRecord. Zero is no bundle.
type NodeDraft struct {
	ID     publication.NodeID
	Bundle publication.BundleID
	ContentDraft
}

func (d NodeDraft) Record(s markup.Sanitiser) (Record, error) {
	content, html, file, wrong := d.content(s)
	n, err := publication.NewNode(publication.Node{ID: d.ID, Bundle: d.Bundle, Content: content})
	wrong.Merge(fault.FieldsOf(err))
	return NodeRecord{Node: n, HTML: html, By: string(d.Author), coverFile: file}, wrong.Err()
}

// DemandDraft is the draft of a DemandRecord. Zero is no category. Lat and Lng are both
// set or both nil.
type DemandDraft struct {
	ID          demand.ID
	Title       string
	Description string
	Tags        []string
	Cover       *CoverDraft // nil: none
	Images      []string    // addresses
	Author      SourceID
	Address     string
	Category    feed.CategoryID
	Lat         *float64
	Lng         *float64
	Closed      time.Time
	Start       time.Time
	End         time.Time
	Published   bool
	Deleted     bool
	Created     time.Time
	Updated     time.Time // zero: never
}

func (d DemandDraft) Record(markup.Sanitiser) (Record, error) {
	cover, file, wrong := d.Cover.picture(media.DemandCoverMD)
	place, problems := geo.PointOf(d.Lat, d.Lng)
	wrong.Merge(problems)
	made, err := demand.New(demand.Demand{
		ID: d.ID, Title: d.Title, Description: d.Description, Tags: d.Tags, Cover: cover, Images: d.Images,
		Address: d.Address, Category: d.Category, Place: place, Closed: d.Closed, Start: d.Start, End: d.End,
		Published: d.Published, Deleted: d.Deleted, Created: d.Created, Updated: d.Updated,
	})
	wrong.Merge(fault.FieldsOf(err))
	wrong.Add("author", d.Author.problem())
	return DemandRecord{Demand: made, By: string(d.Author), coverFile: file}, wrong.Err()
}

// HowToDraft is the draft of a HowToRecord.
type HowToDraft struct {
	Category string
	Robot    SourceID
	Bundles  []publication.BundleID
	Created  time.Time
	Updated  time.Time // zero: never
}

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
	ID       SourceID
	SiteName string
	SiteLogo string
	URL      string
	Title    string
	Released calendar.Date
	HTML     string
	Category string
	City     string
	District string
	Province string
	Country  string
}

func (d NewsDraft) Record(s markup.Sanitiser) (Record, error) {
	var wrong fault.Fields
	wrong.Add("id", d.ID.problem())
	clean, problem := sanitised(s, d.HTML, news.HTMLLimit)
	wrong.Add("html", problem)
	item, err := news.New(news.Item{
		SiteName: d.SiteName, SiteLogo: d.SiteLogo, URL: d.URL, Title: d.Title, Released: d.Released, HTML: clean,
		Category: d.Category, City: d.City, District: d.District, Province: d.Province, Country: d.Country,
	})
	wrong.Merge(fault.FieldsOf(err))
	return NewsRecord{Source: string(d.ID), Item: item}, wrong.Err()
}

// picture returns the cover at its address, or the name of its file.
func (d *CoverDraft) picture(size string) (p media.Picture, file coverFile, wrong fault.Fields) {
	switch {
	case d == nil:
	case d.File != "" && (d.URL != "" || d.Width != 0 || d.Height != 0):
		wrong.Add("cover", "Enter either a file, or a url with width and height.")
	case d.File != "":
		file = coverFile(d.File)
		wrong.Add("cover.file", fileProblem(d.File))
	default:
		var err error
		p, err = media.CoverAt(d.URL, size, d.Width, d.Height)
		for field, texts := range fault.FieldsOf(err) {
			wrong.Merge(fault.Fields{"cover." + field: texts})
		}
	}
	return p, file, wrong
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
