package backoffice

import (
	"fmt"
	"time"

	"plaza/application/backoffice"
	"plaza/application/telemetry"
)

// overviewPage is what waits, and what came in.
type overviewPage struct {
	backoffice.Overview
	Plots []plot
}

// plot is a small plot of the last days.
type plot struct {
	Name       string
	Bars       []bar
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

// waitingPage is what the overview says of things that wait, and the page that has them.
type waitingPage struct{ Text, Path string }

var waitingPages = map[string]waitingPage{
	"reports": {"Open reports", "reports/"}, "due": {"Payments to be refunded", "money/?list=due"},
	"disputed": {"Payments that match no order", "money/?list=disputed"}, "abnormal": {"Refunds that went wrong", "money/?list=abnormal"},
	"processing": {"Refunds in progress", "money/?list=processing"}, "open": {"Open orders", "money/?list=open"},
	"unknown":  {"Payments without an answer of the wallet", "money/?list=unknown"},
	"findings": {"Differences from the wallet’s bills", "money/?list=findings"},
	"rejects":  {"Imports with rejected lines, in 7 days", "imports/?rejected=true"},
}

// On returns the page of what waits.
func (overviewPage) On(w backoffice.Waiting) waitingPage { return waitingPages[w.Key] }

func (s *Site) showOverview(v *visit) (answer, error) {
	o, err := s.Office.Overview(v.r.Context(), v.actor)
	if err != nil {
		return answer{}, err
	}
	p := overviewPage{o, []plot{
		plotOf(s.T("People who joined"), o.Days, func(d telemetry.Day) int { return d.Joined }),
		plotOf(s.T("Events"), o.Days, func(d telemetry.Day) int { return d.Events }),
		plotOf(s.T("Comments"), o.Days, func(d telemetry.Day) int { return d.Comments }),
	}}
	return answer{template: "overview.html", Title: s.T("Overview"), Section: "overview", Body: p}, nil
}

// Counted is a count for people. Counts end at telemetry.MaxCount.
func (s *Site) Counted(n int) string {
	if n >= telemetry.MaxCount {
		return s.T("%d or more", telemetry.MaxCount)
	}
	return fmt.Sprint(n)
}

func plotOf(name string, days []telemetry.Day, count func(telemetry.Day) int) plot {
	p, most := plot{Name: name, FirstLabel: days[0].Day.Format(time.DateOnly)}, 0
	for _, d := range days {
		n := count(d)
		most, p.Total, p.Today, p.IsAtLeast = max(most, n), p.Total+n, n, p.IsAtLeast || n >= telemetry.MaxCount
	}
	for i, d := range days {
		height := 1
		if n := count(d); n > 0 {
			height = max(2, n*plotHeight/most)
		}
		p.Bars = append(p.Bars, bar{i * barStep, plotHeight - height, height, fmt.Sprintf("%s: %d", d.Day.Format(time.DateOnly), count(d))})
	}
	return p
}
