package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// journal is a file with a line for every state of each trade and each refund. Added lines
// survive a kill. A line that a kill truncated was never acknowledged.
type journal struct {
	file *os.File
	size int64
}

// entry is a line of the journal: a refund, or else a trade.
type entry struct {
	Refund *Refund `json:"refund,omitempty"`
	Trade
}

// MarshalJSON leaves out the trade of a refund.
func (e entry) MarshalJSON() ([]byte, error) {
	if e.Refund != nil {
		return json.Marshal(map[string]*Refund{"refund": e.Refund})
	}
	return json.Marshal(e.Trade)
}

// subject returns what the line is about.
func (e entry) subject() subject {
	if e.Refund != nil {
		return subject{trade: e.Refund.OutTradeNo, refund: e.Refund.No}
	}
	return subject{trade: e.OutTradeNo}
}

// openJournal returns the latest state of every trade and refund. It rewrites the file with only
// those, so that it does not grow with each start.
func openJournal(path string) (*journal, []entry, error) {
	entries, err := readJournal(path)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{}
	fresh := path + ".new"
	if err := j.write(entries, fresh); err != nil {
		return nil, nil, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return nil, nil, err
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return nil, nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		return nil, nil, err
	}
	return j, entries, nil
}

// write makes a file of the entries, whose bytes are on the disk when write returns.
func (j *journal) write(entries []entry, path string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffered := bufio.NewWriter(file)
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		n, _ := buffered.Write(append(line, '\n')) // Flush returns the error
		j.size += int64(n)
	}
	return errors.Join(buffered.Flush(), file.Sync())
}

// syncFolder syncs the folder, so that a power failure can't undo a renaming. Windows syncs no
// folders: NTFS has a journal of names.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func readJournal(path string) ([]entry, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	var entries []entry
	at := map[subject]int{}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		e := entry{Trade: Trade{Protocol: V2}} // what older versions wrote names no protocol
		if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if i, there := at[e.subject()]; there {
			entries[i] = e
			continue
		}
		at[e.subject()] = len(entries)
		entries = append(entries, e)
	}
}

// add returns once the entry is on the disk. If it fails, the file is unchanged.
func (j *journal) add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err = j.file.WriteAt(line, j.size); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(len(line))
	return nil
}

func (j *journal) close() error { return j.file.Close() }
