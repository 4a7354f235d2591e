package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// placeholderHash has the form of a password's hash. No user of the dataset logs in.
const placeholderHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

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
		int64(i + 1), fmt.Sprintf("+86-13%09d", i+1), placeholderHash, allScopes, false, false, 0,
		pick(r, givenNames), pick(r, familyNames), expertise, pick(r, cities).city, pick(r, zones), r.before(history),
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
	return []any{int64(i + 1), hash[:], int64(i + 1), allScopes, 0, int64(tokenLife), epoch}
}

func (d *dataset) tokenUse(i int) []any { return []any{int64(i + 1), epoch} }

// category makes ten roots with all others under them.
func (d *dataset) category(i int) []any {
	id := int64(i + 1)
	var parent int64
	if id > 10 {
		parent = id%10 + 1
	}
	return []any{id, orNone(parent), roll("categories", i).text(16), fmt.Sprintf("category-%d", id)}
}

// followed are whom the user follows: the next three, and the one before, who so
// becomes a contact.
func (d *dataset) followed(i int) []int64 {
	var ids []int64
	for _, ahead := range []int{1, 2, 3, d.users - 1} {
		ids = append(ids, int64((i+ahead)%d.users+1))
	}
	return ids
}

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

func (d *dataset) imageRow(i int) []any {
	r := roll("images", i)
	key := fmt.Sprintf("public/%02x/%016x%08x.jpg", r.n(256), r.next(), i)
	deleted := time.Time{}
	if d.isDeleted(i) {
		deleted = epoch
	}
	return []any{
		int64(i + 1), int64(i%d.users + 1), key, 800 + r.n(800), 600 + r.n(600), imageTags(i), r.before(history), orNever(deleted),
	}
}

// imageTags are three different ones, in any order.
func imageTags(i int) []string {
	r := roll("tags", i)
	first := r.n(len(tags))
	return []string{tags[first], tags[(first+1+r.n(40))%len(tags)], tags[(first+50+r.n(40))%len(tags)]}
}

func (d *dataset) isDeleted(image int) bool { return roll("deleted", image).in(50) }

// imageCounts gives no row to those who never kept an image.
func (d *dataset) imageCounts() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for u := range min(d.users, d.images) {
			kept := 0
			for i := u; i < d.images; i += d.users {
				if !d.isDeleted(i) {
					kept++
				}
			}
			if !yield([]any{int64(u + 1), kept}) {
				return
			}
		}
	}
}
