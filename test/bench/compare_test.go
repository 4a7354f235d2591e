package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"
)

// compare asks both servers the same and fails when their answers are not the same
// JSON. Of requests that are sent only once, each server gets every other one.
func compare(plaza, floor string, requests []request) error {
	ours, err := dial(plaza)
	if err != nil {
		return err
	}
	defer ours.Close()
	theirs, err := dial(floor)
	if err != nil {
		return err
	}
	defer theirs.Close()
	for i := 0; i < len(requests); i++ {
		q, other := requests[i], requests[i]
		if q.once {
			if i++; i == len(requests) {
				break
			}
			other = requests[i]
		}
		err := compareOne(ours, theirs, q, other)
		if errors.Is(err, errUnlike) && !q.once { // addresses of plates change with the hour
			err = compareOne(ours, theirs, q, q)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", q.line(), err)
		}
	}
	return nil
}

var errUnlike = errors.New("a server answers otherwise than Plaza")

func compareOne(plaza, floor *wire, ours, theirs request) error {
	content, err := answered(plaza, plaza, ours)
	if err != nil {
		return err
	}
	others, err := answered(floor, plaza, theirs)
	if err != nil {
		return fmt.Errorf("the floor: %w", err)
	}
	dropAdded(content, others)
	said, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return err
	}
	other, err := json.MarshalIndent(others, "", " ")
	if err != nil {
		return err
	}
	if !bytes.Equal(said, other) {
		return fmt.Errorf("%w: %s", errUnlike, firstDifference(said, other))
	}
	return nil
}

// answered returns the answer to the request in a form that can be compared. Plaza tells
// what the request has changed.
func answered(server, plaza *wire, q request) (any, error) {
	serial := serials.Add(1)
	q.number(serial)
	before, err := q.stored(plaza)
	if err != nil {
		return nil, err
	}
	a, err := server.send(q)
	if err != nil {
		return nil, err
	}
	var said map[string]any
	if len(a.body) > 0 {
		if err := json.Unmarshal(a.body, &said); err != nil {
			return nil, fmt.Errorf("%w: %s", err, a.body)
		}
	}
	if q.settle != nil {
		after, err := q.stored(plaza)
		if err != nil {
			return nil, err
		}
		if err := q.settle(said, before, after, serial); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// dropAdded removes fields that Plaza alone has and that are null: the others may do without the work for a field that came
// later. What the datasets fill must be in all answers.
func dropAdded(plaza, other any) {
	switch ours := plaza.(type) {
	case map[string]any:
		theirs, _ := other.(map[string]any)
		maps.DeleteFunc(ours, func(name string, value any) bool {
			_, has := theirs[name]
			return value == nil && !has
		})
		for name, value := range ours {
			dropAdded(value, theirs[name])
		}
	case []any:
		theirs, _ := other.([]any)
		for i := range min(len(ours), len(theirs)) {
			dropAdded(ours[i], theirs[i])
		}
	}
}

// stored is what Plaza shows of what the request changes.
func (q request) stored(plaza *wire) (content map[string]any, err error) {
	if q.reread == nil {
		return nil, nil
	}
	body, err := plaza.ask(q.reread)
	if err != nil {
		return nil, err
	}
	return content, json.Unmarshal(body, &content)
}

// settleEdit fails unless Plaza reads just what the answer to an edit says. It takes out of
// the event what is another for every edit.
func settleEdit(said, _, after map[string]any, serial int64) error {
	dropAdded(after, said)
	if !reflect.DeepEqual(said, after) {
		return fmt.Errorf("%w: it says %v and has stored %v", errUnlike, said, after)
	}
	return settle(said["data"], serial, "title", "last_modified")
}

// settleComment fails unless the comment is the newest of its event, and one more than before.
func settleComment(said, before, after map[string]any, serial int64) error {
	newest, _ := after["data"].([]any)
	if len(newest) == 0 || !reflect.DeepEqual(said["data"], newest[0]) {
		return fmt.Errorf("%w: it says %v and has stored %v", errUnlike, said, after)
	}
	if err := oneMore(before["pagination"], after["pagination"], "total_count"); err != nil {
		return err
	}
	if err := settle(said["data"], serial, "content", "create_time"); err != nil {
		return err
	}
	delete(said["data"].(map[string]any), "id")
	return nil
}

// settleLogin takes out the new key.
func settleLogin(said, _, _ map[string]any, _ int64) error {
	content, _ := said["data"].(map[string]any)
	if key, _ := content["key"].(string); !strings.HasPrefix(key, "plz_") {
		return fmt.Errorf("no key in %v", said)
	}
	content["key"] = ""
	return nil
}

// settleLike fails unless the caller likes the event now, and did not before.
func settleLike(_, before, after map[string]any, _ int64) error {
	was, _ := before["data"].(map[string]any)
	is, _ := after["data"].(map[string]any)
	if was["liked"] != false || is["liked"] != true {
		return fmt.Errorf("%w: from %v to %v", errUnlike, was, is)
	}
	return oneMore(was, is, "like_count")
}

func oneMore(before, after any, field string) error {
	was, _ := before.(map[string]any)
	is, _ := after.(map[string]any)
	from, isNumber := was[field].(float64)
	if to, _ := is[field].(float64); !isNumber || to != from+1 {
		return fmt.Errorf("%w: %s went from %v to %v", errUnlike, field, was[field], is[field])
	}
	return nil
}

// settle checks the two fields that must be others every time: a text that ends in the
// serial number, and an instant, which is now. It takes them out.
func settle(content any, serial int64, text, instant string) error {
	fields, is := content.(map[string]any)
	if !is {
		return errors.New("there is no data")
	}
	said, _ := fields[text].(string)
	if want := fmt.Sprintf(" %0*d", serialDigits, serial); !strings.HasSuffix(said, want) {
		return fmt.Errorf("the %s is %q and should end in %q", text, said, want)
	}
	told, _ := fields[instant].(string)
	at, err := time.Parse(time.RFC3339, told)
	if err != nil || time.Since(at).Abs() > patience {
		return fmt.Errorf("%s is %q, which is not now", instant, told)
	}
	fields[text], fields[instant] = said[:len(said)-serialDigits], "now"
	return nil
}

func firstDifference(plaza, floor []byte) string {
	ours, theirs := bytes.Split(plaza, []byte("\n")), bytes.Split(floor, []byte("\n"))
	for i := range min(len(ours), len(theirs)) {
		if !bytes.Equal(ours[i], theirs[i]) {
			return fmt.Sprintf("line %d: Plaza %s, the other %s", i+1, ours[i], theirs[i])
		}
	}
	return fmt.Sprintf("Plaza has %d lines, the other %d", len(ours), len(theirs))
}
