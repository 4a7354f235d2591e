package contract

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/pictures"
)

var pictureRows = []row{
	{"USR-04 an avatar of one's own in all three sizes, wherever its person is seen", ownAvatar, oneStore},
	{"USR-04 an avatar is taken away again", avatarTakenAway, everyServer},
	{"IMG-08 user images and plates come in two sizes", picturesInSizes, everyServer},
	{"IMG-08 another size is not found", otherSizes, oneStore},
	{"IMG-08 a size has the life of its picture", lifeOfSizes, everyStore},
	{"PLA-05 user images and plates say how large they and their sizes are", dimensions, everyServer},
	{"PLA-01 the last thing that a published event shows stays", lastPlateStays, oneStore},
	{"PLA-02 golden plate", goldenPlate, oneStore},
	{"PLA-04 a plate has a signed address that works", signedAddress, everyServer},
	{"PLA-04 a private picture is not at the public address", privateStaysPrivate, oneStore},
}

const avatars = "/api/user/avatar/"

func ownAvatar(t *testing.T, s *server) {
	ada := s.member(t)
	raw := pictures.PNG(t, drawing(900, 600))
	former := ada.send(t, "PUT", avatars, object{"avatar": inBase64("data:image/png;base64,", raw)}).is(200)
	last := ada.sendsTo(t, "PUT", avatars, form{field: "avatar", file: raw}).is(200)
	assert.NotEqual(t, former.text("data.avatar"), last.text("data.avatar"))
	assert.Equal(t, last.text("data.avatar"), last.text("data.avatars.path"))
	for name, want := range map[string]image.Point{"sm": {X: 96, Y: 64}, "md": {X: 256, Y: 171}, "lg": {X: 640, Y: 427}} {
		size := "data.avatars.sizes." + name
		assert.Equal(t, want, image.Pt(last.int(size+".width"), last.int(size+".height")), name)
		assert.Equal(t, want, s.anyone().fetches(t, last.text(size+".path")).extent(), name)
		s.anyone().fetches(t, former.text(size+".path")).fails(404, "RESOURCE_NOT_FOUND")
	}
	id := ada.publishes(t, "x")
	ada.comments(t, id, "y")
	seen := ada.reads(t, id)
	for _, at := range []string{"data.user.avatar", "data.comments.0.user.avatar"} {
		assert.Equal(t, last.text("data.avatar"), seen.text(at), at)
	}
	assert.Equal(t, last.text("data.avatar"), s.anyone().looksUp(t, ada.id).text("data.0.avatar"))
}

func avatarTakenAway(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	generated := ada.get(t, profile).is(200)
	assert.Empty(t, ada.delete(t, avatars).is(204).body, "of one who has none")
	own := ada.send(t, "PUT", avatars, object{"avatar": pictures.PNG(t, drawing(900, 600))}).is(200)
	bobs := bob.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	for range 2 {
		assert.Empty(t, ada.delete(t, avatars).is(204).body)
		assert.Equal(t, generated.at("data"), ada.get(t, profile).is(200).at("data"))
		for _, size := range []string{"sm", "md", "lg"} {
			s.picture(t, generated.text("data.avatars.sizes."+size+".path"))
			s.anyone().fetches(t, own.text("data.avatars.sizes."+size+".path")).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	s.picture(t, bobs.text("data.avatar"))
	assert.NotEqual(t, generated.text("data.avatar"), ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200).text("data.avatar"))
}

// inSize is the address of the picture in the size.
func inSize(address, size string) string {
	if strings.Contains(address, "?") {
		return address + "&size=" + size
	}
	return address + "?size=" + size
}

func (a answer) extent() image.Point {
	a.t.Helper()
	drawn, _, err := image.DecodeConfig(bytes.NewReader(a.is(200).body))
	require.NoError(a.t, err)
	return image.Pt(drawn.Width, drawn.Height)
}

func picturesInSizes(t *testing.T, s *server) {
	ada := s.member(t)
	raw := pictures.PNG(t, drawing(1500, 1200))
	for name, address := range map[string]string{
		"image": ada.post(t, images, object{"img": raw}).is(201).text("data.img"),
		"plate": ada.post(t, plates, object{"event": ada.publishes(t, "x"), "photo": raw}).is(201).text("data.photo"),
	} {
		whole := s.anyone().fetches(t, address)
		assert.Equal(t, image.Pt(1500, 1200), whole.extent(), name)
		tags := map[string]bool{whole.header.Get("ETag"): true}
		for size, want := range map[string]image.Point{"sm": {X: 320, Y: 256}, "md": {X: 1024, Y: 819}} {
			shown := s.anyone().fetches(t, inSize(address, size))
			assert.Equal(t, want, shown.extent(), name)
			for _, h := range []string{"Content-Type", "Cache-Control", "X-Content-Type-Options", "Accept-Ranges"} {
				assert.Equal(t, whole.header.Get(h), shown.header.Get(h), h)
			}
			tags[shown.header.Get("ETag")] = true
			unchanged := s.anyone().saying("If-None-Match", shown.header.Get("ETag")).fetches(t, inSize(address, size)).is(304)
			assert.Empty(t, unchanged.body)
			part := s.anyone().saying("Range", "bytes=1-2").fetches(t, inSize(address, size)).is(206)
			assert.Equal(t, shown.body[1:3], part.body)
			beyond := s.anyone().saying("Range", "bytes=9999999-").fetches(t, inSize(address, size))
			beyond.fails(416, "RANGE_NOT_SATISFIABLE")
			assert.Equal(t, fmt.Sprint("bytes */", len(shown.body)), beyond.header.Get("Content-Range"))
		}
		assert.Len(t, tags, 3, "each size has a tag of its own")
	}
	assert.Equal(t, 6, s.files(t))
}

func dimensions(t *testing.T, s *server) {
	ada := s.member(t)
	for _, whole := range []image.Point{{X: 1500, Y: 1200}, {X: 1, Y: 1100}, {X: 30, Y: 20}} {
		raw := pictures.PNG(t, drawing(whole.X, whole.Y))
		kept := ada.post(t, images, object{"img": raw}).is(201)
		on := ada.publishes(t, "x")
		attached := ada.post(t, plates, object{"event": on, "photo": raw}).is(201)
		assert.Equal(t, whole, image.Pt(attached.int("data.width"), attached.int("data.height")))
		read := ada.get(t, fmt.Sprintf("%s%d/", events, on)).is(200)
		assert.Equal(t, attached.at("data"), read.at("data.plates.0"))
		for name, picture := range map[string]answer{"data.img": kept, "data.photo": attached} {
			assert.Len(t, picture.at("data.sizes"), 2)
			for _, size := range []string{"sm", "md"} {
				at := "data.sizes." + size
				assert.Equal(t, inSize(picture.text(name), size), picture.text(at+".path"))
				assert.Equal(t, s.anyone().fetches(t, picture.text(at+".path")).extent(),
					image.Pt(picture.int(at+".width"), picture.int(at+".height")), "%s of %v", at, whole)
			}
		}
		light := ada.get(t, fmt.Sprintf("%s%d/?fields=plates.width,plates.sizes.sm.height", events, on)).is(200)
		assert.Equal(t, object{"plates": []any{object{
			"width": read.at("data.plates.0.width"), "sizes": object{"sm": object{"height": read.at("data.plates.0.sizes.sm.height")}},
		}}}, light.at("data"))
	}
}

func otherSizes(t *testing.T, s *server) {
	ada := s.member(t)
	for _, address := range []string{
		ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img"),
		ada.attaches(t, ada.publishes(t, "x")).text("data.photo"),
	} {
		for _, size := range []string{"lg", "SM", "320", "..%2Fsm", "sm&size=md", "%00", "%ff"} {
			s.anyone().fetches(t, inSize(address, size)).fails(404, "RESOURCE_NOT_FOUND")
		}
		for _, blank := range []string{"", "%20", "+%09", "&size="} { // GEN-04
			assert.Equal(t, s.anyone().fetches(t, address).is(200).body, s.anyone().fetches(t, inSize(address, blank)).is(200).body)
		}
		assert.Equal(t, s.anyone().fetches(t, inSize(address, "sm")).body, s.anyone().fetches(t, inSize(address, "sm&size=&size=sm")).body)
		bare, query, _ := strings.Cut(address, "?")
		for _, name := range []string{".sm.jpg", ".md.jpg", ".sm.png"} {
			s.anyone().fetches(t, bare+name).fails(404, "RESOURCE_NOT_FOUND")
			s.anyone().fetches(t, bare+name+"?"+query).fails(404, "RESOURCE_NOT_FOUND")
		}
		s.anyone().fetches(t, address).is(200)
	}
}

func lifeOfSizes(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.publishes(t, "x")
	raw := pictures.PNG(t, drawing(400, 300))
	image := ada.post(t, images, object{"img": raw}).is(201)
	plate := ada.post(t, plates, object{"event": event, "photo": raw}).is(201)
	other := ada.post(t, plates, object{"event": event, "photo": raw}).is(201).text("data.photo")
	photo := plate.text("data.photo")
	bare, query, _ := strings.Cut(photo, "?")
	_, othersQuery, _ := strings.Cut(other, "?")
	for _, forged := range []string{bare, bare + "?" + othersQuery, bare + "?" + query + "0"} {
		s.anyone().fetches(t, inSize(forged, "sm")).fails(404, "RESOURCE_NOT_FOUND")
	}
	s.anyone().fetches(t, inSize(photo, "sm")).is(200)
	s.clock.advance(2 * time.Hour)
	s.anyone().fetches(t, inSize(photo, "sm")).fails(404, "RESOURCE_NOT_FOUND")

	s.anyone().fetches(t, inSize(image.text("data.img"), "sm")).is(200)
	ada.delete(t, imagePath(image.int("data.id"))).is(204)
	s.anyone().fetches(t, inSize(image.text("data.img"), "sm")).fails(404, "RESOURCE_NOT_FOUND")
	ada.delete(t, platePath(plate.int("data.id"))).is(204)
	ada.delete(t, eventPath(event)).is(204)
	assert.Zero(t, s.files(t), "sizes are removed with their pictures")
}

const plates = "/api/xfile/plate/"

func platePath(id int) string { return fmt.Sprintf("%s%d/", plates, id) }

// attaches puts a picture on an event of the person's.
func (p person) attaches(t *testing.T, event int) answer {
	t.Helper()
	return p.post(t, plates, object{"event": event, "photo": aPNG(t)}).is(201)
}

func lastPlateStays(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.writes(t, object{}).int("data.id")
	only := ada.attaches(t, id)
	ada.patch(t, eventPath(id), object{"publish": true}).is(200)
	ada.delete(t, platePath(only.int("data.id"))).fails(409, "CONFLICT")
	s.anyone().fetches(t, only.text("data.photo")).is(200)
	ada.patch(t, eventPath(id), object{"content": "Mist"}).is(200)
	ada.delete(t, platePath(only.int("data.id"))).is(204)
}

func goldenPlate(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.attaches(t, id).golden("plate", facts{"<ada>": ada.id})
	shown := marshalled(t, object{"data": ada.reads(t, id).at("data.plates.0")})
	answer{t: t, body: []byte(shown)}.golden("plate", facts{"<ada>": ada.id})
}

func signedAddress(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x", object{"view_permission": 200})
	address := ada.attaches(t, id).text("data.photo")
	assert.Contains(t, address, s.url+"/media/private/")
	for _, c := range []*client{s.anyone(), s.with("x")} { // who has the address has the picture
		shown := c.fetches(t, address).is(200)
		assert.Regexp(t, `\bprivate\b`, shown.header.Get("Cache-Control"))
		assert.NotRegexp(t, `\b(public|immutable)\b`, shown.header.Get("Cache-Control"))
		assert.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"))
		assert.Equal(t, "image/png", shown.header.Get("Content-Type"))
	}
	assert.Equal(t, address, ada.reads(t, id).text("data.plates.0.photo"))
}

func privateStaysPrivate(t *testing.T, s *server) {
	ada := s.member(t)
	bare, query, _ := strings.Cut(ada.attaches(t, ada.publishes(t, "x")).text("data.photo"), "?")
	public := ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")
	_, name, _ := strings.Cut(bare, "/media/private/")
	for _, path := range []string{
		"/media/public/" + name, "/media/public/private/" + name, "/media/public/..%2Fprivate%2F" + name, "/media/public/%2e%2e/private/" + name,
		"/media/" + name, "/media/portrait/" + name, strings.Replace(strings.TrimPrefix(public, s.url), "/public/", "/private/", 1),
	} {
		ada.get(t, path).fails(404, "RESOURCE_NOT_FOUND")
		ada.get(t, path+"?"+query).is(404)
	}
	s.anyone().fetches(t, public).is(200)
}
