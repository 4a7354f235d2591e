package contract

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/user"
)

var staffListRows = []row{
	{"OFF-05 a person, an event and their parts are whole and linked", staffSeeWhole, everyStore},
	{"OFF-05 lists are narrowed by days, turned round, and exported, on the page and over the interface", staffListsNarrowed, everyStore},
	{"OFF-05 OFF-02 acts are found by who did them, what they did, and to whom", staffActsFound, everyStore},
	{"OFF-05 an export has at most 10,000 rows", staffExportsBounded, oneStore},
	{"OFF-05 money is found by who pays", staffMoneyFound, oneStore},
	{"OFF-05 people are listed by when they joined, by their accounts and roles", staffPeopleListed, everyStore},
	{"OFF-05 imports, how-tos and what a person has are narrowed, turned round and exported", staffOthersListed, everyStore},
	{"OFF-05 nothing that the pages are sent is a mistake of the server", staffPagesOdd, everyStore},
	{"OFF-05 what is wrong about the form of a list is said in the page, and over the interface", staffListsWrong, oneStore},
}

const moneySearch = "/api/pay-admin/v1/search/"

// follows opens the page of the first link to a path that the pattern matches.
func (b *browser) follows(pattern string) *browser {
	b.Helper()
	link := regexp.MustCompile(`href="/back-office/(` + pattern + `)"`).FindStringSubmatch(html.UnescapeString(b.body))
	require.NotNil(b, link, "%s in %s", pattern, b.body)
	return b.opens(link[1])
}

func (p person) exports(t *testing.T, path string) string {
	t.Helper()
	a := p.get(t, path).is(200)
	assert.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
	return string(a.body)
}

func staffSeeWhole(t *testing.T, s *server) {
	staff, ada, bob := s.staff(t), s.called(t, "Augusta", "Byron"), s.called(t, "Bob", strings.Repeat("Tables", 10))
	staff.post(t, newOrder, draftFor(ada)).is(201)
	id := ada.writes(t, object{"title": "Fog <1>", "content": "Grey"}).is(201).int("data.id")
	plate := ada.post(t, plates, object{"event": id, "photo": dot}).is(201).int("data.id")
	public := ada.publishes(t, "Sun")
	comment := bob.comments(t, public, "Rude")
	image := bob.keeps(t, "cat")
	ada.post(t, reportPath, object{"comment": comment, "reason": "abuse", "text": "Look"}).is(201)
	staff.post(t, hidePath, object{"comment": comment, "reason": "It is rude"}).is(201)
	b := s.atWork(t, staff)
	b.opens(fmt.Sprintf("people/%d/", ada.id)).shows(200, "Order 1", "Fog <1>", "a draft", "Reports by them", "abuse: Look",
		fmt.Sprintf(`href="/back-office/money/?list=orders&user=%d"`, ada.id), fmt.Sprintf(`href="/back-office/audit/?about=%d"`, ada.id))
	b.follows(fmt.Sprintf("events/%d/", id)).shows(200, "Fog <1>", "Grey", fmt.Sprintf("Plate %d", plate), "&size=sm", "It has no comments.",
		fmt.Sprintf(`<a href="/back-office/people/%d/">Augusta Byron (%[1]d)</a>`, ada.id))
	b.opens(fmt.Sprintf("people/%d/", bob.id)).
		shows(200, "Rude", "It is rude", fmt.Sprintf("Image %d", image), "cat", "hid", "Hidden", "valid")
	b.follows(fmt.Sprintf("comments/%d/", comment)).leads(fmt.Sprintf("events/%d/#comment-%d", public, comment)).
		shows(200, "Sun", "Rude", "hidden", fmt.Sprintf(`id="comment-%d"`, comment))
	b.opens(fmt.Sprintf("people/%d/?all=comments&page_size=50", bob.id)).shows(200, "Rude", "Download as CSV")
	b.opens(fmt.Sprintf("people/%d/?all=comments&format=csv", bob.id)).shows(200, fmt.Sprintf("comment,%d,%d,hidden,", comment, public))
	for _, path := range []string{"people/%d/?all=orders", "people/%d/?all=all", "events/7777%d/", "comments/7777%d/"} {
		b.opens(fmt.Sprintf(path, bob.id)).shows(404)
	}
}

func staffListsNarrowed(t *testing.T, s *server) {
	staff, ada, bob := s.staff(t), s.member(t), s.member(t)
	day := func() string { return s.clock.Now().In(time.FixedZone("", 8*3600)).Format(time.DateOnly) } // of the member of staff
	var days []string
	for i, subject := range []string{"Tea", "=HYPERLINK(\"x\"),1", "＝86"} {
		staff.post(t, newOrder, with(draftFor([]person{ada, bob, ada}[i]), object{"subject": subject})).is(201)
		days = append(days, day())
		s.clock.advance(25 * time.Hour)
	}
	subjects := func(query string) (all []any) { return staff.get(t, newOrder+query).is(200).each("data", "subject") }
	assert.Equal(t, []any{"＝86", "=HYPERLINK(\"x\"),1", "Tea"}, subjects(""))
	assert.Equal(t, []any{"Tea", "=HYPERLINK(\"x\"),1", "＝86"}, subjects("?sort=oldest"))
	assert.Equal(t, []any{"=HYPERLINK(\"x\"),1"}, subjects("?from="+days[1]+"&to="+days[1]))
	assert.Equal(t, []any{"＝86"}, subjects(fmt.Sprintf("?user=%d&from=%s", ada.id, days[1])))
	assert.Equal(t, []any{"＝86", "=HYPERLINK(\"x\"),1", "Tea"}, subjects("?sort=amount"), "the amounts are equal")
	first := staff.get(t, newOrder+"?sort=oldest&cursor=&page_size=1").is(200)
	assert.Equal(t, []any{"=HYPERLINK(\"x\"),1", "＝86"}, subjects("?sort=oldest&cursor="+first.text("cursor.next")))

	csv := "\ufeffkind,id,of,state,amount,refunded,currency,uid,name,text,wallet_id,at\r\n"
	assert.True(t, strings.HasPrefix(staff.exports(t, newOrder+"?format=csv&page=7"), csv+"order,3,,open,"))
	exported := staff.exports(t, fmt.Sprintf("%s?format=csv&user=%d", newOrder, bob.id))
	assert.Regexp(t, `^order,2,,open,990,,CNY,\d+,Ada Berg,"'=HYPERLINK\(""x""\),1",,2026-[^\r\n]*Z\r\n$`, strings.TrimPrefix(exported, csv))
	staff.post(t, newOrder, with(draftFor(bob), object{"subject": "Dear", "amount": 5000})).is(201)
	assert.Equal(t, "Dear", subjects("?sort=amount")[0])
	assert.Equal(t, []any{"Dear"}, subjects(fmt.Sprint("?sort=amount&page_size=1&state=open&user=", bob.id)))
	for _, list := range []string{payments, refunds} {
		staff.get(t, list+"?sort=amount").is(200)
	}
	b := s.atWork(t, staff)
	b.opens("money/?list=orders&sort=amount").shows(200, "greatest amount first")
	assert.Regexp(t, `(?s)Dear.*HYPERLINK`, html.UnescapeString(b.body))
	b.opens("money/?list=open&sort=oldest&from="+days[1]).shows(200, "=HYPERLINK", "＝86", `value="`+days[1]+`"`)
	assert.Regexp(t, `(?s)HYPERLINK.*＝86`, html.UnescapeString(b.body))
	assert.NotContains(t, b.body, "Tea")
	b.shows(200, fmt.Sprintf(`href="/back-office/money/?format=csv&from=%s&list=open&sort=oldest"`, days[1]))
	b.opens("money/?list=open&format=csv&sort=oldest&from="+days[1]).shows(200, csv+"order,2,", "'＝86")
	assert.Equal(t, `attachment; filename="orders.csv"`, b.header.Get("Content-Disposition"))
}

func staffActsFound(t *testing.T, s *server) {
	nora, max, ada := s.staff(t), s.staff(t), s.called(t, "Augusta", "Byron")
	nora.does(t, "disable/", ada).is(200)
	max.does(t, "enable/", ada).is(200)
	max.post(t, newOrder, draftFor(nora)).is(201)
	_, err := s.app.Stores.Audit.Append(t.Context(), audit.Record{
		At: time.Now(), By: audit.Actor{Person: "王丽"}, Act: audit.BackedUp, Object: audit.Object{Kind: audit.Database}, Reason: "-1",
	})
	require.NoError(t, err)
	b := s.atWork(t, nora)
	for query, want := range map[string][]string{
		fmt.Sprint("by=", nora.id): {"account_disabled"}, fmt.Sprint("by=", max.id): {"order_created", "account_enabled"},
		"by=" + url.QueryEscape("王丽"): {"backed_up"}, "act=account_enabled": {"account_enabled"}, "from=2125-01-01": {},
		fmt.Sprint("about=", ada.id): {"account_enabled", "account_disabled"}, fmt.Sprint("by=", nora.id, "&act=account_enabled"): {},
		fmt.Sprint("sort=oldest&about=", ada.id): {"account_disabled", "account_enabled"}, "to=2020-01-01": {},
	} {
		assert.Equal(t, want, nora.get(t, acts+"?"+query).is(200).column("data", "act"), query)
		b.opens("audit/?" + query).shows(200)
		assert.Equal(t, len(want), strings.Count(b.body, `<tr role="row"><td`), query)
	}
	b.opens("audit/?page_size=2").shows(200, "王丽, at the command line", "copied the database", "Next")
	assert.NotContains(t, b.body, "Augusta Byron")
	require.NoError(t, s.app.Stores.Directory.ChangeProfile(t.Context(), ada.id, user.ProfileChange{Firstname: new("Renamed")}))
	b.opens("audit/"+b.next()).shows(200, fmt.Sprintf("Ada Berg (%d)", nora.id), "disabled the account", "Asked by telephone",
		fmt.Sprintf("Augusta Byron (%d)", ada.id), fmt.Sprintf(`<a href="/back-office/people/%d/">account %[1]d</a>`, ada.id))
	b.opens("audit/?format=csv").shows(200, "王丽,,backed_up,database,,,,'-1", ",Augusta Byron,")
	assert.Equal(t, b.body, nora.exports(t, acts+"?format=csv"))
}

func staffExportsBounded(t *testing.T, s *server) {
	staff := s.staff(t)
	for range backoffice.MaxExport + 10 {
		_, err := s.app.Stores.Audit.Append(t.Context(), audit.Record{
			At: s.clock.Now(), By: audit.Actor{Person: "王丽"}, Act: audit.BackedUp, Object: audit.Object{Kind: audit.Database},
		})
		require.NoError(t, err)
	}
	assert.Equal(t, 1+10_000, strings.Count(staff.exports(t, acts+"?format=csv"), "\r\n"))
	assert.Len(t, staff.get(t, acts+"?page_size=100").is(200).list("data"), 100)
}

func staffMoneyFound(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.called(t, "Augusta", "Byron")
	s.called(t, "Augustus", "Byron")
	staff.post(t, newOrder, draftFor(ada)).is(201)
	b := s.atWork(t, staff)
	at := fmt.Sprintf("people/%d/", ada.id)
	for _, text := range []string{ada.phone, "augusta byron", fmt.Sprint(ada.id)} {
		b.opens("money/search/?q="+url.QueryEscape(text)).leads(at).shows(200, "Order 1")
	}
	b.opens("money/search/?q=byron").shows(200, "Augusta Byron", "Augustus Byron", `href="/back-office/`+at)
	b.opens(fmt.Sprintf("money/?list=orders&user=%d", ada.id)).shows(200, "Money of", "Order 1")
	b.opens(fmt.Sprintf("money/?list=orders&user=%d", staff.id)).shows(200, "Nothing here.")
	found := func(q string) []string {
		return staff.get(t, moneySearch+"?q="+url.QueryEscape(q)).is(200).column("data", "kind")
	}
	assert.Equal(t, []string{"account"}, found(ada.phone))
	assert.Equal(t, []string{"account", "account"}, found("byron"))
	assert.Equal(t, []string{"order", "account"}, found("1"), "the first account is of staff")
	assert.Equal(t, []string{"order"}, found("#1"))
	staff.get(t, moneySearch+"?q=%231").is(200).shows(object{
		"0.id": 1, "0.user": ada.id, "0.name": "Augusta Byron", "0.state": "open", "0.amount": 990, "0.order": nil, "0.transaction_id": nil,
	})
	assert.Empty(t, found("nobody"))
	staff.get(t, moneySearch).invalid("q")
	staff.get(t, moneySearch+"?q=x").invalid("q")
	b.opens("money/search/?q=nobody").shows(404, "No order, no payment and no person")
	b.opens("money/search/?q=x").shows(400, "Enter at least one Chinese character")
}

func staffListsWrong(t *testing.T, s *server) {
	staff := s.staff(t)
	b := s.atWork(t, staff)
	for _, c := range []struct{ query, field string }{
		{"from=1.1.2026", "from"}, {"to=2026-02-30", "to"}, {"from=2026-02-02&to=2026-02-01", "to"}, {"sort=name", "sort"},
		{"format=xlsx", "format"}, {"page_size=x", "page_size"}, {"page_size=0&format=csv", "page_size"},
	} {
		for path, page := range map[string]string{
			newOrder: "money/", acts: "audit/", staffReports: "reports/", payments: "money/?list=applied", findings: "money/?list=findings",
			staffPeople: "people/", importRuns: "imports/", importedHowTos: "imports/how-tos/",
			refunds: fmt.Sprintf("people/%d/?all=events", staff.id),
		} {
			staff.get(t, path+"?"+c.query).invalid(c.field)
			sep := map[bool]string{true: "&", false: "?"}[strings.Contains(page, "?")]
			b.opens(page+sep+c.query).shows(400, "Please correct this:", fmt.Sprintf(`href="#%s"`, c.field), `name="from"`)
		}
	}
	for _, query := range []string{"act=everything", "by=4%204", "by=0", "by=-1", "about=x", "about=0", "about=-1"} {
		staff.get(t, acts+"?"+query).invalid(query[:strings.Index(query, "=")])
		b.opens("audit/?"+query).shows(400, "Please correct this:")
	}
}

func staffPagesOdd(t *testing.T, s *server) {
	staff := s.staff(t)
	b := s.atWork(t, staff)
	for _, odd := range []string{"%00", "%ff"} {
		b.opens("money/search/?q="+odd).shows(400, "Not possible")
		b.opens("imports/how-tos/?category="+odd).shows(400, "Not possible")
	}
	for _, list := range []string{"people/", "audit/", "reports/", "money/?list=orders", fmt.Sprintf("people/%d/?all=hidden", staff.id)} {
		for _, odd := range []string{"after=-9223372036854775808.1", "after=9223372036854775807.1&sort=oldest", "from=0001-01-01&to=9999-12-31"} {
			sep := map[bool]string{true: "&", false: "?"}[strings.Contains(list, "?")]
			b.opens(list + sep + odd).shows(200)
		}
	}
	b.opens("reports/")
	for kind, status := range map[string]int{"tree": 404, "bush": 404, "\x00": 400, "\xff": 400} {
		b.sends("reports/", "report", "0", "act", "hide", "kind", kind, "object", "1", "reason", "Rude").shows(status)
	}
}

func staffPeopleListed(t *testing.T, s *server) {
	staff := s.staff(t)
	s.clock.advance(48 * time.Hour)
	day := s.clock.Now().In(time.FixedZone("", 8*3600)).Format(time.DateOnly)
	ada, cashier := s.called(t, "=Ada", "Byron"), s.staff(t, access.Cashier)
	staff.does(t, "disable/", ada).is(200)
	b := s.atWork(t, staff)
	for query, want := range map[string][]any{
		"": {cashier.id, ada.id, staff.id}, "sort=oldest": {staff.id, ada.id, cashier.id}, "from=" + day: {cashier.id, ada.id},
		"state=disabled": {ada.id}, "role=any": {cashier.id, staff.id}, "role=cashier": {cashier.id}, "role=support": {},
		"role=any&sort=oldest&to=" + day: {staff.id, cashier.id}, "page_size=1": {cashier.id},
	} {
		sameJSON(t, want, append([]any{}, staff.get(t, staffPeople+"?"+query).is(200).each("data", "user.uid")...), query)
		b.opens("people/?" + query).shows(200)
		assert.Equal(t, len(want), strings.Count(b.body, `<tr role="row"><td`), query)
	}
	b.opens("people/?page_size=1").shows(200, ">Next<")
	b.opens("people/"+b.next()).shows(200, "=Ada Byron")
	for _, query := range []string{"state=x", "role=x"} {
		staff.get(t, staffPeople+"?"+query).invalid(query[:strings.Index(query, "=")])
	}
	const head = "\ufeffuid,name,phone,is_disabled,roles,joined_at,last_seen_at\r\n"
	csv := staff.exports(t, staffPeople+"?format=csv&state=disabled")
	assert.Regexp(t, fmt.Sprintf(`^%d,'=Ada Byron,'\+86-\d+,true,,2026-[^,]*Z,[^,]*\r\n$`, ada.id), strings.TrimPrefix(csv, head))
	b.opens("people/?format=csv&state=disabled").shows(200, csv)
}

func staffOthersListed(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	day := func() string { return s.clock.Now().In(time.FixedZone("", 8*3600)).Format(time.DateOnly) }
	first := day()
	var last string
	for i, name := range []string{"a", "b", "c"} {
		at := s.clock.Now().Format(time.RFC3339)
		s.brings(t, fmt.Sprintf(`{"kind":"user","id":"r%d","username":"+86-1390000000%[1]d","firstname":"Robot","joined":%q}`, i, at),
			fmt.Sprintf(`{"kind":"bundle","id":%d}`, 90001+i),
			fmt.Sprintf(`{"kind":"howto","category":%q,"robot":"r%d","bundles":[%d],"created":%q}`, name, i, 90001+i, at),
			map[bool]string{true: "no JSON"}[name == "b"])
		last = day()
		ada.writes(t, object{"title": "event " + name, "publish": true}).is(201)
		ada.keeps(t, "image "+name)
		s.clock.advance(25 * time.Hour)
	}
	b := s.atWork(t, staff)
	rows := func(path string) int {
		b.opens(path).shows(200)
		return strings.Count(b.body, `<tr role="row"`) - strings.Count(b.body, "<thead")
	}
	for query, want := range map[string][]any{
		"": {3, 2, 1}, "sort=oldest": {1, 2, 3}, "from=" + last: {3}, "to=" + first: {1}, "rejected=true": {2}, "state=completed": {3, 2, 1},
		"state=failed": {}, "sort=oldest&page_size=2": {1, 2},
	} {
		sameJSON(t, want, append([]any{}, staff.get(t, importRuns+"?"+query).is(200).each("data", "id")...), query)
		assert.Equal(t, len(want), rows("imports/?"+query), query)
		if !strings.Contains(query, "page_size") {
			sameJSON(t, want, staff.inParts(t, importRuns+"?"+query, "id"), query)
		}
	}
	staff.get(t, importRuns+"?state=x&rejected=no").invalid("state", "rejected")
	b.opens("imports/?format=csv&rejected=true").shows(200, "\ufeffid,state,files,began_at,ended_at,", "\r\n2,completed,", ",1\r\n")
	assert.Equal(t, b.body, staff.exports(t, importRuns+"?format=csv&rejected=true"))
	assert.Contains(t, staff.exports(t, rejectsOf(2)+"?format=csv"), ",4,,")
	assert.Empty(t, staff.get(t, rejectsOf(77)+"?format=csv").is(404).header.Get("Content-Disposition"))
	for query, want := range map[string][]any{
		"": {"c", "b", "a"}, "sort=oldest": {"a", "b", "c"}, "from=" + last: {"c"}, "to=" + first: {"a"}, "category=b": {"b"},
	} {
		assert.Equal(t, want, staff.get(t, importedHowTos+"?"+query).is(200).each("data", "category"), query)
		assert.Equal(t, len(want), rows("imports/how-tos/?"+query), query)
		assert.Equal(t, want, staff.inParts(t, importedHowTos+"?"+query, "category"), query)
	}
	b.opens("imports/how-tos/?format=csv&category=b").shows(200, "\ufeffcategory,uid,bundles,created_at,updated_at\r\nb,", ",90002,")
	assert.Equal(t, b.body, staff.exports(t, importedHowTos+"?format=csv&category=b"))
	for _, list := range []string{"events", "images"} {
		path := fmt.Sprintf("people/%d/?all=%s", ada.id, list)
		assert.Equal(t, []int{3, 1, 2}, []int{
			rows(path), rows(path + "&from=" + last), rows(path + "&page_size=20&sort=oldest&to=" + day() + "&from=" + next(first)),
		}, list)
		b.opens(path+"&sort=oldest").shows(200, `name="all" value="`+list+`"`)
		assert.Regexp(t, `(?s)(event|image) a.*(event|image) b.*(event|image) c`, b.body)
		b.opens(path+"&format=csv&sort=oldest&from="+last).shows(200, strings.TrimSuffix(list, "s")+",", " c,")
		assert.Equal(t, 2, strings.Count(b.body, "\r\n"))
	}
	for _, list := range []string{"reports", "hidden", "sessions", "comments"} {
		assert.Zero(t, rows(fmt.Sprintf("people/%d/?all=%s&from=2125-01-01", ada.id, list)), list)
	}
	assert.Equal(t, 1, rows(fmt.Sprintf("people/%d/?all=sessions&sort=oldest&to=%s", ada.id, first)))
}

// inParts returns the values of the field, which the caller reads in parts of one.
func (p person) inParts(t *testing.T, list, field string) []any {
	all := []any{}
	for cursor := ""; ; {
		part := p.get(t, list+"&page_size=1&cursor="+url.QueryEscape(cursor)).is(200)
		all = append(all, part.each("data", field)...)
		if part.at("cursor.next") == nil {
			return all
		}
		require.NotEqual(t, cursor, part.text("cursor.next"), "the list ends")
		cursor = part.text("cursor.next")
	}
}

// next returns the day after the day.
func next(day string) string {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, 1).Format(time.DateOnly)
}
