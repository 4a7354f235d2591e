package process

import (
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listenAt makes this program listen at the address, with a program of its own beside it.
const listenAt = "PLAZA_TEST_LISTEN_AT"

func TestMain(m *testing.M) {
	if address := os.Getenv(listenAt); address != "" {
		beside := exec.Command("/bin/sleep", "1000")
		beside.ExtraFiles = []*os.File{os.NewFile(3, "alive")}
		if err := beside.Start(); err != nil {
			panic(err)
		}
		l, err := net.Listen("tcp", address)
		for err == nil { // until it is killed
			_, err = l.Accept()
		}
		panic(err)
	}
	os.Exit(m.Run())
}

func TestOnLoopback_ends_the_server_and_what_it_has_started(t *testing.T) {
	dead, alive, err := os.Pipe()
	require.NoError(t, err)
	defer dead.Close()
	t.Run("a test with a server", func(t *testing.T) {
		at := OnLoopback(t, Server{
			Command: func(address string) *exec.Cmd {
				server := exec.Command(os.Args[0])
				server.ExtraFiles = []*os.File{alive}
				server.Env = []string{listenAt + "=" + address}
				return server
			},
			IsReady: isListening,
		})
		assert.True(t, isListening(at))
	})
	require.NoError(t, alive.Close())
	require.NoError(t, dead.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = dead.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF, "neither program has the pipe open")
}

func isListening(address string) bool {
	c, err := net.Dial("tcp", address)
	return err == nil && c.Close() == nil
}
