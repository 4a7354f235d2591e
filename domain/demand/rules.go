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

// How many a demand has of each, at most.
const (
	MaxTags   = 50
	MaxImages = 100
)

// New checks the demand and returns it in the form that is kept: tags and images each
// once, in their order.
func New(d Demand) (Demand, error) {
	var wrong fault.Fields
	if d.ID <= 0 {
		wrong.Add("id", "Enter a whole number from 1 on.")
	}
	if d.Category < 0 {
		wrong.Add("category", "Enter the number of a category, or null.")
	}
	d.Title, d.Address = text.Trim(d.Title), text.Trim(d.Address)
	wrong.Add("title", TitleLimit.RequiredProblem(d.Title))
	wrong.Add("description", DescriptionLimit.Problem(d.Description))
	wrong.Add("address", AddressLimit.Problem(d.Address))
	d.Tags = list(&wrong, "tags", d.Tags, MaxTags, TagLimit.RequiredProblem)
	d.Images = list(&wrong, "images", d.Images, MaxImages, text.AddressProblem)
	wrong.Merge(instant.Lifetime(&d.Created, &d.Updated))
	d.Closed, d.Start, d.End = instant.Normalise(d.Closed), instant.Normalise(d.Start), instant.Normalise(d.End)
	wrong.Add("closed", instant.Problem(d.Closed))
	wrong.Add("start", instant.Problem(d.Start))
	wrong.Add("end", instant.Problem(d.End))
	if len(wrong["start"])+len(wrong["end"]) == 0 && d.End.Before(d.Start) {
		wrong.Add("end", "This is before the start.")
	}
	return d, wrong.Err()
}

// list trims the values, drops those that come again, and notes the first thing that is
// wrong with them.
func list(wrong *fault.Fields, name string, values []string, most int, problem func(string) string) []string {
	distinct, p := text.Distinct(values, most, func(v string) (string, string) {
		v = text.Trim(v)
		return v, problem(v)
	})
	wrong.Add(name, p)
	return distinct
}
