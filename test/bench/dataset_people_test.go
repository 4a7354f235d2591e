package bench

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"sync"
	"time"

	"plaza/adapters/argon2id"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// password is that of all users.
const password = "quiet garden bicycle 41"

// passwordHash is what the program stores of it: the same for all users, because it takes time.
var passwordHash = sync.OnceValue(func() string {
	hash, err := argon2id.New(argon2id.OWASP, 1, 0).Hash(context.Background(), secret.New(password))
	if err != nil {
		panic(err) // it has the only slot
	}
	return hash
})

func phoneOf(user int) string { return fmt.Sprintf("+86-13%09d", user+1) }

var allScopes = func() (names []string) {
	for _, s := range access.DefaultScopes() {
		names = append(names, string(s))
	}
	return names
}()

func (d *dataset) user(i int) []any {
	r := roll("users", i)
	var expertise string
	if !r.in(3) {
		expertise = pick(r, expertises)
	}
	return []any{
		int64(i + 1), phoneOf(i), passwordHash(), allScopes, false, 0,
		pick(r, givenNames), pick(r, familyNames), expertise, pick(r, cities).city, pick(r, zones), r.before(history),
	}
}

// prefixes are those by which the users are found.
func (d *dataset) prefixes() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range d.users {
			row := d.user(i)
			m := user.Member{Firstname: row[6].(string), Lastname: row[7].(string)}
			for _, prefix := range m.NamePrefixes() {
				if !yield([]any{prefix, row[0]}) {
					return
				}
			}
		}
	}
}

// presence leaves every other one unseen.
func (d *dataset) presence() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := 0; i < d.users; i += 2 {
			if !yield([]any{int64(i + 1), roll("presence", i).before(history)}) {
				return
			}
		}
	}
}

// keyOf is the key of the first users, one each.
func keyOf(i int) secret.String {
	raw := sha256.Sum256(fmt.Append(nil, "key of user ", i+1))
	return secret.New("plz_" + base64.RawURLEncoding.EncodeToString(raw[:]))
}

// tokenLife outlives every benchmark of this dataset.
const tokenLife = 10 * 365 * 24 * time.Hour

func (d *dataset) token(i int) []any {
	hash, isKey := access.HashKey(keyOf(i))
	if !isKey {
		panic("the dataset's keys are none")
	}
	return []any{int64(i + 1), hash[:], int64(i + 1), allScopes, 0, int64(tokenLife), epoch, false}
}

// category makes ten roots with all others under them.
func (d *dataset) category(i int) []any {
	id := int64(i + 1)
	var parent int64
	if id > 10 {
		parent = id%10 + 1
	}
	return []any{id, orNone(parent), roll("categories", i).text(16), fmt.Sprintf("category-%d", id)}
}

// followed are whom the user follows: the one before, who so becomes a contact, and the next three; of some, the next
// 200, or as many as there are.
func (d *dataset) followed(i int) []int64 {
	many := 3
	if i%readersApart == 0 {
		many = min(200, d.users-2)
	}
	ids := []int64{int64((i+d.users-1)%d.users + 1)}
	for ahead := range many {
		ids = append(ids, int64((i+1+ahead)%d.users+1))
	}
	return ids
}

// readersApart is how far apart the users are who follow many.
const readersApart = 32

func (d *dataset) subscriptions() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		var id int64
		for i := range d.users {
			at := roll("subscriptions", i).before(history)
			for _, other := range d.followed(i) {
				id++
				if !yield([]any{id, int64(i + 1), other, nil, at, at}) {
					return
				}
			}
			id++
			if !yield([]any{id, int64(i + 1), nil, int64(i%categories + 1), at, at}) {
				return
			}
		}
	}
}

// orders are open, of the first users in turns.
func (d *dataset) orders() int { return min(10*d.users, 20_000) }

func (d *dataset) order(i int) []any {
	ends := epoch.Add(tokenLife)
	return []any{int64(i + 1), int64(i%d.tokens() + 1), roll("orders", i).text(20), 100 + i%900, "CNY", "open", epoch, ends, ends}
}

func (d *dataset) imageRow(i int) []any {
	r := roll("images", i)
	key := fmt.Sprintf("public/%02x/%016x%08x.jpg", r.IntN(256), r.Uint64(), i)
	deleted := time.Time{}
	if d.isDeleted(i) {
		deleted = epoch
	}
	return []any{
		int64(i + 1), int64(i%d.users + 1), key, 800 + r.IntN(800), 600 + r.IntN(600), imageTags(i), r.before(history), orNever(deleted),
	}
}

// imageTags are three different ones, in any order.
func imageTags(i int) []string {
	r := roll("tags", i)
	first := r.IntN(len(tags))
	return []string{tags[first], tags[(first+1+r.IntN(40))%len(tags)], tags[(first+50+r.IntN(40))%len(tags)]}
}

func (d *dataset) isDeleted(image int) bool { return roll("deleted", image).in(50) }
