package gazetteer

// ShortNames is shortNames, for tests.
var ShortNames = shortNames
