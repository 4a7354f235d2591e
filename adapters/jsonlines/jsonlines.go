// Package jsonlines reads and writes what the crawler brings as JSON Lines: a record
// is an object on a line of its own, which says of what kind it is.
//
// A File hands out the lines, a Decoder makes drafts of them, and Rejects keep those
// that could not be stored. A line of the rejects can be mended where it stands: the
// Decoder reads the record that is in it. What each kind has is in its Schema.
package jsonlines
