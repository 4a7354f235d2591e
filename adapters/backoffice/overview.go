package backoffice

import (
	"fmt"

	"plaza/application/backoffice"
	"plaza/application/telemetry"
)

// overviewPage is what waits, and what came in.
type overviewPage struct {
	backoffice.Overview
	Waiting []waiting
	Plots   []plot
}

// waiting is a number of things that wait, and the page that has them.
type waiting struct {
	Key    string // of its text
	Path   string
	Count  string
	IsNone bool
}

// plot is a small plot of the last days.
type plot struct {
	Key        string
	Bars       []bar
	Most       int
	Total      int
	Today      int
	IsAtLeast  bool // a day has more than is counted
	FirstLabel string
}

// bar is a day of a plot, in the units of its picture.
type bar struct {
	X, Y, Height int
	Label        string
}

// Sizes of plots.
const (
	barStep    = 10
	plotHeight = 48
)

// waitingPaths are the pages of what waits.
var waitingPaths = map[string]string{
	"reports": "reports/", "due": "money/?list=due", "disputed": "money/?list=disputed", "abnormal": "money/?list=abnormal",
	"processing": "money/?list=processing", "open": "money/?list=open", "unknown": "money/?list=unknown",
	"findings": "money/?list=findings", "rejects": "imports/?rejected=true",
}

func (s *Site) showOverview(v *visit) (answer, error) {
	o, err := s.Office.Overview(v.r.Context(), v.actor)
	if err != nil {
		return answer{}, err
	}
	p := overviewPage{Overview: o}
	for _, w := range o.Waiting {
		p.Waiting = append(p.Waiting, waiting{w.Key, waitingPaths[w.Key], s.counted(w.Count), w.Count == 0})
	}
	p.Plots = []plot{
		plotOf("joined", o.Days, func(d telemetry.Day) int { return d.Joined }),
		plotOf("events", o.Days, func(d telemetry.Day) int { return d.Events }),
		plotOf("comments", o.Days, func(d telemetry.Day) int { return d.Comments }),
	}
	return answer{template: "overview.html", title: s.texts.Sections["overview"], section: "overview", body: p}, nil
}

// counted is a count for people. Counts end at telemetry.MaxCount.
func (s *Site) counted(n int) string {
	if n >= telemetry.MaxCount {
		return fmt.Sprintf(s.texts.Overview.AtLeast, telemetry.MaxCount)
	}
	return fmt.Sprint(n)
}

func plotOf(key string, days []telemetry.Day, count func(telemetry.Day) int) plot {
	p := plot{Key: key}
	for _, d := range days {
		n := count(d)
		p.Most, p.Total, p.Today, p.IsAtLeast = max(p.Most, n), p.Total+n, n, p.IsAtLeast || n >= telemetry.MaxCount
	}
	for i, d := range days {
		height := 1
		if n := count(d); n > 0 {
			height = max(2, n*plotHeight/p.Most)
		}
		p.Bars = append(p.Bars, bar{i * barStep, plotHeight - height, height, fmt.Sprintf("%s: %d", d.Day.Format("2006-01-02"), count(d))})
	}
	if len(days) > 0 {
		p.FirstLabel = days[0].Day.Format("2006-01-02")
	}
	return p
}
