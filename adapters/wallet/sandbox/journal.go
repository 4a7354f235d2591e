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

// journal is a file with a line for every state of each trade. Added lines survive a kill. A
// line that a kill truncated was never acknowledged.
type journal struct {
	file *os.File
	size int64
}

// openJournal returns the latest state of every trade. It rewrites the file with only those,
// so that it does not grow with each start.
func openJournal(path string) (*journal, []Trade, error) {
	trades, err := readJournal(path)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{}
	fresh := path + ".new"
	if err := j.write(trades, fresh); err != nil {
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
	return j, trades, nil
}

// write makes a file of the trades, whose bytes are on the disk when write returns.
func (j *journal) write(trades []Trade, path string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffered := bufio.NewWriter(file)
	for _, t := range trades {
		line, err := json.Marshal(t)
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

func readJournal(path string) ([]Trade, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	var trades []Trade
	at := map[string]int{}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return trades, nil
		}
		if err != nil {
			return nil, err
		}
		var t Trade
		if err := json.Unmarshal(bytes.TrimSpace(line), &t); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if i, there := at[t.OutTradeNo]; there {
			trades[i] = t
			continue
		}
		at[t.OutTradeNo] = len(trades)
		trades = append(trades, t)
	}
}

// add returns once the trade is on the disk. If it fails, the file is unchanged.
func (j *journal) add(t Trade) error {
	line, err := json.Marshal(t)
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
