package demo

import (
	"fmt"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
)

// entry is one event of a diary.
type entry struct {
	key        string // identifies the entry in talk.go
	at         string // when it was written, in the author's time zone
	day        string // date of the event; empty: the day of writing
	permission event.Permission
	draft      bool
	shownAfter time.Duration // time from writing to publishing
	category   feed.CategoryID
	title      string
	content    string
	html       string
}

// change returns the change with which the author creates the entry.
func (e entry) change() (event.Change, error) {
	change := event.Change{
		Title: &e.title, Content: &e.content, HTML: &e.html,
		Permission: &e.permission, Category: &e.category, Publish: new(!e.draft && e.shownAfter == 0),
	}
	if e.day == "" {
		return change, nil
	}
	day, err := calendar.ParseDate(e.day)
	if err != nil {
		return change, fmt.Errorf("entry of %s: %w", e.at, err)
	}
	change.Date = &day
	return change, nil
}

// diaries holds all entries by author.
var diaries = []struct {
	author  handle
	entries []entry
}{
	{yuan, yuanOctober},
	{yuan, yuanNovember},
	{qing, qingDiary},
	{ines, inesDiary},
	{nora, noraDiary},
	{camille, camilleDiary},
	{nagi, nagiDiary},
	{owen, owenDiary},
	{seoyun, seoyunDiary},
	{vera, veraDiary},
	{amal, amalDiary},
	{beatriz, beatrizDiary},
	{meera, meeraDiary},
}
