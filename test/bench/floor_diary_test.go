package bench

import (
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/notification"
	"plaza/domain/secret"
)

type (
	// entryView is an event as another one's moment shows it.
	entryView struct {
		ID           int64       `json:"id"`
		EventTime    string      `json:"event_time"`
		Title        string      `json:"title"`
		Content      string      `json:"content"`
		HTML         string      `json:"html_content"`
		Category     *int64      `json:"category"`
		CategoryName *string     `json:"category_name"`
		Permission   int         `json:"view_permission"`
		Status       int         `json:"status"`
		Province     *string     `json:"province"`
		City         *string     `json:"city"`
		District     *string     `json:"district"`
		CreateTime   stamp       `json:"create_time"`
		LastModified stamp       `json:"last_modified"`
		Plates       []plateView `json:"plates"`
		personView   `json:"user"`
		Comments     []commentView `json:"comments" db:"-"`
	}
	eventView struct {
		Published stamp `json:"-"`
		entryView
		CommentCount int          `json:"comment_count"`
		LikeCount    int          `json:"like_count"`
		TheMoment    []momentView `json:"the_moment" db:"-"`
		PlaceAround  []newsView   `json:"place_around" db:"-"`
	}
	plateView struct {
		ID         int64     `json:"id"`
		User       int64     `json:"user"`
		UserName   string    `json:"user_name"`
		Photo      string    `json:"photo"`
		Width      int       `json:"width"`
		Height     int       `json:"height"`
		Sizes      sizesView `json:"sizes"`
		CreateTime stamp     `json:"create_time"`
	}
	// Place is which event it belongs to, from 1.
	momentView struct {
		Place int `json:"-"`
		entryView
	}
	commentView struct {
		Place      int    `json:"-"`
		ID         int64  `json:"id"`
		Content    string `json:"content"`
		CreateTime stamp  `json:"create_time"`
		EditedAt   *stamp `json:"edited_at"`
		ReplyTo    *int64 `json:"reply_to"` // no comment of the data set is a reply
		personView `json:"user"`
	}
	newsView struct {
		Place       int     `json:"-"`
		SiteName    string  `json:"site_name"`
		URL         string  `json:"url"`
		Title       string  `json:"title"`
		ReleaseDate string  `json:"release_date"`
		HTML        string  `json:"html_content"`
		City        string  `json:"city"`
		Category    string  `json:"category"`
		SiteLogo    string  `json:"site_logo"`
		District    string  `json:"district"`
		Province    string  `json:"province"`
		Country     *string `json:"country"`
	}
	// eventRow is an event of a page, with how many there are.
	eventRow struct {
		Caller int64 `json:"-"`
		Total  int   `json:"-"`
		eventView
	}
)

// Parts of statements. The caller c has the key with the hash $1, and may read and write events. The author of the event e is u.
const (
	callers = ` FROM tokens t JOIN token_uses x ON x.token_id = t.id
		JOIN users c ON c.id = t.user_id AND NOT c.disabled AND c.generation = t.generation AND 'xfile_event' = ANY(c.scopes)`
	isCaller = ` t.hash = $1 AND 'xfile_event' = ANY(t.scopes) AND x.used + t.ttl / 1000 * interval '1 microsecond' > now() `

	// The name of a category is looked up for the rows that are left; a join would read all categories.
	entryColumns = `e.id, e.day::text, e.title, e.content, e.html, e.category_id, (SELECT k.name FROM categories k WHERE k.id = e.category_id),
		e.permission, e.status, NULLIF(e.province, ''), NULLIF(e.city, ''), NULLIF(e.district, ''), e.created, e.modified,
		COALESCE((SELECT json_agg(json_build_object('id', p.id, 'photo', p.photo, 'width', p.width, 'height', p.height,
			'create_time', p.created) ORDER BY p.id)
			FROM plates p WHERE p.event_id = e.id), '[]'), ` + personColumns
	eventColumns = "e.published_at, " + entryColumns + ", n.comments, n.likes"
	authors      = " JOIN users u ON u.id = e.author_id LEFT JOIN presence w ON w.user_id = u.id "
	authored     = " JOIN event_counts n ON n.event_id = e.id" + authors

	isShown   = " e.status = 100 AND NOT e.hidden "
	isVisible = isShown + ` AND (e.permission = 0 AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = c.id AND b.other_id = e.author_id)
		OR e.permission = 100 AND EXISTS (SELECT 1 FROM contacts o WHERE o.user_id = c.id AND o.contact_id = e.author_id)
		OR e.author_id = c.id) `
)

func hashOf(r *http.Request) []byte {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Token ")
	hash, _ := access.HashKey(secret.New(key))
	return hash[:]
}

// complete computes what is not stored of the event.
func (f *floor) complete(v *entryView, now time.Time) {
	v.personView.complete(now)
	v.Online, v.IsOnline = v.IsOnline, nil
	v.Comments = []commentView{}
	for i := range v.Plates {
		p := &v.Plates[i]
		p.User, p.UserName, p.Photo = v.UID, v.Username, f.addresses.URL(media.Key(p.Photo), media.Viewers, now)
		p.Sizes = sizesOf(p.Photo+"&size=", p.Width, p.Height)
	}
}

// How many events and news are shown around an event that is alone, and in a list.
const (
	aroundOne    = 10
	aroundListed = 3
)

// around queues what reads what the caller is shown around the events: one statement of each kind.
func (f *floor) around(b *pgx.Batch, viewer int64, most int, now time.Time, events []eventRow) {
	ids, days, cities := make([]int64, len(events)), make([]string, len(events)), make([]*string, len(events))
	for i := range events {
		v := &events[i]
		f.complete(&v.entryView, now)
		v.TheMoment, v.PlaceAround = []momentView{}, []newsView{}
		ids[i], days[i], cities[i] = v.ID, v.EventTime, v.City
	}
	const newest = " ORDER BY e.created DESC, e.id DESC LIMIT $4)"
	queue(b, func(m momentView) {
		f.complete(&m.entryView, now)
		on := &events[m.Place-1]
		on.TheMoment = append(on.TheMoment, m)
	}, `SELECT d.place, `+entryColumns+`
		FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY d (id, day, place)
		CROSS JOIN LATERAL (
			(SELECT e.* FROM events e WHERE e.day = d.day::date AND e.id <> d.id AND `+isShown+` AND e.permission = 0
				AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = $3 AND b.other_id = e.author_id)`+newest+`
			UNION ALL
			(SELECT e.* FROM events e WHERE e.author_id = $3 AND e.day = d.day::date AND e.id <> d.id AND `+isShown+` AND e.permission <> 0`+newest+`
			UNION ALL
			(SELECT e.* FROM contacts o JOIN events e ON e.author_id = o.contact_id
				WHERE o.user_id = $3 AND e.day = d.day::date AND e.id <> d.id AND `+isShown+` AND e.permission = 100`+newest+`
			ORDER BY created DESC, id DESC LIMIT $4) e`+authors+`
		ORDER BY d.place, e.created DESC, e.id DESC`, ids, days, viewer, most)
	queue(b, func(n newsView) {
		on := &events[n.Place-1]
		on.PlaceAround = append(on.PlaceAround, n)
	}, `SELECT d.place, n.site_name, n.url, n.title, n.released::text, n.html, n.city, n.category, n.site_logo, n.district, n.province,
			NULLIF(n.country, '')
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY d (day, city, place)
		CROSS JOIN LATERAL (
			(SELECT 0 AS far, * FROM news WHERE released = d.day::date AND city = d.city ORDER BY id LIMIT $3)
			UNION ALL
			(SELECT 1, * FROM news WHERE released = d.day::date AND (d.city IS NULL OR city <> d.city) ORDER BY id LIMIT $3)
			ORDER BY far, id LIMIT $3) n
		ORDER BY d.place, n.far, n.id`, days, cities, most)
	queue(b, func(c commentView) {
		c.complete(now)
		on := &events[c.Place-1]
		on.Comments = append(on.Comments, c)
	}, `SELECT d.place, e.id, e.content, e.created, e.edited, e.reply_to, `+personColumns+`
		FROM unnest($1::bigint[]) WITH ORDINALITY d (event_id, place)
		CROSS JOIN LATERAL (SELECT * FROM comments e WHERE e.event_id = d.event_id AND NOT e.hidden
			AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id)
			ORDER BY e.created DESC, e.id DESC LIMIT 10) e`+authors+`
		ORDER BY d.place, e.created DESC, e.id DESC`, ids, viewer)
}

// events reads events with what is around them. The caller may see one at least. No presence is noted: that is due once a minute.
func (f *floor) events(r *http.Request, most int, statement string, args ...any) ([]eventRow, error) {
	rows, err := all[eventRow](r.Context(), f, statement, args...)
	if err == nil && len(rows) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return nil, err
	}
	b, now := &pgx.Batch{}, time.Now()
	rows = rows[:min(len(rows), pageSize)]
	f.around(b, rows[0].Caller, most, now, rows)
	return rows, f.SendBatch(r.Context(), b).Close()
}

func (f *floor) event(r *http.Request) (any, error) {
	rows, err := f.events(r, aroundOne, `SELECT c.id, 1, `+eventColumns+callers+`
		JOIN events e ON e.id = $2`+authored+`WHERE`+isCaller+`AND`+isVisible, hashOf(r), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return wrapped{rows[0]}, nil
}

// list shows the first page of an author's events.
func (f *floor) list(r *http.Request) (any, error) {
	const visible = " FROM events e WHERE e.author_id = $2 AND" + isVisible
	rows, err := f.events(r, aroundListed, `SELECT c.id, (SELECT COUNT(*)`+visible+`), `+eventColumns+callers+`
		CROSS JOIN LATERAL (SELECT e.*`+visible+`ORDER BY e.day DESC, e.created DESC, e.id LIMIT $3) e`+authored+`
		WHERE`+isCaller+`ORDER BY e.day DESC, e.created DESC, e.id`, hashOf(r), r.PathValue("id"), pageSize)
	if err != nil {
		return nil, err
	}
	return paged(rows, 1, rows[0].Total), nil
}

// likable is the caller, and the author of an event that the caller may see.
type likable struct{ Caller, Author int64 }

// like stores the like, counts it, and tells the author. Triggers count what is told.
func (f *floor) like(r *http.Request) (any, error) {
	by, err := one[likable](r.Context(), f, `SELECT c.id, e.author_id`+callers+`
		JOIN events e ON e.id = $2 WHERE`+isCaller+`AND`+isVisible, hashOf(r), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	b, now := &pgx.Batch{}, time.Now().UTC().Truncate(time.Microsecond)
	b.Queue(`
		WITH liked AS (INSERT INTO likes (event_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING event_id),
		told AS (INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
			SELECT $3::bigint, 'like', $2, event_id, $4::timestamptz, $5::timestamptz FROM liked WHERE $3 <> $2)
		UPDATE event_counts SET likes = likes + 1 WHERE event_id IN (SELECT event_id FROM liked)`,
		r.PathValue("id"), by.Caller, by.Author, now, now.Add(notification.KeptFor))
	return nil, f.SendBatch(r.Context(), b).Close()
}
