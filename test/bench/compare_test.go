package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// compare asks both servers the same and fails when their answers are not the same
// JSON. Of requests that are sent only once, each server gets every other one.
func compare(plaza, other string, requests []request) error {
	ours, err := dial(plaza)
	if err != nil {
		return err
	}
	defer ours.Close()
	theirs, err := dial(other)
	if err != nil {
		return err
	}
	defer theirs.Close()
	for i := 0; i < len(requests); i++ {
		mine, its := requests[i], requests[i]
		if mine.once {
			if i++; i == len(requests) {
				break
			}
			its = requests[i]
		}
		err := compareOne(ours, theirs, mine, its)
		if errors.Is(err, errUnlike) && !mine.once { // addresses of plates change with the hour
			err = compareOne(ours, theirs, mine, its)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", mine.line(), err)
		}
	}
	return nil
}

var errUnlike = errors.New("a server answers otherwise than Plaza")

func compareOne(plaza, other *wire, mine, its request) error {
	ours, err := answered(plaza, plaza, mine)
	if err != nil {
		return err
	}
	theirs, err := answered(other, plaza, its)
	if err != nil {
		return fmt.Errorf("the other: %w", err)
	}
	dropAdded(ours, theirs)
	said, err := json.Marshal(ours)
	if err != nil {
		return err
	}
	heard, err := json.Marshal(theirs)
	if err != nil {
		return err
	}
	for i := range said {
		if i >= len(heard) || said[i] != heard[i] {
			from := max(0, i-100)
			return fmt.Errorf("%w: Plaza …%.300s, the other …%.300s", errUnlike, said[from:], heard[min(from, len(heard)):])
		}
	}
	return nil
}

// answered returns the answer to the request without the fields that are others every time. It fails unless Plaza then shows that the
// request has changed something, if the request says what.
func answered(server, plaza *wire, q request) (map[string]any, error) {
	q.number(serials.Add(1))
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
	after, err := q.stored(plaza)
	if err != nil {
		return nil, err
	}
	if q.reread != nil && bytes.Equal(before, after) {
		return nil, fmt.Errorf("%w: nothing has changed", errUnlike)
	}
	if _, is := said["cursor"]; is {
		said["cursor"] = "made by each server in its own way"
	}
	if data, is := said["data"].(map[string]any); is {
		maps.DeleteFunc(data, func(name string, _ any) bool { return slices.Contains(q.differs, name) })
	}
	return said, nil
}

// stored is what Plaza shows of what the request changes.
func (q request) stored(plaza *wire) ([]byte, error) {
	if q.reread == nil {
		return nil, nil
	}
	body, err := plaza.ask(q.reread)
	return bytes.Clone(body), err
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
