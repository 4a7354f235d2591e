package bench

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// random are numbers that look random and depend on nothing but the row they are
// thrown for, so that every row can be made again without the ones before it.
type random struct{ *rand.Rand }

func roll(table string, row int) *random {
	return &random{rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE([]byte(table))), uint64(row)))}
}

// in says yes once in so many times.
func (d *random) in(times int) bool { return d.IntN(times) == 0 }

func pick[T any](d *random, from []T) T { return from[d.IntN(len(from))] }

// text is words of about so many characters, every eighth of them a rare one.
func (d *random) text(length int) string {
	var b strings.Builder
	for b.Len() < length-4 {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if d.in(8) {
			b.WriteString(d.rareWord())
		} else {
			b.WriteString(pick(d, words))
		}
	}
	return b.String()
}

// rareWord is one of 30,000 of three syllables. As in languages, the n-th of them is about n times as rare as the first.
func (d *random) rareWord() string {
	var b strings.Builder
	for n, left := int(math.Pow(30_000, d.Float64())), 3; left > 0; left-- {
		b.WriteString(syllables[n%len(syllables)])
		n /= len(syllables)
	}
	return b.String()
}

var syllables = strings.Fields(`ba do fi gu ka lo mi nu pa ro si tu va wo xi zu bel dor fin gal kem lun mar nor pil rus sol tam ver wim`)

// before is an instant within the span before the epoch, to the microsecond.
func (d *random) before(span time.Duration) time.Time {
	return epoch.Add(-time.Duration(d.IntN(int(span/time.Microsecond))) * time.Microsecond)
}

var words = strings.Fields(`a the of in on with for from about after early late small large quiet bright old new
	garden river market window winter summer morning evening letter kitchen bicycle mountain harbour library
	photograph recipe journey neighbour orchestra carpenter teacher painter village station bridge umbrella
	walking building reading cooking learning repairing travelling writing drawing counting & without under
	between café naïve “quoted” it's <plain> first second third wooden paper silver slowly together again`)

var givenNames = strings.Fields(`Lucía Ada Grace Alan Edsger Barbara 雷 丽 伟 芳 敏 静 Marie Emmy Kurt Sofía Hugo`)

var familyNames = strings.Fields(`Fernández Lovelace Hopper Turing Dijkstra Liskov 李 王 张 刘 陈 杨 Curie Noether Gödel`)

var (
	zones      = strings.Fields("Asia/Shanghai Europe/Madrid America/New_York UTC Asia/Kathmandu")
	languages  = strings.Fields("en zh-CN es zh-TW")
	expertises = strings.Fields("Photography Carpentry Cooking Painting Teaching Gardening")
	// tags is the vocabulary of the images: three letters each.
	tags = func() []string {
		var all []string
		for i := range 100 {
			all = append(all, string([]byte{'a' + byte(i/10), 'q' + byte(i%10), 'x'}))
		}
		return all
	}()
)
