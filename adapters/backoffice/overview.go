package backoffice

import (
	"fmt"

	"plaza/application/backoffice"
	"plaza/application/telemetry"
	"plaza/domain/access"
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
	Path   string // empty: none
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

func (s *Site) showOverview(v *visit) (answer, error) {
	o, err := s.Office.Overview(v.r.Context(), v.actor)
	if err != nil {
		return answer{}, err
	}
	p := overviewPage{Overview: o}
	if v.actor.May(access.Reports) {
		p.Waiting = append(p.Waiting, s.waiting("reports", "reports/", o.OpenReports))
	}
	if v.actor.May(access.Money) {
		p.Waiting = append(p.Waiting, s.waiting("due", "money/?list=due", o.RefundDue),
			s.waiting("disputed", "money/?list=disputed", o.Disputed), s.waiting("abnormal", "money/?list=abnormal", o.AbnormalRefunds),
			s.waiting("processing", "money/?list=processing", o.Refunds))
	}
	if v.actor.May(access.Orders) {
		p.Waiting = append(p.Waiting, s.waiting("open", "money/?list=open", o.OpenOrders),
			s.waiting("unknown", "money/?list=unknown", o.InDoubt))
	}
	if v.actor.May(access.Money) {
		p.Waiting = append(p.Waiting, s.waiting("findings", "money/?list=findings", o.OpenFindings))
	}
	if v.actor.May(access.Imports) {
		p.Waiting = append(p.Waiting, s.waiting("rejects", "imports/", o.RejectingImports))
	}
	p.Plots = []plot{
		plotOf("joined", o.Days, func(d telemetry.Day) int { return d.Joined }),
		plotOf("events", o.Days, func(d telemetry.Day) int { return d.Events }),
		plotOf("comments", o.Days, func(d telemetry.Day) int { return d.Comments }),
	}
	return answer{template: "overview.html", title: s.texts.Sections["overview"], section: "overview", body: p}, nil
}

func (s *Site) waiting(key, path string, n int) waiting {
	return waiting{key, path, s.counted(n), n == 0}
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
