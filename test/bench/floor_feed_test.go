package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/domain/geo"
)

func (f *floor) items(r *http.Request) (any, error) {
	category, err := pathID(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if q.Get("type") == "demand" {
		return f.near(r.Context(), category, q)
	}
	number := 1
	if said := q.Get("page"); said != "" {
		if number, err = strconv.Atoi(said); err != nil {
			return nil, err
		}
	}
	return f.page(r.Context(), category, number)
}

func (f *floor) page(ctx context.Context, category int64, number int) (any, error) {
	total, items := 0, make([]publicationView, 0, pageSize)
	err := f.query(ctx, pageStatement, []any{int64(pageSize), int64((number - 1) * pageSize), category}, func(scan scanner) error {
		v, err := f.publication(scan, &total)
		items = append(items, v)
		return err
	})
	return paged(items, number, total), err
}

// publication scans publicationColumns after the total.
func (f *floor) publication(scan scanner, total *int) (publicationView, error) {
	v := publicationView{EntityType: "publication", Kind: "feed"}
	var cover []byte
	var updated time.Time
	err := scan(total, &v.ID, &v.BundleID, &v.NodeID, &v.Title, &v.Content, &v.Type, &cover, &v.Author, f.moment(&updated),
		&v.Bundle.FirstOriginal, &v.Bundle.Original, &v.Language)
	if err != nil {
		return v, err
	}
	v.EntityID, v.UpdateAt = v.ID, stamp(updated)
	v.Covers, err = coverOf(cover)
	v.Cover = v.Covers.Path
	return v, err
}

func (f *floor) near(ctx context.Context, category int64, q url.Values) (any, error) {
	lat, errLat := strconv.ParseFloat(q.Get("lat"), 64)
	lng, errLng := strconv.ParseFloat(q.Get("lng"), 64)
	within, err := strconv.ParseFloat(q.Get("within_distance"), 64)
	if err = cmp.Or(errLat, errLng, err); err != nil {
		return nil, err
	}
	centre, now := geo.Point{Lat: lat, Lng: lng}, time.Now()
	total, items := 0, make([]demandView, 0, pageSize)
	args := append([]any{int64(pageSize), category}, circle(centre, geo.Kilometres(within))...)
	err = f.query(ctx, nearStatement, args, func(scan scanner) error {
		v := demandView{EntityType: "demand", Kind: "feed"}
		var cover []byte
		var address string
		var at geo.Point
		var closed, starts, ends, created, updated time.Time
		var m memberRow
		err := scan(append([]any{&total, &v.EntityID, &v.Title, &v.Description, f.list(&v.Tags), &cover, f.list(&v.Images),
			&address, &at.Lat, &at.Lng, f.moment(&closed), f.moment(&starts), f.moment(&ends), f.moment(&created), f.moment(&updated),
		}, m.targets(f)...)...)
		if err != nil {
			return err
		}
		v.ClosedTime, v.StartTime, v.EndTime = stamp(closed), stamp(starts), stamp(ends)
		v.CreateTime, v.UpdateAt = stamp(created), stamp(updated)
		if address != "" {
			v.ServiceAddress = &address
		}
		v.Author, v.Distance = f.person(&m, now), new(float64(centre.To(at).Rounded()))
		v.Covers, err = coverOf(cover)
		v.Cover = v.Covers.Path
		items = append(items, v)
		return err
	})
	return paged(items, 1, total), err
}

// circle is a box around the circle, its centre, and the haversine of its radius.
func circle(centre geo.Point, within geo.Kilometres) []any {
	box := geo.Around(centre, within)
	west, east := box.Lng[0], box.Lng[len(box.Lng)-1]
	sine := math.Sin(float64(within/geo.Radius) / 2)
	return []any{box.Lat.Min, box.Lat.Max, west.Min, west.Max, east.Min, east.Max, centre.Lat, centre.Lng, sine * sine}
}

// categoryRow is a category with what is counted in it; the uncategorised items have no id.
type categoryRow struct {
	shelfView
	id, parent int64
	created    time.Time
}

func (f *floor) categories(r *http.Request) (any, error) {
	kinds := strings.Split(r.URL.Query().Get("type"), ",")
	under := make(map[int64][]categoryRow, categories)
	err := f.query(r.Context(), treeStatement, []any{f.names(kinds)}, func(scan scanner) error {
		row := categoryRow{shelfView: shelfView{Kind: "category"}}
		var name string
		var updated time.Time
		err := scan(&row.id, &row.ParentID, &name, &row.Slug, &row.Meta.Count, f.moment(&row.created), f.moment(&updated))
		if row.ID, row.Name = row.id, &name; row.id == 0 {
			row.ID, row.Name, row.Slug = "uncategory", nil, "uncategory"
		}
		if row.Meta.Count > 0 {
			row.Meta.CreatedAt, row.Meta.UpdatedAt = new(stamp(row.created)), new(stamp(updated))
		}
		if row.ParentID != nil {
			row.parent = *row.ParentID
		}
		under[row.parent] = append(under[row.parent], row)
		return err
	})
	return wrapped{branches(under, 0, nil, 0)}, err
}

func branches(under map[int64][]categoryRow, parent int64, above *shelfView, level int) []categoryView {
	rows := under[parent]
	slices.SortFunc(rows, func(a, b categoryRow) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(a.id, b.id))
	})
	views := make([]categoryView, len(rows))
	for i := range rows {
		row := &rows[i]
		row.Level = level
		views[i] = categoryView{shelfView: row.shelfView, Parent: above, Children: []categoryView{}}
		if row.id != 0 {
			views[i].Children = branches(under, row.id, &row.shelfView, level+1)
		}
	}
	return views
}

func (f *floor) images(r *http.Request) (any, error) {
	q := r.URL.Query()
	owner, err := strconv.ParseInt(q.Get("uid"), 10, 64)
	if err != nil {
		return nil, err
	}
	statement, tags := imagesStatement, q.Get("tags__contains")
	if tags == "" {
		statement, tags = anyImageStatement, q.Get("tags__overlap")
	}
	views := []imageView{}
	err = f.query(r.Context(), statement, []any{owner, f.names(strings.Split(tags, ","))}, func(scan scanner) error {
		v := imageView{User: owner}
		var key string
		var created time.Time
		err := scan(&v.ID, &key, &v.Width, &v.Height, f.list(&v.Tags), f.moment(&created))
		v.Img, v.CreateTime = publicURL+"/media/"+key, stamp(created)
		views = append(views, v)
		return err
	})
	return wrapped{views}, err
}

func (f *floor) people(r *http.Request) (any, error) {
	var body struct{ UID []int64 }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	now, found := time.Now(), make(map[int64]personView, len(body.UID))
	err := f.query(r.Context(), peopleStatement, []any{f.ids(body.UID)}, func(scan scanner) error {
		var m memberRow
		err := scan(m.targets(f)...)
		found[m.id] = f.person(&m, now)
		return err
	})
	views := make([]personView, 0, len(found))
	for _, id := range body.UID {
		if v, is := found[id]; is {
			views = append(views, v)
			delete(found, id)
		}
	}
	return wrapped{views}, err
}
