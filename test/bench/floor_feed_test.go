package bench

import (
	"cmp"
	"net/http"
	"strconv"
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

// items shows publications of a category.
func (f *floor) items(r *http.Request) (any, error) {
	number, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("page"), "1"))
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
