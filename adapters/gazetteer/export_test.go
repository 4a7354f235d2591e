package gazetteer

// Fresh returns a gazetteer of all divisions that is not shared.
func Fresh() *Gazetteer { return Of(builtIn()) }

// ShortNames is shortNames, for tests.
var ShortNames = shortNames
