package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"sync"
)

// targetLanguage is the language that publications are translated into. None is in it.
const targetLanguage = "fr"

// translated asks for one of the first pages.
func translated(d *dataset, i int) request {
	pages := max(1, min(50, d.publications*9/10/pageSize))
	q := getAs(roll("feed", i).IntN(d.tokens()), fmt.Sprintf("/api/writing/bundle-data/get-publication-feed-items/?page=%d", i%pages+1),
		"x-language-locale: "+targetLanguage+"\r\n")
	q.part = []byte(`"localized":{`)
	return q
}

func login(d *dataset, i int) request {
	q := withBody("POST", "/api/auth/login/", "", fmt.Sprintf(`{"username": %q, "password": %q}`, phoneOf(roll("login", i).IntN(d.users)), password))
	q.part, q.differs = []byte(`"key":"plz_`), []string{"key"}
	return q
}

// photo is a picture of invented noise, as JPEG in base64.
var photo = sync.OnceValue(func() string {
	picture := image.NewRGBA(image.Rect(0, 0, 800, 600))
	r := roll("photo", 0)
	for y := range 600 {
		for x := range 800 {
			grain := r.IntN(32)
			picture.Set(x, y, color.RGBA{R: uint8(x/4 + grain), G: uint8(y/3 + grain), B: uint8((x + y) / 8), A: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 85}); err != nil {
		panic(err) // pixels in memory can always be encoded
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
})

func upload(d *dataset, i int) request {
	q := withBody("POST", "/api/user/user-image/", authorised(i%d.tokens()), `{"img": "`+photo()+`", "tags": ["walk"]}`)
	q.status, q.part = http.StatusCreated, []byte(`"img_height":600,"img_width":800`)
	return q
}

// pay is for the i-th order. When the orders are used up, it is answered with 404.
func pay(d *dataset, i int) request {
	q := withBody("POST", "/api/pay/order/pay/", authorised(i%d.tokens()), fmt.Sprintf(`{"pay_method": 200, "end_type": 0, "order_id": %d}`, i+1))
	q.once, q.part = true, []byte(`"code_url":"`)
	return q
}

// withTag is the request of a client that has the answer with that tag.
func (q request) withTag(tag []byte) request {
	head, _ := bytes.CutSuffix(q.raw, []byte("\r\n"))
	q.raw = fmt.Appendf(nil, "%sIf-None-Match: %s\r\n\r\n", head, tag)
	q.status, q.part = http.StatusNotModified, nil
	return q
}

// ready returns the requests as they are sent to the server, which has answered each of them once if the scenario warms it, or if the
// client has the answers.
func (s scenario) ready(at string, requests []request) ([]request, error) {
	if !s.warms && !s.conditional {
		return requests, nil
	}
	w, err := dial(at)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	known := map[string]request{}
	all := make([]request, len(requests))
	for i, q := range requests {
		again, is := known[string(q.raw)]
		if !is {
			if again, err = s.first(w, q); err != nil {
				return nil, fmt.Errorf("%s: %w", q.line(), err)
			}
			known[string(q.raw)] = again
		}
		all[i] = again
	}
	return all, nil
}

// first sends the request once, and returns it as it is sent again.
func (s scenario) first(w *wire, q request) (again request, err error) {
	if !s.conditional {
		_, err := w.send(q)
		return q, err
	}
	first := q.withTag([]byte(`"none"`)) // the floor makes a tag only for those that know of tags
	first.status = http.StatusOK
	a, err := w.send(first)
	if err != nil {
		return q, err
	}
	again = q.withTag(a.tag)
	_, err = w.send(again)
	return again, err
}
