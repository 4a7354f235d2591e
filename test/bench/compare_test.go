package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// compare asks both servers the same and fails when their answers are not the same
// JSON.
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
	for _, q := range requests {
		err := compareOne(ours, theirs, q)
		if errors.Is(err, errUnlike) { // addresses of plates change with the hour
			err = compareOne(ours, theirs, q)
		}
		if err != nil {
			line, _, _ := bytes.Cut(q.raw, []byte("\r\n"))
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

var errUnlike = errors.New("a server answers otherwise than Plaza")

func compareOne(plaza, floor *wire, q request) error {
	var canonical [2][]byte
	for i, w := range []*wire{plaza, floor} {
		serial := serials.Add(1)
		q.number(serial)
		body, err := w.ask(q.raw)
		if err != nil {
			return err
		}
		var content map[string]any
		if err := json.Unmarshal(body, &content); err != nil {
			return fmt.Errorf("%w: %s", err, body)
		}
		if q.serial > 0 {
			if err := reread(plaza, q, content); err != nil {
				return err
			}
			if err := settle(content, serial); err != nil {
				return err
			}
		}
		if canonical[i], err = json.MarshalIndent(content, "", " "); err != nil {
			return err
		}
	}
	if !bytes.Equal(canonical[0], canonical[1]) {
		return fmt.Errorf("%w: %s", errUnlike, firstDifference(canonical[0], canonical[1]))
	}
	return nil
}

// reread fails unless Plaza reads just what the answer to an edit says is stored.
func reread(plaza *wire, q request, said any) error {
	body, err := plaza.ask(q.reread)
	if err != nil {
		return err
	}
	var stored any
	if err := json.Unmarshal(body, &stored); err != nil {
		return err
	}
	if !reflect.DeepEqual(said, stored) {
		return fmt.Errorf("%w: it says %v and has stored %v", errUnlike, said, stored)
	}
	return nil
}

// settle checks what must be another for every edit and takes it out of the event.
func settle(content map[string]any, serial int64) error {
	event, is := content["data"].(map[string]any)
	if !is {
		return errors.New("there is no event")
	}
	title, _ := event["title"].(string)
	if want := fmt.Sprintf(" %0*d", serialDigits, serial); len(title) < len(want) || title[len(title)-len(want):] != want {
		return fmt.Errorf("the title is %q and should end in %q", title, want)
	}
	said, _ := event["last_modified"].(string)
	at, err := time.Parse(time.RFC3339, said)
	if err != nil || time.Since(at).Abs() > patience {
		return fmt.Errorf("the event was modified at %q, which is not now", said)
	}
	event["title"], event["last_modified"] = title[:len(title)-serialDigits], "now"
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
