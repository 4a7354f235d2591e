package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plaza/domain/geo"
)

type publicationView struct {
	Total      int    `json:"-"`
	ID         int64  `json:"id"`
	BundleID   int64  `json:"bundle_id"`
	NodeID     int64  `json:"node_id"`
	Title      string `json:"title"`
	Content    string `json:"content"`
	Type       int    `json:"pub_type"`
	Author     int64  `json:"author"`
	UpdateAt   stamp  `json:"update_at"`
	Language   string `json:"language"`
	bundleView `json:"bundle"`
	Covers     pictureView `json:"cover_images"`
	Cover      string      `json:"cover_image" db:"-"`
	EntityType string      `json:"entity_type" db:"-"`
	EntityID   int64       `json:"entity_id" db:"-"`
	Kind       string      `json:"kind" db:"-"`
}

type bundleView struct {
	FirstOriginal *int64 `json:"first_original_id"`
	Original      *int64 `json:"original_id"`
}

// items shows publications of a category, or demands near a place.
func (f *floor) items(r *http.Request) (any, error) {
	q := r.URL.Query()
	if q.Get("type") == "demand" {
		return f.near(r, q)
	}
	number, err := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
	if err != nil {
		return nil, err
	}
	items, err := all[publicationView](r.Context(), f, `
		WITH page AS (
			SELECT id, created FROM feed_listings WHERE category_id = $1 AND kind = 'publication'
			ORDER BY created DESC, id LIMIT $2 OFFSET $3)
		SELECT (SELECT SUM(count)::bigint FROM feed_counters WHERE category_id = $1 AND kind = 'publication'), p.id, p.bundle_id, p.node_id,
			p.title, p.summary, p.type, p.author_id, p.updated, p.language, p.first_original_id, p.original_id, p.cover
		FROM page JOIN publications p ON p.id = page.id ORDER BY page.created DESC, page.id`,
		r.PathValue("id"), pageSize, (number-1)*pageSize)
	total := 0
	for i := range items {
		v := &items[i]
		total, v.Cover, v.EntityType, v.EntityID, v.Kind = v.Total, v.Covers.Path, "publication", v.ID, "feed"
	}
	return paged(items, number, total), err
}

type demandView struct {
	Total          int      `json:"-"`
	EntityID       int64    `json:"entity_id"`
	Title          string   `json:"title"`
	Description    string   `json:"description"`
	Tags           []string `json:"tags"`
	Images         []string `json:"images"`
	ServiceAddress *string  `json:"service_address"`
	Lat            float64  `json:"-"`
	Lng            float64  `json:"-"`
	ClosedTime     stamp    `json:"closed_time"`
	StartTime      stamp    `json:"start_time"`
	EndTime        stamp    `json:"end_time"`
	CreateTime     stamp    `json:"create_time"`
	UpdateAt       stamp    `json:"update_at"`
	personView     `json:"author"`
	Covers         pictureView `json:"auto_covers"`
	Cover          string      `json:"auto_cover" db:"-"`
	EntityType     string      `json:"entity_type" db:"-"`
	Kind           string      `json:"kind" db:"-"`
	Distance       float64     `json:"distance" db:"-"`
}

// near shows demands within a circle that does not cross the antimeridian.
func (f *floor) near(r *http.Request, q url.Values) (any, error) {
	var lat, lng, within float64
	if _, err := fmt.Sscan(q.Get("lat")+" "+q.Get("lng")+" "+q.Get("within_distance"), &lat, &lng, &within); err != nil {
		return nil, err
	}
	centre, now := geo.Point{Lat: lat, Lng: lng}, time.Now()
	box, sine := geo.Around(centre, geo.Kilometres(within)), math.Sin(within/float64(geo.Radius)/2)
	items, err := all[demandView](r.Context(), f, `
		WITH near AS MATERIALIZED (
			SELECT id, created FROM feed_listings
			WHERE category_id + 0 = $1 AND lat BETWEEN $3 AND $4 AND lng BETWEEN $5 AND $6
				AND power(sin(radians(lat - $7) / 2), 2) + cos(radians(lat)) * cos(radians($7)) * power(sin(radians(lng - $8) / 2), 2) <= $9
		), page AS (SELECT id, created FROM near ORDER BY created DESC, id LIMIT $2)
		SELECT (SELECT COUNT(*) FROM near), d.id, d.title, d.description, d.tags, d.images, NULLIF(d.address, ''), d.lat, d.lng,
			d.closed, d.starts, d.ends, d.created, d.updated, `+personColumns+`, d.cover
		FROM page JOIN demands d ON d.id = page.id JOIN users u ON u.id = d.author_id LEFT JOIN presence w ON w.user_id = u.id
		ORDER BY page.created DESC, page.id`,
		r.PathValue("id"), pageSize, box.Lat.Min, box.Lat.Max, box.Lng[0].Min, box.Lng[0].Max, lat, lng, sine*sine)
	total := 0
	for i := range items {
		v := &items[i]
		v.complete(now)
		total, v.Cover, v.EntityType, v.Kind = v.Total, v.Covers.Path, "demand", "feed"
		v.Distance = float64(centre.To(geo.Point{Lat: v.Lat, Lng: v.Lng}).Rounded())
	}
	return paged(items, 1, total), err
}

type (
	shelfView struct {
		Number   int64   `json:"-"` // zero: uncategorised
		Name     *string `json:"name,omitempty"`
		ParentID *int64  `json:"parent_id"`
		Slug     string  `json:"slug"`
		metaView `json:"meta"`
		ID       any    `json:"id" db:"-"`
		Kind     string `json:"kind" db:"-"`
		Level    int    `json:"level" db:"-"`
	}
	metaView struct {
		Count     int    `json:"feeds_count"`
		CreatedAt *stamp `json:"feed_created_at"`
		UpdatedAt *stamp `json:"feed_updated_at"`
	}
	categoryView struct {
		shelfView
		Parent   *shelfView     `json:"parent,omitempty"`
		Children []categoryView `json:"children"`
	}
)

// categories shows the tree, with what is counted in each category.
func (f *floor) categories(r *http.Request) (any, error) {
	shelves, err := all[shelfView](r.Context(), f, `
		WITH counted AS (
			SELECT category_id, SUM(count)::bigint AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE kind = ANY($1) GROUP BY category_id HAVING SUM(count) > 0)
		SELECT c.id, c.name, c.parent_id, c.slug, COALESCE(k.count, 0), k.created, k.updated
		FROM categories c LEFT JOIN counted k ON k.category_id = c.id
		UNION ALL
		SELECT 0, NULL, NULL, 'uncategory', k.count, k.created, k.updated FROM counted k WHERE k.category_id = 0
		ORDER BY created DESC NULLS LAST, id`,
		strings.Split(r.URL.Query().Get("type"), ","))
	under := make(map[int64][]shelfView, len(shelves))
	for _, v := range shelves {
		parent := int64(0)
		if v.ParentID != nil {
			parent = *v.ParentID
		}
		under[parent] = append(under[parent], v)
	}
	return wrapped{branches(under, 0, nil, 0)}, err
}

func branches(under map[int64][]shelfView, parent int64, above *shelfView, level int) []categoryView {
	views := make([]categoryView, len(under[parent]))
	for i, v := range under[parent] {
		v.ID, v.Kind, v.Level = v.Number, "category", level
		views[i] = categoryView{v, above, []categoryView{}}
		if v.Number == 0 {
			views[i].ID = v.Slug
			continue
		}
		views[i].Children = branches(under, v.Number, &v, level+1)
	}
	return views
}

type imageView struct {
	ID         int64     `json:"id"`
	User       int64     `json:"user"`
	Img        string    `json:"img"`
	Height     int       `json:"img_height"`
	Width      int       `json:"img_width"`
	Sizes      sizesView `json:"sizes" db:"-"`
	CreateTime stamp     `json:"create_time"`
	DeleteTime *stamp    `json:"delete_time"`
	Tags       []string  `json:"tags"`
}

func (f *floor) images(r *http.Request) (any, error) {
	q := r.URL.Query()
	images, err := all[imageView](r.Context(), f, `
		SELECT id, owner_id, '`+publicURL+`/media/' || key, height, width, created, deleted, tags FROM images
		WHERE owner_id = $1 AND deleted IS NULL AND NOT hidden AND tags @> $2 ORDER BY created DESC, id DESC`,
		q.Get("uid"), strings.Split(q.Get("tags__contains"), ","))
	for i := range images {
		images[i].Sizes = sizesOf(images[i].Img+"?size=", images[i].Width, images[i].Height)
	}
	return wrapped{images}, err
}

func (f *floor) people(r *http.Request) (any, error) {
	var body struct{ UID []int64 }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	now := time.Now()
	people, err := all[personView](r.Context(), f, `
		SELECT `+personColumns+` FROM users u LEFT JOIN presence w ON w.user_id = u.id
		WHERE u.id = ANY($1) ORDER BY array_position($1, u.id)`, body.UID)
	for i := range people {
		people[i].complete(now)
	}
	return wrapped{people}, err
}
