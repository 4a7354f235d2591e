package contract

import (
	"bytes"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/media"
)

var pictureSizeRows = []row{
	{"IMG-08 user images and plates come in two sizes", picturesInSizes, everyServer},
	{"IMG-08 a picture that fits is its own size", fittingPicture, oneStore},
	{"IMG-08 another size is not found", otherSizes, oneStore},
	{"IMG-08 a size has the life of its picture", lifeOfSizes, everyStore},
	{"IMG-08 sizes of former pictures are made when they are asked for", sizesOfFormer, everyServer},
}

// inSize is the address of the picture in the size.
func inSize(address, size string) string {
	if strings.Contains(address, "?") {
		return address + "&size=" + size
	}
	return address + "?size=" + size
}

// extent decodes the picture that is shown.
func (a answer) extent() image.Point {
	a.t.Helper()
	drawn, _, err := image.DecodeConfig(bytes.NewReader(a.is(200).body))
	require.NoError(a.t, err)
	return image.Pt(drawn.Width, drawn.Height)
}

func picturesInSizes(t *testing.T, s *server) {
	ada := s.member(t)
	raw := inPNG(t, drawing(1500, 1200))
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
		}
		assert.Len(t, tags, 3, "each size has a tag of its own")
	}
	assert.Equal(t, 6, s.files(t))
}

func fittingPicture(t *testing.T, s *server) {
	ada := s.member(t)
	for _, extent := range []image.Point{{X: 1, Y: 1}, {X: 320, Y: 200}, {X: 10, Y: 1024}, {X: 1024, Y: 1000}} {
		address := ada.post(t, images, object{"img": inPNG(t, drawing(extent.X, extent.Y))}).is(201).text("data.img")
		whole := s.anyone().fetches(t, address).is(200)
		for size, most := range map[string]int{"sm": 320, "md": 1024} {
			shown := s.anyone().fetches(t, inSize(address, size))
			if max(extent.X, extent.Y) <= most {
				assert.True(t, bytes.Equal(whole.body, shown.is(200).body), "never enlarged")
				assert.Equal(t, whole.header.Get("ETag"), shown.header.Get("ETag"))
				continue
			}
			got := shown.extent()
			assert.Equal(t, most, max(got.X, got.Y), "%v", extent)
		}
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
	raw := inPNG(t, drawing(400, 300))
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

func sizesOfFormer(t *testing.T, s *server) {
	ada := s.member(t)
	raw := inPNG(t, drawing(1500, 1200))
	for _, address := range []string{
		ada.post(t, images, object{"img": raw}).is(201).text("data.img"),
		ada.post(t, plates, object{"event": ada.publishes(t, "x"), "photo": raw}).is(201).text("data.photo"),
	} {
		for file, err := range s.app.Stores.Media.All(t.Context()) {
			require.NoError(t, err)
			if file.Key.IsSize() {
				require.NoError(t, s.app.Stores.Media.Remove(t.Context(), file.Key))
			}
		}
		again := make([]answer, 4)
		atOnce(len(again), func(i int) { again[i] = s.anyone().fetches(t, inSize(address, "sm")) })
		for _, a := range again {
			assert.Equal(t, image.Pt(320, 256), a.extent())
			assert.True(t, bytes.Equal(again[0].body, a.body), "whichever server made it")
		}
		assert.Equal(t, image.Pt(1024, 819), s.anyone().fetches(t, inSize(address, "md")).extent())
	}
}

// TestIMG_08_sizes_count_for_the_quota shows that the quota of bytes has room for a picture
// with all its sizes.
func TestIMG_08_sizes_count_for_the_quota(t *testing.T) {
	onEach(t, everyStore, func(t *testing.T, on store) {
		raw := inPNG(t, drawing(1500, 1200))
		unlimited := on.start(t)
		address := unlimited.member(t).post(t, images, object{"img": raw}).is(201).text("data.img")
		all := unlimited.sizeOf(t, address)
		for _, spec := range media.PictureSizes {
			all += unlimited.sizeOf(t, inSize(address, spec.Name))
		}
		for _, room := range []int{all - 1, all} {
			s := on.startWith(t, func(c *settings.Config) { c.QuotaPictures = settings.ByteQuota(room) })
			ada := s.member(t)
			if room < all {
				ada.post(t, images, object{"img": raw}).isFull(" bytes")
				assert.Zero(t, s.files(t))
				continue
			}
			for range 2 {
				id := ada.post(t, images, object{"img": raw}).is(201).int("data.id")
				ada.post(t, images, object{"img": aPNG(t)}).isFull("")
				ada.delete(t, imagePath(id)).is(204)
			}
		}
	})
}
