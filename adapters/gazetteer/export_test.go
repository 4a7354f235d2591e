package gazetteer

// Fresh returns a gazetteer of all divisions that nobody else has.
func Fresh() *Gazetteer { return Of(builtIn()) }
