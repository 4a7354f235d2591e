package contract

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/publication"
	"plaza/domain/user"
)

var importedRows = []row{
	{"ADM-01 imported how-tos with the newest first", howTosListed, everyStore},
	{"ADM-01 golden imported how-tos", goldenHowTos, oneStore},
	{"ADM-03 categories are named in either way", howTosOfCategories, everyStore},
}

const importedHowTos = "/api/writing-admin/v1/imported-howto/"

// staff is a user with the roles in the back office; without any, an admin.
func (s *server) staff(t *testing.T, roles ...access.Role) person {
	t.Helper()
	if len(roles) == 0 {
		roles = append(roles, access.Admin)
	}
	return s.member(t, func(r *signin.Registration) { r.Roles = roles })
}

// imports puts a how-to of the category into the store.
func (s *server) imports(t *testing.T, category string, robot user.ID, created time.Duration, bundles ...publication.BundleID) {
	t.Helper()
	at := epoch.Add(created)
	h := publication.HowTo{Category: category, Robot: robot, Bundles: bundles, Created: at, Updated: at}
	s.stores(t, h)
}

func howTosListed(t *testing.T, s *server) {
	staff := s.staff(t)
	assert.Empty(t, staff.get(t, importedHowTos).is(200).list("data"))
	s.imports(t, "Tea", staff.id, time.Hour)
	s.imports(t, "Walks", staff.id, 3*time.Hour, 1, 2)
	s.imports(t, "Boats", staff.id, 2*time.Hour)
	a := staff.get(t, importedHowTos).is(200)
	assert.Equal(t, []string{"Walks", "Boats", "Tea"}, a.column("data", "category"))
	s.imports(t, "Tea", staff.id, 4*time.Hour, 9)
	again := staff.get(t, importedHowTos).is(200)
	assert.Equal(t, []string{"Tea", "Walks", "Boats"}, again.column("data", "category"))
	sameJSON(t, []int{9}, again.at("data.0.bundle_ids"))
}

func goldenHowTos(t *testing.T, s *server) {
	robot := s.known(t, user.Member{Firstname: "Tea", Lastname: "Robot"})
	s.imports(t, "Walks", robot.id, 0)
	h := publication.HowTo{Category: "Walks", Robot: robot.id, Created: epoch, Updated: epoch.Add(500 * time.Microsecond)}
	s.stores(t, h)
	h = publication.HowTo{
		Category: "Tea", Robot: robot.id, Bundles: []publication.BundleID{3, 1, 2}, Created: epoch.Add(time.Hour),
		Updated: epoch.Add(2 * time.Hour),
	}
	s.stores(t, h)
	s.staff(t).get(t, importedHowTos).is(200).golden("imported", facts{"<robot>": "Tea Robot", "<robot id>": robot.id})
}

func howTosOfCategories(t *testing.T, s *server) {
	staff, robot := s.staff(t), s.member(t)
	for i, category := range []string{"Tea", "Walks", "Boats & Oars", "Tea, green", "雾"} {
		s.imports(t, category, robot.id, time.Duration(i)*time.Minute)
	}
	all := []string{"雾", "Tea, green", "Boats & Oars", "Walks", "Tea"}
	for _, c := range []struct {
		plain, bracketed []string
		want             []string
	}{
		{[]string{""}, []string{" "}, all}, {[]string{"Tea", "Walks"}, nil, []string{"Walks", "Tea"}},
		{[]string{"Tea", "Walks"}, []string{"Boats & Oars", "雾", "Tea"}, []string{"雾", "Boats & Oars", "Walks", "Tea"}},
		{[]string{"Tea, green"}, nil, []string{"Tea, green"}}, {[]string{"Tea,Walks"}, nil, []string{}}, {[]string{"tea"}, nil, []string{}},
		{[]string{"unknown"}, []string{"Tea", ""}, []string{"Tea"}},
	} {
		q := url.Values{"category": c.plain, "category[]": c.bracketed}.Encode()
		a := staff.get(t, importedHowTos+"?"+q).is(200)
		assert.Equal(t, c.want, a.column("data", "category"), q)
		assert.Equal(t, len(c.want), a.int("pagination.total_count"), q)
	}
	unescaped := staff.get(t, importedHowTos+"?category=Tea&category[]=Walks&category[]=Tea").is(200)
	assert.Equal(t, []string{"Walks", "Tea"}, unescaped.column("data", "category"))
}
