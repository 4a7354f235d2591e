package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

// healthCommand asks a running server whether it is ready. Images without a shell and without
// curl need it for their health check, and service managers to wait for a start.
type healthCommand struct {
	Wait            time.Duration `placeholder:"DURATION" help:"How long to ask again until the server is ready (default: ask once)."`
	settings.Config `embed:"" group:"settings"`
}

// Limits of one question. The server answers within bootstrap.PingTimeout.
const (
	healthTimeout  = bootstrap.PingTimeout + time.Second
	healthInterval = 200 * time.Millisecond
	maxHealthText  = 200 // bytes of the server's reason that are printed
)

// Run returns nil if the server is ready, at once or within the time to wait.
func (c healthCommand) Run(ctx context.Context, s streams) error {
	if err := settings.CheckAddr(c.AdminAddr); err != nil {
		return misusef("PLAZA_ADMIN_ADDR: %w", err)
	}
	url := "http://" + settings.FromHere(c.AdminAddr) + "/readyz"
	tick := time.NewTicker(healthInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(c.Wait); ; {
		err := askReady(ctx, url)
		if err == nil {
			return s.printf("%s: ready\n", url)
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("not ready: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// directly never asks a proxy: the server is on this machine or in its network.
var directly = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// askReady returns nil if the server answers with 200, else its reason.
func askReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Host = "localhost" // whichever name leads there: the server answers to few
	res, err := directly.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reason, err := io.ReadAll(io.LimitReader(res.Body, maxHealthText))
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return errors.New(strings.TrimSpace(string(reason)))
	}
	return nil
}
