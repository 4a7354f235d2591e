package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/core"
)

const pageSize = 20

// recordID is an id of the interface as PocketBase has it: 15 digits, which sort as numbers do.
func recordID(id int64) string { return fmt.Sprintf("%015d", id) }

// feedItems answers with a page of a category's publications, or with its demands within a distance.
func feedItems(e *core.RequestEvent) error {
	category, err := strconv.ParseInt(e.Request.PathValue("category"), 10, 64)
	if err != nil {
		return e.NotFoundError("", err)
	}
	visible := dbx.HashExp{"category": recordID(category), "published": true, "deleted": false}
	if e.Request.URL.Query().Get("type") == "demand" {
		return near(e, visible)
	}
	number, err := strconv.Atoi(cmp.Or(e.Request.URL.Query().Get("page"), "1"))
	if err != nil || number < 1 {
		return e.BadRequestError("The page is not a number.", err)
	}
	records, total, err := newest(e.App, "publications", number, visible)
	if err != nil {
		return err
	}
	items := make([]publicationView, len(records))
	for i, r := range records {
		if items[i], err = viewPublication(r); err != nil {
			return err
		}
	}
	return reply(e, paged(items, number, total))
}

// newest returns a page of the records and how many there are on all pages.
func newest(app core.App, collection string, number int, where ...dbx.Expression) (page []*core.Record, total int, err error) {
	count, err := app.CountRecords(collection, where...)
	if err != nil {
		return nil, 0, err
	}
	err = app.RecordQuery(collection).AndWhere(dbx.And(where...)).OrderBy("created DESC", "id").
		Limit(pageSize).Offset(int64((number - 1) * pageSize)).All(&page)
	return page, int(count), err
}

// near answers with the demands within a distance, the newest first. The box lets the index find candidates.
func near(e *core.RequestEvent, visible dbx.HashExp) error {
	c, err := circleOf(e.Request.URL.Query())
	if err != nil {
		return e.BadRequestError("The place or the distance is not a number.", err)
	}
	south, north, west, east := c.box()
	within := dbx.NewExp(`power(sin(radians(lat - {:lat}) / 2), 2)
		+ cos(radians(lat)) * cos(radians({:lat})) * power(sin(radians(lng - {:lng}) / 2), 2) <= {:limit}`,
		dbx.Params{"lat": c.lat, "lng": c.lng, "limit": c.haversineLimit()})
	records, total, err := newest(e.App, "demands", 1, visible, dbx.Between("lat", south, north), dbx.Between("lng", west, east), within)
	if err != nil {
		return err
	}
	for _, err := range e.App.ExpandRecords(records, []string{"author"}, nil) {
		return err
	}
	now, items := time.Now(), make([]demandView, len(records))
	for i, r := range records {
		if items[i], err = viewDemand(r, c, now); err != nil {
			return err
		}
	}
	return reply(e, paged(items, 1, total))
}

// images answers with the images of a user that have all, or any, of some tags.
func images(e *core.RequestEvent) error {
	asked := e.Request.URL.Query()
	owner, err := strconv.ParseInt(asked.Get("uid"), 10, 64)
	if err != nil {
		return e.BadRequestError("The user's id is not a number.", err)
	}
	tagged, tags := dbx.And, asked.Get("tags__contains")
	if tags == "" {
		tagged, tags = dbx.Or, asked.Get("tags__overlap")
	}
	var has []dbx.Expression
	for i, tag := range strings.Split(tags, ",") {
		name := fmt.Sprintf("tag%d", i)
		has = append(has, dbx.NewExp("EXISTS (SELECT 1 FROM json_each(images.tags) t WHERE t.value = {:"+name+"})", dbx.Params{name: tag}))
	}
	var records []*core.Record
	err = e.App.RecordQuery("images").AndWhere(dbx.HashExp{"owner": recordID(owner), "deleted": 0}).AndWhere(tagged(has...)).
		OrderBy("created DESC", "id DESC").All(&records)
	if err != nil {
		return err
	}
	views := make([]imageView, len(records))
	for i, r := range records {
		if views[i], err = viewImage(r); err != nil {
			return err
		}
	}
	return reply(e, wrapped{views})
}

// simpleInfo answers with what anybody may know of some users, in the order of their ids in the request.
func simpleInfo(e *core.RequestEvent) error {
	var body struct {
		UID []int64 `json:"uid"`
	}
	if err := e.BindBody(&body); err != nil {
		return e.BadRequestError("The body is not JSON.", err)
	}
	ids := make([]string, len(body.UID))
	for i, id := range body.UID {
		ids[i] = recordID(id)
	}
	records, err := e.App.FindRecordsByIds("members", ids)
	if err != nil {
		return err
	}
	found := make(map[string]*core.Record, len(records))
	for _, r := range records {
		found[r.Id] = r
	}
	now, views := time.Now(), make([]memberView, 0, len(records))
	for _, id := range ids {
		if r, is := found[id]; is {
			views = append(views, viewMember(r, now))
			delete(found, id)
		}
	}
	return reply(e, wrapped{views})
}

// reply sends the content with its length, which the benchmark's client needs.
func reply(e *core.RequestEvent, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	e.Response.Header().Set("Content-Length", strconv.Itoa(len(text)))
	return e.Blob(http.StatusOK, "application/json", text)
}
