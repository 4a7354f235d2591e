package demo

import (
	"bytes"
	"context"
	"time"

	"plaza/domain/access"
)

// snap is a user image.
type snap struct {
	by   handle
	at   string
	of   drawing
	tags []string
}

var snaps = []snap{
	{yuan, "2026-10-04 22:00", drawing{shore, dawn, 11}, []string{"西湖", "雨", "早晨"}},
	{yuan, "2026-10-18 18:30", drawing{ridges, autumn, 12}, []string{"宝石山", "登高", "秋天"}},
	{yuan, "2026-10-26 21:00", drawing{shore, night, 13}, []string{"月亮", "夜", "西湖"}},
	{yuan, "2026-11-01 09:00", drawing{ridges, autumn, 14}, []string{"香山", "红叶", "秋天"}},
	{yuan, "2026-11-14 10:00", drawing{bars, moss, 15}, []string{"浇水", "图表"}},
	{qing, "2026-10-10 19:00", drawing{towers, autumn, 21}, []string{"西安", "城墙", "秋天"}},
	{qing, "2026-10-26 21:40", drawing{towers, night, 22}, []string{"北京", "月亮", "夜"}},
	{qing, "2026-11-13 22:10", drawing{ridges, dawn, 23}, []string{"大同", "早晨"}},
	{qing, "2026-11-17 20:00", drawing{bars, autumn, 24}, []string{"瓦", "图表"}},
	{ines, "2026-10-12 19:00", drawing{shore, autumn, 31}, []string{"mar", "otoño"}},
	{ines, "2026-10-31 12:00", drawing{towers, dawn, 32}, []string{"València", "mañana"}},
	{ines, "2026-11-15 18:00", drawing{bars, dawn, 33}, []string{"esmaltes", "gráfico"}},
}

// keeps plans the upload of a user image.
func (p *plan) keeps(k snap) {
	p.add(p.instant(k.by, k.at), k.by, "keeps a picture at "+k.at, func(ctx context.Context, s *replay, actor access.Actor) error {
		raw, err := k.of.png()
		if err != nil {
			return err
		}
		_, err = s.images.Upload(ctx, actor, bytes.NewReader(raw), k.tags, nil, nil)
		return err
	})
}

// album has the plates that an author attaches to an entry.
type album struct {
	by       handle
	on       string
	pictures []drawing
}

var albums = []album{
	{yuan, "rain", []drawing{{shore, dawn, 41}}},
	{yuan, "unsent", []drawing{{ridges, moss, 42}}},
	{yuan, "double-ninth", []drawing{{ridges, autumn, 43}, {shore, noon, 44}, {towers, noon, 45}}},
	{yuan, "moon-yuan", []drawing{{shore, night, 46}}},
	{yuan, "cat", []drawing{{towers, night, 47}}},
	{yuan, "red-leaves", []drawing{{ridges, autumn, 48}, {ridges, dawn, 49}}},
	{qing, "wall", []drawing{{towers, autumn, 51}, {ridges, dawn, 52}}},
	{qing, "roofs", []drawing{{towers, noon, 53}}},
	{qing, "datong", []drawing{{ridges, noon, 54}}},
}

// attaches plans that the author attaches the plates, before others comment.
func (p *plan) attaches(a album) {
	told, known := p.told[a.on]
	if !known {
		p.note(noEntry(a.on))
	}
	for i, picture := range a.pictures {
		at := told.Add(time.Duration(i+1) * minute)
		p.add(at, a.by, "attaches to "+a.on, func(ctx context.Context, s *replay, actor access.Actor) error {
			raw, err := picture.png()
			if err != nil {
				return err
			}
			_, err = s.diary.Attach(ctx, actor, s.written[a.on], bytes.NewReader(raw), nil, nil)
			return err
		})
	}
}
