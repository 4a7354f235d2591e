package bunstore

import (
	"strconv"
	"strings"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// pendingRows is a table into which an import adds many rows.
type pendingRows struct {
	table   string
	columns []string // the lookup column comes first
}

func rowsOf(table, columns string) pendingRows {
	return pendingRows{table, strings.Split(columns, ", ")}
}

const contentColumnNames = "title, summary, cover, author_id, language, category_id, published, deleted, created, updated"

var (
	userRows        = rowsOf("users", "source, firstname, lastname, expertise, location, timezone, joined, phone, password_hash, scopes, staff, disabled, generation")
	categoryRows    = rowsOf("categories", "id, parent_id, name, slug")
	bundleRows      = rowsOf("bundles", "id, first_original_id, original_id")
	publicationRows = rowsOf("publications", "id, bundle_id, first_original_id, original_id, node_id, type, "+contentColumnNames)
	nodeRows        = rowsOf("nodes", "id, bundle_id, "+contentColumnNames)
	demandRows      = rowsOf("demands", "id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated")
	howToRows       = rowsOf("howtos", "category, robot_id, bundles, created, updated")
	newsRows        = rowsOf("news", "source, site_name, site_logo, url, title, released, html, category, city, district, province, country")
	listingRows     = rowsOf("feed_listings", "kind, id, category_id, created, updated, lat, lng")
	lineRows        = rowsOf("import_lines", "file, number, kind, source, raw")
	recordRows      = map[feed.Kind]pendingRows{feed.Publication: publicationRows, feed.Node: nodeRows, feed.Demand: demandRows}
	listedKinds     = map[imported.Kind]feed.Kind{imported.Publication: feed.Publication, imported.Node: feed.Node, imported.Demand: feed.Demand}
)

// list returns the columns for a statement.
func (p pendingRows) list() string { return strings.Join(p.columns, ", ") }

// update returns the statement that updates a row. The first keys columns identify the
// row.
func (p pendingRows) update(keys int) string {
	var sets, where []string
	for i, column := range p.columns {
		is := column + " = $" + strconv.Itoa(i+1)
		if i < keys {
			where = append(where, is)
		} else {
			sets = append(sets, is)
		}
	}
	return "UPDATE " + p.table + " SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(where, " AND ")
}

// rowCodec converts domain values into column values, and back.
type rowCodec struct{ d dialect }

func (rowCodec) orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// cover never fails: JSON can represent every picture.
func (rowCodec) cover(c cover) any {
	text, err := c.text()
	if text == "" || err != nil {
		return nil
	}
	return text
}

func (r rowCodec) content(c publication.Content) []any {
	return []any{
		c.Title, c.Summary, r.cover(cover{c.Cover}), int64(c.Author), c.Language, r.orNull(int64(c.Category)),
		c.Published, c.Deleted, r.d.instant(dbTime{c.Created}), r.d.instant(dbTime{c.Updated}),
	}
}

// record returns the values of a listable record.
func (r rowCodec) record(t feed.Listable) []any {
	switch t := t.(type) {
	case publication.Publication:
		return append([]any{
			int64(t.ID), r.orNull(int64(t.Bundle.ID)), r.orNull(int64(t.Bundle.FirstOriginal)), r.orNull(int64(t.Bundle.Original)),
			r.orNull(int64(t.Node)), int64(t.Type),
		}, r.content(t.Content)...)
	case publication.Node:
		return append([]any{int64(t.ID), r.orNull(int64(t.Bundle))}, r.content(t.Content)...)
	}
	return r.demand(t.(demand.Demand))
}

func (r rowCodec) demand(d demand.Demand) []any {
	var lat, lng any
	if d.Place != nil {
		lat, lng = d.Place.Lat, d.Place.Lng
	}
	return []any{
		int64(d.ID), d.Title, d.Description, r.d.listOf(filled(d.Tags)), r.cover(cover{d.Cover}), r.d.listOf(filled(d.Images)),
		int64(d.Author), d.Address, r.orNull(int64(d.Category)), lat, lng,
		r.d.instant(dbTime{d.Closed}), r.d.instant(dbTime{d.Start}), r.d.instant(dbTime{d.End}),
		d.Published, d.Deleted, r.d.instant(dbTime{d.Created}), r.d.instant(dbTime{d.Updated}),
	}
}

func (r rowCodec) listing(l *listingRow) []any {
	return []any{string(l.Kind), l.ID, int64(l.CategoryID), r.d.instant(l.Created), r.d.instant(l.Updated), l.Lat, l.Lng}
}

func (r rowCodec) category(c feed.Category) []any {
	return []any{int64(c.ID), r.orNull(int64(c.Parent)), c.Name, c.Slug}
}

func (r rowCodec) bundle(b publication.Bundle) []any {
	return []any{int64(b.ID), r.orNull(int64(b.FirstOriginal)), r.orNull(int64(b.Original))}
}

// user returns the values of a new account.
func (r rowCodec) user(p imported.UserRecord) []any {
	return []any{
		p.Source, p.Firstname, p.Lastname, p.Expertise, p.Location, p.Timezone, r.d.instant(dbTime{p.Joined}),
		p.Phone.String(), "", r.d.listOf([]string{}), false, false, int64(0),
	}
}

func (r rowCodec) howTo(h publication.HowTo) []any {
	return []any{
		h.Category, int64(h.Robot), r.d.listOf(numbers(h.Bundles)), r.d.instant(dbTime{h.Created}), r.d.instant(dbTime{h.Updated}),
	}
}

func (r rowCodec) news(c imported.NewsRecord) []any {
	return []any{
		c.Source, c.SiteName, c.SiteLogo, c.URL, c.Title, r.d.date(c.Released), string(c.HTML), c.Category, c.City, c.District,
		c.Province, c.Country,
	}
}

// scanner scans a stored row.
type scanner func(...any) error

func contentTargets(c *contentColumns) []any {
	return []any{
		&c.Title, &c.Summary, &c.Cover, &c.AuthorID, &c.Language, orZeroNumber[feed.CategoryID]{&c.CategoryID},
		&c.Published, &c.Deleted, &c.Created, &c.Updated,
	}
}

// scanRecord scans a record of the kind.
func (r rowCodec) scanRecord(kind feed.Kind, scan scanner) (id int64, _ feed.Listable, err error) {
	switch kind {
	case feed.Publication:
		var row publicationRow
		err := scan(append([]any{
			&row.ID, orZeroNumber[publication.BundleID]{&row.BundleID}, orZeroNumber[publication.BundleID]{&row.FirstOriginalID},
			orZeroNumber[publication.BundleID]{&row.OriginalID}, orZeroNumber[publication.NodeID]{&row.NodeID}, &row.Type,
		}, contentTargets(&row.contentColumns)...)...)
		return int64(row.ID), row.publication(), err
	case feed.Node:
		var row nodeRow
		err := scan(append([]any{&row.ID, orZeroNumber[publication.BundleID]{&row.BundleID}}, contentTargets(&row.contentColumns)...)...)
		return int64(row.ID), row.node(), err
	}
	d, err := r.scanDemand(scan)
	return int64(d.ID), d, err
}

func (r rowCodec) scanDemand(scan scanner) (demand.Demand, error) {
	var row demandRow
	err := scan(&row.ID, &row.Title, &row.Description, r.d.list(&row.Tags), &row.Cover, r.d.list(&row.Images), &row.AuthorID, &row.Address,
		orZeroNumber[feed.CategoryID]{&row.CategoryID}, &row.Lat, &row.Lng, &row.Closed, &row.Starts, &row.Ends,
		&row.Published, &row.Deleted, &row.Created, &row.Updated)
	return row.demand(), err
}

func (rowCodec) scanBundle(scan scanner) (b publication.Bundle, err error) {
	err = scan(&b.ID, orZeroNumber[publication.BundleID]{&b.FirstOriginal}, orZeroNumber[publication.BundleID]{&b.Original})
	return b, err
}

func (rowCodec) scanCategory(scan scanner) (c feed.Category, err error) {
	err = scan(&c.ID, orZeroNumber[feed.CategoryID]{&c.Parent}, &c.Name, &c.Slug)
	return c, err
}

// account is a stored account.
type account struct {
	source  string // empty unless imported
	phone   user.Phone
	adopted bool
	user.Member
}

const accountColumns = "id, source, phone, adopted, firstname, lastname, expertise, location, timezone, joined"

func (rowCodec) scanAccount(scan scanner) (a account, err error) {
	var phone string
	var joined dbTime
	err = scan(&a.ID, orZeroText[string]{&a.source}, &phone, &a.adopted, &a.Firstname, &a.Lastname, &a.Expertise, &a.Location, &a.Timezone, &joined)
	if err != nil {
		return account{}, err
	}
	a.Joined = joined.Time
	a.phone, err = phoneOf(phone)
	return a, err
}

func (r rowCodec) scanHowTo(scan scanner) (robot string, h publication.HowTo, err error) {
	var bundles []int64
	var created, updated dbTime
	err = scan(&robot, &h.Category, &h.Robot, r.d.list(&bundles), &created, &updated)
	for _, id := range bundles {
		h.Bundles = append(h.Bundles, publication.BundleID(id))
	}
	h.Created, h.Updated = created.Time, updated.Time
	return robot, h, err
}

func (rowCodec) scanNews(scan scanner) (c imported.NewsRecord, err error) {
	var released dbDate
	err = scan(&c.Source, &c.SiteName, &c.SiteLogo, &c.URL, &c.Title, &released, &c.HTML, &c.Category, &c.City, &c.District, &c.Province, &c.Country)
	c.Released = released.Date
	return c, err
}
