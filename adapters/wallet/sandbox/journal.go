package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// entry is a line of the journal: the state of a refund, or else of a trade.
type entry struct {
	Refund *Refund `json:"refund,omitempty"`
	Trade
}

// openJournal opens the file, and returns its states in the order in which they were recorded. A
// kill can truncate the last line, which was never acknowledged: openJournal removes it.
func openJournal(path string) (file *os.File, states []entry, err error) {
	file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	for line := range bytes.Lines(content) {
		e := entry{Trade: Trade{Protocol: V2}} // what older versions wrote names no protocol
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", len(states)+1, err)
		}
		states = append(states, e)
	}
	return file, states, file.Truncate(int64(len(content)))
}

var errLedger = errors.New("the sandbox can't write its ledger")

// record adds the state of a trade or of a refund to the journal, if there is one. The state
// survives a kill once record returns nil. After an error nothing can be recorded, because part of
// the line may be in the file. The caller must hold the lock.
func (s *Server) record(state any) error {
	if s.journal == nil {
		return nil
	}
	line, err := json.Marshal(state)
	if err == nil {
		_, err = s.journal.Write(append(line, '\n'))
	}
	if err == nil {
		err = s.journal.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLedger, errors.Join(err, s.journal.Close()))
	}
	return nil
}
