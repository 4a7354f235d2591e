package guard

import (
	"context"
	"iter"
	"time"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

type guardedAccounts struct {
	access.Accounts
	*guard
}

func (v guardedAccounts) Open(ctx context.Context, a access.Account, m user.Member) (user.ID, error) {
	v.check()
	return v.Accounts.Open(ctx, a, m)
}

func (v guardedAccounts) ByPhone(ctx context.Context, phone user.Phone) (access.Account, error) {
	v.check()
	return v.Accounts.ByPhone(ctx, phone)
}

func (v guardedAccounts) ByID(ctx context.Context, id user.ID) (access.Account, error) {
	v.check()
	return v.Accounts.ByID(ctx, id)
}

func (v guardedAccounts) List(ctx context.Context, after user.ID, limit int) ([]access.Account, error) {
	v.check()
	return v.Accounts.List(ctx, after, limit)
}

func (v guardedAccounts) Change(ctx context.Context, id user.ID, fn func(*access.Account) error) error {
	v.check()
	return v.Accounts.Change(ctx, id, guarded(v.guard, fn))
}

type guardedDirectory struct {
	user.Directory
	*guard
}

func (v guardedDirectory) Members(ctx context.Context, ids []user.ID) ([]user.Member, error) {
	v.check()
	return v.Directory.Members(ctx, ids)
}

func (v guardedDirectory) SetAvatar(ctx context.Context, id user.ID, avatar media.Picture, bytes int64, charges ...ratelimit.Charge) error {
	v.check()
	return v.Directory.SetAvatar(ctx, id, avatar, bytes, charges...)
}

type guardedTokens struct {
	access.Tokens
	*guard
}

func (v guardedTokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (access.TokenID, error) {
	v.check()
	return v.Tokens.Issue(ctx, t, charges...)
}

func (v guardedTokens) Session(ctx context.Context, hash access.KeyHash) (access.Session, error) {
	v.check()
	return v.Tokens.Session(ctx, hash)
}

func (v guardedTokens) Touch(ctx context.Context, s access.Session, now time.Time) error {
	v.check()
	return v.Tokens.Touch(ctx, s, now)
}

func (v guardedTokens) Revoke(ctx context.Context, id access.TokenID) error {
	v.check()
	return v.Tokens.Revoke(ctx, id)
}

func (v guardedTokens) OfUser(ctx context.Context, id user.ID) ([]access.Token, error) {
	v.check()
	return v.Tokens.OfUser(ctx, id)
}

type guardedThrottle struct {
	access.Throttle
	*guard
}

func (v guardedThrottle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	v.check()
	return v.Throttle.Begin(ctx, a, now)
}

func (v guardedThrottle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	v.check()
	return v.Throttle.Succeed(ctx, a, now)
}

func (v guardedThrottle) Abandon(ctx context.Context, a access.Attempt, now time.Time) error {
	v.check()
	return v.Throttle.Abandon(ctx, a, now)
}

type guardedCategories struct {
	feed.Categories
	*guard
}

func (v guardedCategories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	v.check()
	return v.Categories.ByIDs(ctx, ids)
}

type guardedSubscriptions struct {
	subscription.Repository
	*guard
}

func (v guardedSubscriptions) Follow(
	ctx context.Context, s subscription.Subscription, charges ...ratelimit.Charge,
) (subscription.Subscription, bool, error) {
	v.check()
	return v.Repository.Follow(ctx, s, charges...)
}

func (v guardedSubscriptions) Get(ctx context.Context, owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	v.check()
	return v.Repository.Get(ctx, owner, id)
}

func (v guardedSubscriptions) Remove(ctx context.Context, owner user.ID, id subscription.ID) error {
	v.check()
	return v.Repository.Remove(ctx, owner, id)
}

func (v guardedSubscriptions) List(ctx context.Context, q subscription.Query) (page.Page[subscription.Subscription], error) {
	v.check()
	return v.Repository.List(ctx, q)
}

func (v guardedSubscriptions) Relations(ctx context.Context, viewer user.ID, authors []user.ID) (map[user.ID]subscription.Relation, error) {
	v.check()
	return v.Repository.Relations(ctx, viewer, authors)
}

type guardedEvents struct {
	event.Repository
	*guard
}

func (v guardedEvents) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	v.check()
	return v.Repository.Add(ctx, e, charges...)
}

func (v guardedEvents) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	v.check()
	return v.Repository.Get(ctx, id)
}

func (v guardedEvents) GetFor(ctx context.Context, id event.ID, viewer user.ID) (event.Entry, subscription.Relation, error) {
	v.check()
	return v.Repository.GetFor(ctx, id, viewer)
}

func (v guardedEvents) Change(
	ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	v.check()
	return v.Repository.Change(ctx, id, guarded(v.guard, fn), charges...)
}

func (v guardedEvents) ChangeRead(
	ctx context.Context, read event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	v.check()
	return v.Repository.ChangeRead(ctx, read, guarded(v.guard, fn), charges...)
}

func (v guardedEvents) Remove(ctx context.Context, id event.ID) (*event.Event, error) {
	v.check()
	return v.Repository.Remove(ctx, id)
}

type guardedReader struct {
	event.Reader
	*guard
}

func (v guardedReader) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	v.check()
	return v.Reader.List(ctx, q)
}

func (v guardedReader) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	v.check()
	return v.Reader.Commented(ctx, author, limit)
}

func (v guardedReader) OfPlate(ctx context.Context, id event.PlateID) (event.ID, error) {
	v.check()
	return v.Reader.OfPlate(ctx, id)
}

func (v guardedReader) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	v.check()
	return v.Reader.Located(ctx, after, limit)
}

type guardedDiscussion struct {
	event.Discussion
	*guard
}

func (v guardedDiscussion) AddComment(ctx context.Context, c event.Comment, charges ...ratelimit.Charge) (event.Comment, error) {
	v.check()
	return v.Discussion.AddComment(ctx, c, charges...)
}

func (v guardedDiscussion) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	v.check()
	return v.Discussion.Comment(ctx, id)
}

func (v guardedDiscussion) RemoveComment(ctx context.Context, id event.CommentID) error {
	v.check()
	return v.Discussion.RemoveComment(ctx, id)
}

func (v guardedDiscussion) Comments(ctx context.Context, on event.ID, p page.Request) (page.Page[event.Comment], map[user.ID]*user.Member, error) {
	v.check()
	return v.Discussion.Comments(ctx, on, p)
}

func (v guardedDiscussion) Like(ctx context.Context, on event.ID, by user.ID, likes bool, charges ...ratelimit.Charge) error {
	v.check()
	return v.Discussion.Like(ctx, on, by, likes, charges...)
}

func (v guardedDiscussion) Liking(ctx context.Context, on event.ID, viewer user.ID) (event.Liking, error) {
	v.check()
	return v.Discussion.Liking(ctx, on, viewer)
}

type guardedRelated struct {
	event.RelatedReader
	*guard
}

func (v guardedRelated) Load(ctx context.Context, q event.RelatedQuery) (event.Related, error) {
	v.check()
	return v.RelatedReader.Load(ctx, q)
}

type guardedImages struct {
	userimage.Repository
	*guard
}

func (v guardedImages) Add(ctx context.Context, i userimage.Image, charges ...ratelimit.Charge) (userimage.Image, error) {
	v.check()
	return v.Repository.Add(ctx, i, charges...)
}

func (v guardedImages) Get(ctx context.Context, id userimage.ID) (userimage.Image, error) {
	v.check()
	return v.Repository.Get(ctx, id)
}

func (v guardedImages) Change(ctx context.Context, id userimage.ID, fn func(*userimage.Image) error) (userimage.Image, error) {
	v.check()
	return v.Repository.Change(ctx, id, guarded(v.guard, fn))
}

func (v guardedImages) List(ctx context.Context, q userimage.Query, p page.Request) (page.Page[userimage.Image], error) {
	v.check()
	return v.Repository.List(ctx, q, p)
}

func (v guardedImages) All(ctx context.Context, q userimage.Query) iter.Seq2[userimage.Image, error] {
	v.check()
	return v.Repository.All(ctx, q)
}

type guardedDeletions struct {
	media.DeletionQueue
	*guard
}

func (v guardedDeletions) Claim(ctx context.Context, now, next time.Time, limit int) ([]media.Key, error) {
	v.check()
	return v.DeletionQueue.Claim(ctx, now, next, limit)
}

func (v guardedDeletions) Done(ctx context.Context, keys []media.Key) error {
	v.check()
	return v.DeletionQueue.Done(ctx, keys)
}

func (v guardedDeletions) References(ctx context.Context) iter.Seq2[media.Reference, error] {
	v.check()
	return v.DeletionQueue.References(ctx)
}

type guardedRoom struct {
	quota.Room
	*guard
}

func (v guardedRoom) CheckPictures(ctx context.Context, owner user.ID) error {
	v.check()
	return v.Room.CheckPictures(ctx, owner)
}
