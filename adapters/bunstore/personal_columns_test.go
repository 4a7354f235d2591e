package bunstore_test

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/secret"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// personalTable says what becomes of the columns of a table that refers to users. Each column is exported or not, and
// each stays after an erasure or does not. Columns are separated by spaces.
type personalTable struct {
	kind     personaldata.Kind // empty: it is derived, and has no records of its own
	owner    string            // condition on the rows of the user {user}
	exported string
	internal string // not exported: it says nothing more of the person, or is a secret
	kept     string // stays after an erasure; empty: the row is deleted
	blank    string // stays as an empty text; also among those above
}

// personalTables are all tables from which references lead to users, and those that have phone numbers.
var personalTables = map[string]personalTable{
	"users": {
		kind: personaldata.Account, owner: "id = {user}",
		exported: "id phone scopes roles disabled firstname lastname expertise location timezone joined source avatar bio",
		internal: "password_hash generation revision adopted erasing factor_secret factor_step recovery_codes",
		// those from phone on with neutral values
		kept: "id joined source adopted generation revision erasing phone scopes roles disabled timezone avatar factor_secret factor_step " +
			"recovery_codes",
		blank: "password_hash firstname lastname expertise location bio",
	},
	"hidden_profiles": {kind: personaldata.Account, owner: "user_id = {user}",
		exported: "firstname lastname bio location expertise avatar", internal: "user_id"},
	"name_prefixes": {owner: "user_id = {user}", internal: "prefix user_id"}, // of the names, which users has
	"presence":      {kind: personaldata.Account, owner: "user_id = {user}", exported: "seen", internal: "user_id"},
	"tokens": {kind: personaldata.Sessions, owner: "user_id = {user}", exported: "id scopes ttl created",
		internal: "user_id hash generation narrowed second_factor"},
	"token_uses": {kind: personaldata.Sessions, owner: "token_id IN (SELECT id FROM tokens WHERE user_id = {user})", exported: "used",
		internal: "token_id"},
	"subscriptions": {
		kind: personaldata.Follows, owner: "user_id = {user} OR followed_id = {user}",
		exported: "id followed_id category_id created", internal: "user_id updated",
	},
	"events": {
		kind: personaldata.Events, owner: "author_id = {user}",
		exported: "id day title content html category_id permission status province city district created modified published_at",
		internal: "author_id revision hidden",
	},
	"search_entries": {owner: "author_id = {user}", internal: "kind id created author_id private words"}, // of texts that are exported
	"plates": {
		kind: personaldata.Events, owner: "event_id IN (SELECT id FROM events WHERE author_id = {user})",
		exported: "id photo created", internal: "event_id width height hidden",
	},
	"event_counts": {owner: "author_id = {user}", internal: "event_id author_id comments likes commented"},
	"comments": {kind: personaldata.Comments, owner: "author_id = {user}", exported: "id event_id content created edited reply_to",
		internal: "author_id hidden"},
	"likes": {kind: personaldata.Likes, owner: "user_id = {user}", exported: "event_id", internal: "user_id"},
	"publications": {
		kind: personaldata.Publications, owner: "author_id = {user}",
		exported: "id bundle_id node_id type title summary cover language category_id published deleted created updated",
		internal: "author_id first_original_id original_id hidden",
	},
	"publication_texts": {
		kind: personaldata.Publications, owner: "id IN (SELECT id FROM publications WHERE author_id = {user})", exported: "html", internal: "id",
	},
	"node_texts": {kind: personaldata.Nodes, owner: "id IN (SELECT id FROM nodes WHERE author_id = {user})", exported: "html", internal: "id"},
	"nodes": {
		kind: personaldata.Nodes, owner: "author_id = {user}",
		exported: "id bundle_id title summary cover language category_id published deleted created updated", internal: "author_id hidden",
	},
	"demands": {
		kind: personaldata.Demands, owner: "author_id = {user}",
		exported: "id title description tags cover images address category_id lat lng closed starts ends published deleted created updated",
		internal: "author_id hidden",
	},
	"howtos": {kind: personaldata.HowTos, owner: "robot_id = {user}", exported: "category bundles created updated", internal: "robot_id"},
	"images": {kind: personaldata.Images, owner: "owner_id = {user}", exported: "id key width height tags created deleted",
		internal: "owner_id hidden revision"},
	"blocks": {
		kind: personaldata.Blocks, owner: "user_id = {user} OR other_id = {user}", exported: "other_id created", internal: "user_id is_by_user",
	},
	"contacts": {owner: "user_id = {user} OR contact_id = {user}", internal: "user_id contact_id"},
	"notifications": {
		kind: personaldata.Notifications, owner: "owner_id = {user} OR actor_id = {user}",
		exported: "id kind actor_id object_id about note created", internal: "owner_id expires withdrawn",
	},
	"reports": {
		kind: personaldata.Reports, owner: "author_id = {user}",
		exported: "id kind object_id reason content created", internal: "author_id case_id",
	},
	"report_cases": { // those that are open stay until they are decided
		kind: personaldata.Cases, owner: "owner_id = {user} AND decided IS NOT NULL",
		exported: "kind object_id decided outcome decision_reason",
		internal: "id owner_id first_reported last_reported spam abuse illegal other decided_by decided_person",
	},
	"kept_versions": { // of what is exported as it is now
		owner:    "case_id IN (SELECT id FROM report_cases WHERE owner_id = {user} AND decided IS NOT NULL)",
		internal: "id case_id digest content created expires",
	},
	"kept_pictures": {
		owner:    "case_id IN (SELECT id FROM report_cases WHERE owner_id = {user} AND decided IS NOT NULL)",
		internal: "id case_id name key expires",
	},
	"hidden_things": {kind: personaldata.Hidden, owner: "owner_id = {user}", exported: "kind object_id reason hidden_at",
		internal: "owner_id"},
	"notification_counts": {owner: "owner_id = {user}", internal: "owner_id total unread read_up_to changes"},
	"streams":             {owner: "owner_id = {user}", internal: "id owner_id until"},
	"profile_counts":      {owner: "owner_id = {user}", internal: "owner_id events followers followed"},
	"image_counts":        {owner: "owner_id = {user}", internal: "owner_id kept"},
	"pictures":            {owner: "owner_id = {user}", internal: "key owner_id bytes"},
	"picture_totals":      {owner: "owner_id = {user}", internal: "owner_id bytes"},
	"orders": {
		kind: personaldata.Orders, owner: "user_id = {user}",
		exported: "id subject amount currency state created expires paid transaction_id", internal: "user_id next_check change",
		kept: "id user_id amount currency state created expires paid transaction_id next_check change", blank: "subject",
	},
	"prepayments": {
		kind: personaldata.Prepayments, owner: "order_id IN (SELECT id FROM orders WHERE user_id = {user})",
		exported: "order_id out_trade_no end_type app open_id state created",
		internal: "id protocol request prepay_id code_url mweb_url opened expires leased_until",
		// request as an empty value
		kept:  "id order_id out_trade_no protocol end_type app state prepay_id created opened expires leased_until request",
		blank: "open_id code_url mweb_url",
	},
	"payments": {
		kind: personaldata.Payments, owner: "order_id IN (SELECT id FROM orders WHERE user_id = {user})",
		exported: "id order_id transaction_id state amount currency received", internal: "out_trade_no protocol app refunded paid user_id",
		kept: "user_id id order_id transaction_id out_trade_no protocol app refunded state amount currency received paid",
	},
	"refunds": {
		kind: personaldata.Refunds, owner: "payment_id IN (SELECT id FROM payments WHERE order_id IN (SELECT id FROM orders WHERE user_id = " +
			"{user}))",
		exported: "id payment_id amount currency reason state wallet_refund_id created updated",
		// requested_by is the staff member, whose account's row stays
		internal: "out_refund_no origin requested_by user_id sent next_check",
		kept: "user_id id payment_id out_refund_no amount currency origin requested_by state wallet_refund_id created updated sent " +
			"next_check",
		blank: "reason",
	},
	"journal": { // of states, numbers and times alone
		owner:    "order_id IN (SELECT id FROM orders WHERE user_id = {user})",
		internal: "id order_id happened noted out_trade_no detail", kept: "id order_id happened noted out_trade_no detail",
	},
	"findings": { // of bills: of numbers, amounts and times alone
		owner:    "order_id IN (SELECT id FROM orders WHERE user_id = {user})",
		internal: "id day kind transaction_id out_refund_no order_id expected found seen resolved settled",
		kept:     "id day kind transaction_id out_refund_no order_id expected found seen resolved settled",
	},
	"audit_records": { // by_person is at the command line, and no user
		kind: personaldata.StaffActs, owner: "about = {user} OR by_user = {user}",
		exported: "id at act object_kind object_id", internal: "by_user by_person about",
		kept: "id at by_user by_person act object_kind object_id about",
	},
	"audit_reasons": {
		owner:    "record_id IN (SELECT id FROM audit_records WHERE about = {user} OR by_user = {user})",
		internal: "record_id reason by_name about_name", kept: "record_id", blank: "reason by_name about_name",
	},
	"idempotency_keys": {
		kind: personaldata.IdempotencyKeys, owner: "user_id = {user}", exported: "name since order_id kind made_id refund_id",
		internal: "user_id fingerprint busy reply holder",
	},
	"rate_limits": {kind: personaldata.RateLimits, owner: "user_id = {user}", exported: "action until", internal: "user_id"},
	"login_failures": {kind: personaldata.FailedLogins, owner: "phone = '{phone}'", exported: "source failed",
		internal: "id phone in_pair in_unusual"},
	"usual_sources": {kind: personaldata.LoginNetworks, owner: "phone = '{phone}'", exported: "source last_login", internal: "phone"},
	"codes": {
		kind: personaldata.Codes, owner: "number = replace(substr('{phone}', 2), '-', '')", exported: "purpose made expires tries status",
		internal: "id number hash key",
	},
	"code_uses": {
		kind: personaldata.CodeUses, owner: "number = replace(substr('{phone}', 2), '-', '')", exported: "use source at",
		internal: "id number prefix",
	},
}

// impersonal are columns whose name could be that of a reference to a person, and is not.
var impersonal = []string{"news.source"} // ids of articles

// personalName matches the names of columns that refer to a person without a foreign key.
var personalName = regexp.MustCompile(
	`^(?:.*_)?(?:user|author|owner|followed|robot|member|person|account|phone|number|username|email|open_id|source|staff)(?:_id)?$`)

var (
	columnLine  = regexp.MustCompile(`^(\w+)\.(\w+) `)
	foreignLine = regexp.MustCompile(`^(\w+) FOREIGN KEY .* REFERENCES (\w+) `)
)

func TestEveryColumnThatRefersToAPersonIsExportedOrErased(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		schema, columns := schemaOf(t, url), map[string][]string{}
		refers := map[string]bool{"users": true}
		for n := 0; n < len(refers); {
			n = len(refers)
			for _, line := range schema {
				if to := foreignLine.FindStringSubmatch(line); to != nil && refers[to[2]] {
					refers[to[1]] = true
				}
			}
		}
		for table := range refers {
			assert.Contains(t, personalTables, table, "%s refers to users: say here what an export and an erasure do to each column", table)
		}
		for _, line := range schema {
			of := columnLine.FindStringSubmatch(line)
			if of == nil {
				continue
			}
			columns[of[1]] = append(columns[of[1]], of[2])
			if personalName.MatchString(of[2]) && !slices.Contains(impersonal, of[1]+"."+of[2]) {
				assert.Contains(t, personalTables, of[1], "%s.%s sounds like a person: say here what an export and an erasure do to it", of[1], of[2])
			}
		}
		for table, p := range personalTables {
			assert.ElementsMatch(t, columns[table], strings.Fields(p.exported+" "+p.internal), "%s: each column is exported or internal", table)
			if p.kept+p.blank != "" {
				assert.ElementsMatch(t, columns[table], strings.Fields(p.kept+" "+p.blank), "%s: each column is kept or blanked", table)
			}
		}
	})
}

func TestErasureLeavesNoRowThatIsNotKept(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, address string) {
		s := open(t, address)
		p := portsOf(s)
		ctx := t.Context()
		phone, err := user.ParsePhone("+86-13900000001")
		require.NoError(t, err)
		id, err := p.Accounts.Open(ctx, access.Account{Phone: phone, Hash: "hash", Scopes: access.DefaultScopes()},
			user.Member{Firstname: "Ann", Lastname: "Lee", Expertise: "Tea", Location: "Sevilla", Timezone: "Europe/Madrid", Joined: noon,
				Seen: noon})
		require.NoError(t, err)
		_, err = p.Tokens.Issue(ctx, access.Token{User: id, Hash: access.KeyHash{1}, TTL: time.Hour, Created: noon, Used: noon})
		require.NoError(t, err)
		require.NoError(t, p.Directory.ChangeProfile(ctx, id, user.ProfileChange{Bio: new("I make tea.")}))
		require.NoError(t, p.Directory.SetAvatar(ctx, id, media.CoverOf("public/avatar", "lg", 1, 1), 10))
		_, err = p.Images.Add(ctx, userimage.New(id, "public/image", 1, 1, 10, userimage.Tags{}, noon))
		require.NoError(t, err)
		attempt := access.Attempt{Phone: phone, Source: access.SourceOf(netip.MustParseAddr("192.0.2.1"))}
		require.NoError(t, p.Throttle.Begin(ctx, attempt, noon))
		require.NoError(t, p.Throttle.Succeed(ctx, attempt, noon))
		require.NoError(t, p.Throttle.Begin(ctx, attempt, noon))
		keys, err := verification.NewKey(secret.New(strings.Repeat("k", 32)))
		require.NoError(t, err)
		code, _ := verification.New(verification.Erase, verification.NumberOf(phone), keys, noon)
		expense := verification.Expense{DiallingCode: "86", Messages: 1, Now: noon}
		require.NoError(t, p.Codes.Reserve(ctx, verification.Request{Code: code.State(), From: attempt.Source.First(), Expense: expense}))
		other, err := p.Accounts.Open(ctx, access.Account{}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
		for _, follow := range [][2]user.ID{{id, other}, {other, id}} {
			sub, err := subscription.ToUser(follow[0], follow[1], noon)
			require.NoError(t, err)
			_, _, err = p.Subscriptions.Follow(ctx, sub)
			require.NoError(t, err)
		}
		o := payment.NewOrder(id, "Tea", 990, time.Hour, noon)
		o.State = payment.Closed
		_, err = p.Ledger.AddOrder(ctx, o, &idempotency.Key{User: id, Name: "key"})
		require.NoError(t, err)
		for _, by := range []audit.Actor{{Person: "maria"}, {Staff: id}} {
			_, err = p.Audit.Append(ctx, audit.Record{
				At: noon, By: by, Act: audit.AccountDisabled, Object: audit.Numbered(audit.Account, id), About: id, Reason: "Ann asked",
			})
			require.NoError(t, err)
		}
		_, err = p.Events.Add(ctx, listedEvent(t, id, "A title to be forgotten"))
		require.NoError(t, err)
		moves := media.NewMoves([]media.Key{"public/avatar"}, media.Viewers, noon)
		require.NoError(t, moves.Reserve(ctx, p.Deletions))
		profile := moderation.Thing{Kind: moderation.Profile, ID: int64(id)}
		err = p.Moderation.Hide(ctx, moderation.Hiding{Thing: profile, Reason: "Rude", At: noon}, moves)
		require.NoError(t, err)
		db, before := rawSQL(t, address), filesOf(t, address)

		for _, d := range personaldata.Kinds() {
			for n := 1; n > 0; {
				n, err = p.PersonalData.Erase(ctx, id, d.Kind, 10)
				require.NoError(t, err)
			}
		}
		count := func(table, where string) int64 {
			where = strings.NewReplacer("{user}", fmt.Sprint(id), "{phone}", phone.String()).Replace(where)
			return column[int64](t, db, "SELECT count(*) FROM "+table+" WHERE "+where)[0]
		}
		for table, is := range personalTables {
			if is.kept == "" {
				assert.Zero(t, count(table, is.owner), "rows of %s", table)
				continue
			}
			for _, blank := range strings.Fields(is.blank) {
				assert.Zero(t, count(table, "("+is.owner+") AND "+blank+" <> ''"), "%s.%s", table, blank)
			}
		}
		assert.Equal(t, int64(1), count("users", "id = {user} AND avatar IS NULL AND timezone = 'UTC' AND phone = 'erased-1'"))
		assertConsistent(t, s)
		after := filesOf(t, address)
		for _, text := range []string{phone.String(), "Sevilla", "to be forgotten", "forgotten"} {
			assert.Equal(t, strings.HasPrefix(address, "sqlite:"), strings.Contains(before, text), text)
			assert.NotContains(t, after, text, "secure_delete overwrites what is deleted")
		}
	})
}

// filesOf returns what is in the files of a SQLite database.
func filesOf(t *testing.T, address string) (all string) {
	t.Helper()
	path, is := strings.CutPrefix(address, "sqlite:")
	for _, suffix := range []string{"", "-wal"} {
		if is {
			raw, err := os.ReadFile(path + suffix)
			require.NoError(t, err)
			all += string(raw)
		}
	}
	return all
}
