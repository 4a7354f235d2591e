package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/access"
	"plaza/domain/audit"
)

// inPattern matches the variables of a pattern of gin.
var inPattern = regexp.MustCompile(`[:*]\w+`)

func TestEvery_route_has_a_policy_and_its_last_variable_is_the_id(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Routes() {
		name := r.Method + " " + r.Path
		assert.NotEqual(t, Policy{}, r.Policy, name)
		if variables := inPattern.FindAllString(r.pattern(), -1); len(variables) > 0 {
			assert.Equal(t, "id", variables[len(variables)-1][1:], name)
			assert.Len(t, variables, strings.Count(r.Path, "{"), name)
			assert.NotContains(t, variables[:len(variables)-1], ":id", name)
		}
		assert.False(t, seen[name], name)
		seen[name] = true
	}
	var unlimited []string
	for _, r := range table {
		if r.isUnlimited {
			unlimited = append(unlimited, r.Path)
		}
	}
	assert.Equal(t, []string{
		"/api/auth/login/", "/api/auth/code/", "/api/auth/sign-up/", "/api/auth/reset-password/",
		"/api/pay/notify/wallet/", "/api/pay/notify/wallet/refund/", "/api/pay/notify/wallet/v3/", "/api/pay/notify/{wallet}/",
		"/media/portrait/{name}",
		"/media/public/{key...}", "/media/private/{key...}",
	}, unlimited, "GEN-14: the limit of an address counts for all others, and at a login where it is not usual")
	_, err := newRouter(&api{}, table)
	assert.NoError(t, err)
}

func TestA_route_without_a_policy_is_refused(t *testing.T) {
	_, err := newRouter(&api{}, []route{row(http.MethodGet, "/open/", Policy{}, (*api).document)})
	assert.ErrorContains(t, err, "GET /open/ has no policy")
}

func TestMOD04_a_staff_route_that_changes_something_has_an_act(t *testing.T) {
	_, err := newRouter(&api{}, []route{row(http.MethodPost, "/refund/", Office(access.Money), (*api).createRefund)})
	require.ErrorContains(t, err, "POST /refund/ is for staff and has no act")
	for _, r := range table {
		assert.Equal(t, r.Policy.isForStaff() && r.Method != http.MethodGet, r.act.Act != "", "%s %s", r.Method, r.Path)
	}
}

func TestMOD04_a_staff_route_without_an_act_can_change_nothing(t *testing.T) {
	carrying := func(r route) context.Context {
		g := &gin.Context{Request: httptest.NewRequest(r.Method, r.Path, nil)}
		return r.carrying(&transport.Call{Gin: g, Actor: access.Actor{ID: 7}})
	}
	for _, r := range table {
		if !r.Policy.isForStaff() {
			continue
		}
		ctx := carrying(r)
		if r.act.Act == "" {
			require.ErrorIs(t, audit.CheckCopy(ctx), audit.ErrReading, r.Path)
			continue
		}
		record, err := audit.Begin(ctx).Record()
		require.NoError(t, err)
		assert.Equal(t, audit.Actor{Staff: 7}, record.By)
		assert.False(t, record.At.IsZero())
	}
}

func TestA_missing_use_case_is_refused(t *testing.T) {
	_, err := New(Config{}, UseCases{})
	assert.ErrorContains(t, err, "lack Signin")
}
