package httpapi

import (
	"cmp"
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"plaza/adapters/httpapi/fields"
	"plaza/adapters/httpapi/transport"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
)

// Route is one operation of the interface: its method, its path with variables in braces,
// and its policy. A last variable that ends in dots, like {key...}, matches the rest of the
// path, including slashes.
type Route struct {
	Method string
	Path   string
	Policy Policy
}

type route struct {
	Route
	handle      func(*api, *transport.Call) (transport.Reply, error)
	act         audit.Record // what staff do with it; without one it changes and copies nothing
	isNumbered  bool         // its path has an ID
	list        transport.List
	response    fields.Tree // what its response is made of, if it takes the parameter fields
	isUnlimited bool        // its handler alone charges the address, if at all (GEN-14); its policy is NoAuth
}

// table holds every route. Every GET route also serves HEAD.
var table = []route{
	unlimited(http.MethodPost, "/api/auth/login/", (*api).login),
	row(http.MethodPost, "/api/auth/logout/", Authenticated, (*api).logout),
	unlimited(http.MethodPost, "/api/auth/code/", (*api).requestCode),
	unlimited(http.MethodPost, "/api/auth/sign-up/", (*api).signUp),
	unlimited(http.MethodPost, "/api/auth/reset-password/", (*api).resetPassword),
	row(http.MethodPut, "/api/user/phone/", Unnarrowed, (*api).changePhone),
	row(http.MethodPut, "/api/user/password/", Unnarrowed, (*api).changePassword),
	row(http.MethodGet, "/api/user/session/", Unnarrowed, (*api).listSessions),
	row(http.MethodDelete, "/api/user/session/{id}/", Unnarrowed, (*api).endSession),

	row(http.MethodPost, "/api/user/user-simple-info/", OptionalAuth, (*api).lookUpPeople),
	row(http.MethodGet, "/api/user/search/", Authenticated, (*api).searchPeople),
	row(http.MethodGet, "/api/user/profile/", Authenticated, (*api).readProfile),
	row(http.MethodPatch, "/api/user/profile/", Authenticated, (*api).changeProfile),
	row(http.MethodGet, "/api/user/profile/{uid}/", OptionalAuth, (*api).readPublicProfile),
	row(http.MethodGet, "/api/user/relationship/", Authenticated, (*api).listRelationships),
	row(http.MethodPost, "/api/user/erase/", Unnarrowed, (*api).eraseOwn),
	row(http.MethodGet, "/api/user/export/", Unnarrowed, (*api).exportOwn),
	row(http.MethodPut, "/api/user/avatar/", Authenticated, (*api).setAvatar),
	row(http.MethodDelete, "/api/user/avatar/", Authenticated, (*api).removeAvatar),
	row(http.MethodGet, "/api/user/notification/", eventScope, (*api).listNotifications),
	row(http.MethodPut, "/api/user/notification/read/", eventScope, (*api).readNotifications),
	row(http.MethodGet, "/api/user/stream/", eventScope, (*api).stream),
	row(http.MethodGet, "/api/user/moderation/", Authenticated, (*api).listHidden),
	row(http.MethodPut, "/api/user/block/{uid}/", Authenticated, (*api).block),
	row(http.MethodDelete, "/api/user/block/{uid}/", Authenticated, (*api).unblock),
	row(http.MethodGet, "/api/user/block/", Authenticated, (*api).listBlocks),

	row(http.MethodPost, "/api/xfile/event/", eventScope, (*api).writeEvent),
	row(http.MethodGet, "/api/xfile/event/", eventScope, (*api).listOwnEvents),
	row(http.MethodGet, "/api/xfile/event/{id}/", eventScope, (*api).readEvent),
	row(http.MethodPatch, "/api/xfile/event/{id}/", eventScope, (*api).editEvent),
	row(http.MethodDelete, "/api/xfile/event/{id}/", eventScope, (*api).deleteEvent),
	row(http.MethodGet, "/api/xfile/event/new-comment-event/", eventScope, (*api).listRecentlyCommented),
	row(http.MethodGet, "/api/xfile/event/following/", eventScope, (*api).listTimeline),
	row(http.MethodGet, "/api/xfile/event/{uid}/view-list/", eventScope, (*api).listEventsOf),

	row(http.MethodPost, "/api/activity/comment/", eventScope, (*api).writeComment),
	row(http.MethodGet, "/api/activity/comment/", eventScope, (*api).listComments),
	row(http.MethodPatch, "/api/activity/comment/{id}/", eventScope, (*api).editComment),
	row(http.MethodDelete, "/api/activity/comment/{id}/", eventScope, (*api).deleteComment),
	row(http.MethodGet, "/api/activity/like/", eventScope, (*api).listLikes),
	row(http.MethodGet, "/api/activity/like/{event_id}/", eventScope, (*api).readLike),
	row(http.MethodPut, "/api/activity/like/{event_id}/", eventScope, (*api).like),
	row(http.MethodDelete, "/api/activity/like/{event_id}/", eventScope, (*api).unlike),

	row(http.MethodPost, "/api/activity/report/", Authenticated, (*api).report),
	row(http.MethodGet, "/api/activity/report/", Authenticated, (*api).listOwnReports),

	row(http.MethodPost, "/api/subscription/user-subscription/", Authenticated, (*api).subscribe),
	row(http.MethodGet, "/api/subscription/user-subscription/", Authenticated, (*api).listSubscriptions),
	row(http.MethodDelete, "/api/subscription/user-subscription/{id}/", Authenticated, (*api).unsubscribe),
	row(http.MethodGet, "/api/subscription/follower/", Authenticated, (*api).listFollowers),

	row(http.MethodPost, "/api/xfile/plate/", eventScope, (*api).attachPlate),
	row(http.MethodDelete, "/api/xfile/plate/{id}/", eventScope, (*api).detachPlate),

	row(http.MethodGet, "/api/feed/categories/", OptionalAuth, (*api).listCategories),
	row(http.MethodGet, "/api/feed/items/{category_id}/", OptionalAuth, (*api).listFeedItems),
	row(http.MethodGet, "/api/feed/item/{entity_type}/{entity_id}/", OptionalAuth, (*api).openFeedItem),
	row(http.MethodGet, "/api/search/", OptionalAuth, (*api).search),
	row(http.MethodGet, "/api/writing/bundle-data/get-publication-feed-items/", Scope(access.WritingBundle), (*api).listPublications),
	row(http.MethodGet, "/api/writing-admin/v1/imported-howto/", Office(access.Imports), (*api).listHowTos),

	row(http.MethodPost, "/api/user/user-image/", Authenticated, (*api).keepImage),
	row(http.MethodGet, "/api/user/user-image/", OptionalAuth, (*api).listImages),
	row(http.MethodPatch, "/api/user/user-image/{id}/", Authenticated, (*api).retagImage),
	row(http.MethodDelete, "/api/user/user-image/{id}/", Authenticated, (*api).deleteImage),

	row(http.MethodPost, "/api/pay/order/pay/", payScope, (*api).pay),
	row(http.MethodGet, "/api/pay/order/", payScope, (*api).listOrders),
	row(http.MethodGet, "/api/pay/order/{id}/", payScope, (*api).readOrder),
	unlimited(http.MethodPost, "/api/pay/notify/wallet/", notifyOver("v2")),
	unlimited(http.MethodPost, "/api/pay/notify/wallet/refund/", notifyOver("v2")),
	unlimited(http.MethodPost, "/api/pay/notify/wallet/v3/", notifyOver("v3")),
	unlimited(http.MethodPost, "/api/pay/notify/{wallet}/", notifyNamed),
	acting(access.Ordering, "/api/pay-admin/v1/order/", audit.OrderCreated, audit.Order, (*api).createOrder),
	row(http.MethodGet, "/api/pay-admin/v1/order/", Office(access.Orders), (*api).listAllOrders),
	row(http.MethodGet, "/api/pay-admin/v1/payment/", Office(access.Money), (*api).listPayments),
	acting(access.Money, "/api/pay-admin/v1/refund/", audit.RefundOrdered, audit.Refund, (*api).createRefund),
	row(http.MethodGet, "/api/pay-admin/v1/refund/", Office(access.Money), (*api).listRefunds),
	row(http.MethodGet, "/api/pay-admin/v1/search/", Office(access.Orders), (*api).searchMoney),
	row(http.MethodGet, "/api/pay-admin/v1/finding/", Office(access.Money), (*api).listFindings),
	row(http.MethodGet, "/api/back-office/v1/report/", Office(access.Reports), (*api).listReports),
	acting(access.Reports, "/api/back-office/v1/decide/", audit.ReportDecided, audit.Report, (*api).decideReport),
	acting(access.Reports, "/api/back-office/v1/hide/", audit.Hidden, ofBody, (*api).hide),
	acting(access.Reports, "/api/back-office/v1/restore/", audit.Restored, ofBody, (*api).restore),
	row(http.MethodGet, "/api/back-office/v1/audit/", Office(access.Audit), (*api).listActs),

	row(http.MethodGet, "/api/back-office/v1/people/", Office(access.People), (*api).findPeople),
	row(http.MethodGet, "/api/back-office/v1/people/{uid}/", Office(access.People), (*api).showPerson),
	acting(access.People, "/api/back-office/v1/people/{uid}/disable/", audit.AccountDisabled, audit.Account, (*api).disableAccount),
	acting(access.People, "/api/back-office/v1/people/{uid}/enable/", audit.AccountEnabled, audit.Account, (*api).enableAccount),
	acting(access.Rights, "/api/back-office/v1/people/{uid}/scopes/", audit.ScopesSet, audit.Account, (*api).setRights),
	acting(access.People, "/api/back-office/v1/people/{uid}/end-sessions/", audit.SessionsEnded, audit.Account, (*api).endSessionsOf),
	row(http.MethodGet, "/api/back-office/v1/overview/", Office(access.Overview), (*api).showOverview),
	row(http.MethodGet, "/api/back-office/v1/import/", Office(access.Imports), (*api).listImports),
	row(http.MethodGet, "/api/back-office/v1/import/{id}/rejects/", Office(access.Imports), (*api).listRejects),

	unlimited(http.MethodGet, "/media/portrait/{name}", (*api).portrait),
	unlimited(http.MethodGet, "/media/public/{key...}", (*api).publicPicture),
	unlimited(http.MethodGet, "/media/private/{key...}", (*api).privatePicture),
	row(http.MethodGet, "/api/openapi.json", OptionalAuth, (*api).document),
	row(http.MethodGet, "/api/limits/", OptionalAuth, (*api).readLimits),
}

// eventScope is the policy of all event routes (AUT-06, AUT-07), and of notifications, which show titles and comments.
var eventScope = Scope(access.XfileEvent)

// payScope is the policy of payment routes (PAY-01, PAY-12).
var payScope = Scope(access.PayTradeOrder)

func row(method, path string, p Policy, handle func(*api, *transport.Call) (transport.Reply, error)) route {
	return route{Route: Route{method, path, p}, handle: handle}
}

// ofBody is the kind of an act whose object, of any kind, is named in the body.
const ofBody audit.Kind = ""

// acting returns a row of a POST with the policy Office. Its calls do the act, on an object of the kind (MOD-04).
func acting(of access.Area, path string, act audit.Act, on audit.Kind, handle func(*api, *transport.Call) (transport.Reply, error)) route {
	r := row(http.MethodPost, path, Office(of), handle)
	r.act = audit.Record{Act: act, Object: audit.Object{Kind: on}}
	return r
}

// unlimited returns a row with the policy NoAuth. Only its handler may limit requests by address.
func unlimited(method, path string, handle func(*api, *transport.Call) (transport.Reply, error)) route {
	return route{Route: Route{method, path, NoAuth}, handle: handle, isUnlimited: true}
}

// Routes returns every route in the table's order. It does not list HEAD, which has the
// policy of GET.
func Routes() []Route { return routesOf(table) }

func routesOf(rows []route) []Route { return mapSlice(rows, func(r route) Route { return r.Route }) }

var (
	tail     = regexp.MustCompile(`\{[^}]+\.\.\.\}$`)
	variable = regexp.MustCompile(`\{[^}]+\}`)
)

// pattern returns the path in gin's syntax. gin needs the same variable name at the same
// place of all paths, so the last variable is called id. One before it keeps its name.
func (r Route) pattern() string {
	path := tail.ReplaceAllString(r.Path, "*id")
	if last := strings.LastIndexByte(path, '{'); last >= 0 {
		path = path[:last] + variable.ReplaceAllString(path[last:], ":id")
	}
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// methods returns the methods of the route: HEAD comes with GET.
func (r Route) methods() []string {
	if r.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.Method}
}

// refuser returns a handler for methods that the path does not support. gin finds the other
// methods, but takes what it has matched for one method as part of the next. So the handler
// looks them up itself.
func refuser(rows []route) http.HandlerFunc {
	paths := make([]*regexp.Regexp, len(rows))
	for i, r := range rows {
		path := variable.ReplaceAllString(tail.ReplaceAllString(r.Path, ".+"), "[^/]+")
		paths[i] = regexp.MustCompile("^" + path + "$")
	}
	return func(w http.ResponseWriter, r *http.Request) {
		var takes []string
		for i, row := range rows {
			if paths[i].MatchString(r.URL.EscapedPath()) && !slices.Contains(takes, row.Method) {
				takes = append(takes, row.methods()...)
			}
		}
		if len(takes) == 0 {
			w.Header().Del("Allow")
			transport.Fail(w, r, errNoPath)
			return
		}
		w.Header().Set("Allow", strings.Join(takes, ", "))
		transport.WrongMethod(r.Method, takes).Send(w, r)
	}
}

// numbered matches a path with an ID.
var numbered = regexp.MustCompile(`\{(id|uid|event_id|entity_id)\}`)

// call calls the handler, and leaves out what the client has not asked for. An ID in the path that is no positive integer is
// ErrNotFound (GEN-09).
func (r route) call(a *api, c *transport.Call) (transport.Reply, error) {
	if r.isNumbered {
		if c.ID = transport.PositiveInt(c.Name()); c.ID < 1 {
			return transport.Reply{}, transport.ErrNotFound
		}
	}
	c.List = r.list
	r.selectPart(c)
	answer, err := r.handle(a, c)
	return answer.Part(c.Part), cmp.Or(err, c.PartErr)
}

// selectPart sets the part of the response that the client asks for (GEN-17).
func (r route) selectPart(c *transport.Call) {
	if r.response == nil || !strings.Contains(c.Gin.Request.URL.RawQuery, "fields") {
		return
	}
	q := c.Query()
	names := q.List("fields")
	switch {
	case len(q.Wrong["fields"]) > 0:
		c.PartErr = fault.Field("fields", q.Wrong["fields"][0])
	case len(names) > 0:
		c.Part, c.PartErr = r.response.Select(names)
	}
}

// traced returns the handler of a route with a span around it, named like the handler. The
// time before it is spent on the token and the policy, the time after it on sending.
func (a *api) traced(r route) func(*api, *transport.Call) (transport.Reply, error) {
	if a.tracer == nil {
		return r.call
	}
	name := runtime.FuncForPC(reflect.ValueOf(r.handle).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	return func(a *api, c *transport.Call) (transport.Reply, error) {
		request := c.Gin.Request
		ctx, span := a.tracer.Start(request.Context(), name)
		defer func() { span.End() }() // called directly, it would add the text of a panic
		c.Gin.Request = request.WithContext(ctx)
		defer func() { c.Gin.Request = request }()
		answer, err := r.call(a, c)
		if err != nil {
			span.SetAttributes(attribute.String("error.type", fault.KindOf(err).Code()))
		}
		return answer, err
	}
}
