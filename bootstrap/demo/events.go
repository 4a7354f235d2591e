package demo

import (
	"fmt"
	"time"

	"plaza/application/diary"
	"plaza/domain/event"
	"plaza/domain/feed"
)

// entry is one event of a diary.
type entry struct {
	key        string // what talk.go may call it by
	at         string // when it was written, where the author is
	day        string // on which it happened; empty: the day of writing
	permission event.Permission
	draft      bool
	shownAfter time.Duration // how long it was a draft before it was published
	category   feed.CategoryID
	title      string
	content    string
	html       string
}

// edit is the entry as its author sends it.
func (e entry) edit() (diary.Edit, error) {
	edit := diary.Edit{
		Title: &e.title, Content: &e.content, HTML: &e.html,
		Permission: &e.permission, Category: &e.category, Publish: new(!e.draft && e.shownAfter == 0),
	}
	if e.day == "" {
		return edit, nil
	}
	day, err := event.ParseDate(e.day)
	if err != nil {
		return edit, fmt.Errorf("the entry of %s: %w", e.at, err)
	}
	edit.Date = &day
	return edit, nil
}

// diaries holds every entry, with its author.
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
