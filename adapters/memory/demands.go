package memory

import (
	"slices"

	"plaza/domain/demand"
)

func copyDemand(d demand.Demand) demand.Demand {
	d.Tags = slices.Clone(d.Tags)
	d.Images = slices.Clone(d.Images)
	d.Cover = copyPicture(d.Cover)
	d.Place = copyOf(d.Place)
	return d
}
