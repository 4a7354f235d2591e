package postgres

import (
	"errors"
	"os"
	"syscall"
)

// There are no throw-away servers on Windows: the tests say that they miss PostgreSQL, or use
// the server that PLAZA_TEST_DATABASE_URL names.
var errWindows = errors.New("throw-away servers need Unix")

func lockFolder(*os.File) error { return errWindows }

func openFolder(string) (*os.File, error) { return nil, errWindows }

func isOf(*os.File, int) bool { return false }

func runAs(int, int) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func signal(int, syscall.Signal) {}

func suspend(int) {}
