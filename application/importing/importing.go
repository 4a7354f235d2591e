// Package importing holds the use case of importing the crawler's records.
//
// An import reads its files at least twice. The first reading stores users, categories and
// bundles, which other records refer to; the last one stores everything else. Between them the
// files are read for bundles alone, as long as that stores bundles whose originals came later
// than they. So an import of any size holds only a batch and its categories in memory.
// Categories are stored together, after the first reading: whether a parent closes a cycle
// depends on the parents of the others. There are as many as every server holds.
//
// An import can be interrupted anywhere and restarted with the same files. Committed records
// stay stored, none is stored twice, and no line is lost: each line is stored, is rejected
// with a reason, or is still to be read. The progress that is stored with a batch is that before
// the batch, because lines that the store rejects are written to disk after it. A restarted
// import applies the batch once more, with the same outcome.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package importing
