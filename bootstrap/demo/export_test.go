package demo

// Bring imports files as Load does.
var Bring = importRecords

// LoadFrom loads other files than the embedded ones, which are Embedded.
var (
	LoadFrom = load
	Embedded = embedded
)
