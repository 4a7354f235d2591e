// Package jsonlines reads and writes the crawler's records as JSON Lines: each line is an
// object that names its kind.
//
// A File returns the lines, a Decoder turns them into drafts, and Rejects store the lines
// that could not be imported. A line of the rejects can be corrected in place: the Decoder
// reads the record inside it. The Schema of a kind describes its fields.
package jsonlines
