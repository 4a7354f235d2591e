package bench

import (
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

type (
	noticesView struct {
		Data   []*noticeView `json:"data"`
		Cursor struct {
			Next *string `json:"next"`
		} `json:"cursor"`
		Unread int `json:"unread_count"`
	}
	noticeView struct {
		ID        int64      `json:"id"`
		Kind      string     `json:"kind"`
		User      personView `json:"user"`
		Event     *titleView `json:"event"`
		Comment   *saidView  `json:"comment"`
		CreatedAt stamp      `json:"created_at"`
		IsRead    bool       `json:"is_read"`
	}
	titleView struct {
		ID    int64  `json:"id"`
		Title string `json:"title"`
	}
	saidView struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
	}
)

// notices shows the newest notifications of the caller.
func (f *floor) notices(r *http.Request) (any, error) {
	caller, now, err := f.reader(r)
	if err != nil {
		return nil, err
	}
	v := noticesView{Data: []*noticeView{}}
	list := read{noticesStatement, []any{caller.id, int64(pageSize + 1)}, func(scan scanner) error {
		n, err := f.scanNotice(scan, &v.Unread, now)
		v.Data = append(v.Data, n)
		return err
	}}
	err = f.all(r.Context(), append(caller.note(now).steps(f), list))
	if len(v.Data) > pageSize {
		v.Data = v.Data[:pageSize]
		cursor := binary.BigEndian.AppendUint64([]byte("n"), 0)
		v.Cursor.Next = new(base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(cursor, uint64(v.Data[pageSize-1].ID))))
	}
	return v, err
}

func (f *floor) scanNotice(scan scanner, unread *int, now time.Time) (*noticeView, error) {
	var n noticeView
	var by memberRow
	var readUpTo int64
	var created time.Time
	var on, comment *int64
	var title, content *string
	targets := []any{unread, &readUpTo, &n.ID, &n.Kind, f.moment(&created), &on, &title, &comment, &content}
	if err := scan(append(targets, by.targets(f)...)...); err != nil {
		return nil, err
	}
	n.CreatedAt, n.IsRead, n.User = stamp(created), n.ID <= readUpTo, f.person(&by, now)
	if on != nil {
		n.Event = &titleView{*on, *title}
	}
	if comment != nil {
		n.Comment = &saidView{*comment, *content}
	}
	return &n, nil
}
