package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// validate compares a response with the operation's documented status, headers and body.
func validate(router routers.Router, req *http.Request, res *http.Response) error {
	route, params, err := router.FindRoute(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err)
	}
	return openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   res.Body,
		Options: &openapi3filter.Options{
			IncludeResponseStatus:   true,
			MultiError:              true,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{absolute},
		},
	})
}

// request returns a request for the operation on any server.
func (op operation) request() *http.Request {
	path := op.path
	for _, p := range op.parameters() {
		path = strings.ReplaceAll(path, "{"+p.Name+"}", fmt.Sprint(p.Example))
	}
	return httptest.NewRequest(op.method, "http://127.0.0.1:49152"+path, nil)
}

// answer returns a response with the status and every documented header.
func (op operation) answer(status string, body any) *http.Response {
	code, _ := strconv.Atoi(status)
	text, _ := json.Marshal(body)
	res := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text))}
	res.Header.Set("Content-Type", "application/json; charset=utf-8")
	for name, header := range op.Responses.Value(status).Value.Headers {
		res.Header.Set(name, fmt.Sprint(header.Value.Example))
	}
	return res
}

func TestLiveResponsesCanBeValidated(t *testing.T) {
	router, err := gorillamux.NewRouter(load(t))
	require.NoError(t, err)
	forEach(t, func(t *testing.T, op operation) {
		req := op.request()
		route, _, err := router.FindRoute(req)
		require.NoError(t, err)
		require.Equal(t, op.OperationID, route.Operation.OperationID)
		for status, response := range op.Responses.Map() {
			media := response.Value.Content["application/json"]
			if media == nil {
				continue
			}
			for name, example := range examplesOf(media) {
				assert.NoError(t, validate(router, req, op.answer(status, example)), "%s, example %s", status, name)

				bare := op.answer(status, example)
				bare.Header.Del("X-Request-ID")
				assert.Error(t, validate(router, req, bare), "%s without its id", status)

				if media.Schema.Ref == "#/components/schemas/OpenAPI" {
					continue
				}
				more := map[string]any{"stray": 1}
				for field, value := range example.(map[string]any) {
					more[field] = value
				}
				assert.Error(t, validate(router, req, op.answer(status, more)), "%s with a stray field", status)
			}
		}
		other := op.answer("500", examplesOf(op.Responses.Value("500").Value.Content["application/json"])["example"])
		other.StatusCode = http.StatusTeapot
		assert.Error(t, validate(router, req, other), "a status that is not documented")
	})
}

func TestAnErrorHasTheCodeOfItsStatus(t *testing.T) {
	router, err := gorillamux.NewRouter(load(t))
	require.NoError(t, err)
	forEach(t, func(t *testing.T, op operation) {
		for status := range op.Responses.Map() {
			if status < "401" || op.Responses.Value(status).Value.Content["application/json"] == nil {
				continue
			}
			wrong := map[string]any{"error": true, "code": "METHOD_NOT_ALLOWED", "data": map[string]any{"detail": "No."}}
			assert.Error(t, validate(router, op.request(), op.answer(status, wrong)), status)
		}
	})
}
