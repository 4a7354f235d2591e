package httpapi

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// knownAccounts has an account for every uid.
type knownAccounts struct{ access.Accounts }

func (knownAccounts) ByID(_ context.Context, id user.ID) (access.Account, error) {
	return access.Account{User: id}, nil
}

// accountRecords yields the records of the kind that an export has last, and no others.
type accountRecords struct {
	personaldata.Store
	all iter.Seq2[personaldata.Record, error]
}

func (r accountRecords) Records(_ context.Context, _ user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	if k == personaldata.Account {
		return r.all
	}
	return func(func(personaldata.Record, error) bool) {}
}

// exporting serves an export of the records, and returns its address and how it ended.
func exporting(t *testing.T, all iter.Seq2[personaldata.Record, error]) (url string, ended <-chan error) {
	t.Helper()
	ends := make(chan error, 1)
	app := privacy.New(knownAccounts{}, accountRecords{all: all}, nil, nil, nil, nil, time.Now)
	server := httptest.NewServer(archive{app, access.Actor{ID: 1}, func(_ context.Context, broken error) error {
		ends <- broken
		return broken
	}})
	t.Cleanup(server.Close)
	return server.URL, ends
}

func fetchExport(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() }) // the connection may have ended
	return res
}

func TestUSR07_a_client_sees_whether_an_export_is_complete(t *testing.T) {
	gone := errors.New("the database is gone")
	for _, failure := range []error{nil, gone} {
		url, ended := exporting(t, func(yield func(personaldata.Record, error) bool) {
			if yield(personaldata.Person{Account: access.Account{User: 1}}, nil) {
				yield(personaldata.Person{Account: access.Account{User: 2}}, failure)
			}
		})
		body, err := io.ReadAll(fetchExport(t, url).Body)
		_, noZip := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		assert.ErrorIs(t, <-ended, failure)
		if failure == nil {
			require.NoError(t, err)
			require.NoError(t, noZip)
			continue
		}
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.ErrorIs(t, noZip, zip.ErrFormat)
	}
}

func TestUSR07_an_export_whose_client_hangs_up_has_broken(t *testing.T) {
	url, ended := exporting(t, func(yield func(personaldata.Record, error) bool) {
		for yield(personaldata.Person{Account: access.Account{User: 1}}, nil) {
		}
	})
	require.NoError(t, fetchExport(t, url).Body.Close())
	assert.Error(t, <-ended)
}
