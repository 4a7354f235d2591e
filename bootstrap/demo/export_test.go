package demo

// Bring imports files as Load does.
var Bring = importRecords
