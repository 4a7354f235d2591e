package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/signin"
)

// overviewRows show what staff see at a glance.
var overviewRows = []row{
	{"OFF-01 the overview has what came in by day", overviewOfDays, everyStore},
	{"OFF-01 an overview without anything has every figure", overviewEmpty, oneStore},
}

const overview = "/api/back-office/v1/overview/"

func overviewEmpty(t *testing.T, s *server) {
	sameJSON(t, object{
		"open_orders": 0, "in_doubt": 0, "refund_due": 0, "disputed": 0, "refunds_processing": 0, "refunds_abnormal": 0, "open_findings": 0,
	}, s.staff(t).get(t, overview).is(200).shows(object{
		"at": "2026-11-20T12:00:00.000000Z", "max_count": 10000, "open_reports": 0, "translator": nil, "messages": nil, "failing_jobs": []any{},
	}).at("data.money"))
}

func overviewOfDays(t *testing.T, s *server) {
	in := func(zone string) person {
		return s.member(t, func(r *signin.Registration) { r.Staff, r.Member.Timezone = true, zone })
	}
	staff, west, east, bob := in("UTC"), in("America/New_York"), in("Pacific/Kiritimati"), s.member(t)
	event := bob.publishes(t, "a walk")
	s.clock.advance(12*time.Hour - time.Second) // the last second of the day
	staff.comments(t, event, "Oh")
	s.clock.advance(time.Second)
	ada := s.member(t)
	ada.writes(t, object{"title": "a draft counts"})
	ada.comments(t, ada.publishes(t, "x"), "mine")
	s.orders(t, ada)
	staff.post(t, reportPath, object{"event": event, "reason": "other"}).is(201)
	b, kiribati := s.browser(t), time.FixedZone("", 14*60*60)
	b.logsIn(east)
	b.opens("reports/").shows(200, s.clock.Now().In(kiribati).Format(">2006-01-02 15:04<"))
	s.clock.advance(48 * time.Hour)
	a := staff.get(t, overview).is(200)
	a.shows(object{"money.open_orders": 1, "open_reports": 1})
	days := a.list("data.days")
	assert.Len(t, days, 14)
	sameJSON(t, object{"day": "2026-11-10", "joined": 0, "events": 0, "comments": 0}, days[0])
	sameJSON(t, object{"day": "2026-11-20", "joined": 4, "events": 1, "comments": 1}, days[10])
	sameJSON(t, object{"day": "2026-11-21", "joined": 1, "events": 2, "comments": 1}, days[11])
	sameJSON(t, object{"day": "2026-11-23", "joined": 0, "events": 0, "comments": 0}, days[13])
	for who, all := range map[person]string{west: "2026-11-20", east: "2026-11-21"} { // where all of it was on one day
		days := who.get(t, overview).is(200).list("data.days")
		sameJSON(t, object{"day": all, "joined": 5, "events": 3, "comments": 2}, days[11])
		s.browser(t).logsIn(who).opens("").shows(200, all+": 5</title>", all+": 3</title>", all+": 2</title>")
	}
}
