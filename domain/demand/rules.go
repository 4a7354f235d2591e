package demand

import (
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/text"
)

// Limits of a demand.
var (
	TitleLimit       = text.Limit{Chars: 200}
	DescriptionLimit = text.Limit{Chars: 20_000}
	AddressLimit     = text.Limit{Chars: 300}
	TagLimit         = text.Limit{Chars: 64}
)

// Maximum numbers of tags and images of a demand.
const (
	MaxTags   = 50
	MaxImages = 100
)

// New checks the demand and returns it in the stored form. Tags and images keep their
// order and lose repetitions.
func New(d Demand) (Demand, error) {
	var wrong fault.Fields
	if d.ID <= 0 {
		wrong.Add("id", "Enter a whole number of 1 or greater.")
	}
	if d.Category < 0 {
		wrong.Add("category", "Enter a category ID, or null.")
	}
	wrong.Add("title", TitleLimit.RequiredLine(&d.Title))
	wrong.Add("description", DescriptionLimit.Problem(d.Description))
	wrong.Add("address", AddressLimit.Line(&d.Address))
	d.Tags = distinctTexts(&wrong, "tags", d.Tags, MaxTags, TagLimit.RequiredLine)
	d.Images = distinctTexts(&wrong, "images", d.Images, MaxImages, func(image *string) string {
		*image = text.Trim(*image)
		return text.AddressProblem(*image)
	})
	wrong.Merge(instant.Lifetime(&d.Created, &d.Updated))
	d.Closed, d.Start, d.End = instant.Normalise(d.Closed), instant.Normalise(d.Start), instant.Normalise(d.End)
	wrong.Add("closed", instant.Problem(d.Closed))
	wrong.Add("start", instant.Problem(d.Start))
	wrong.Add("end", instant.Problem(d.End))
	if len(wrong["start"])+len(wrong["end"]) == 0 && d.End.Before(d.Start) {
		wrong.Add("end", "The end must not be before the start.")
	}
	return d, wrong.Err()
}

// distinctTexts drops repetitions of the values, which problem puts into their stored form. It adds the first problem to wrong.
func distinctTexts(wrong *fault.Fields, name string, values []string, most int, problem func(*string) string) []string {
	distinct, p := text.Distinct(values, most, func(v string) (string, string) {
		p := problem(&v)
		return v, p
	})
	wrong.Add(name, p)
	return distinct
}
