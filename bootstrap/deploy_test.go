package bootstrap_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/bootstrap/settings"
	"plaza/domain/fault"
)

// deployed returns the content of a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("deploy", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(content)
}

func TestDeploy_names_settings_that_exist(t *testing.T) {
	p, err := settings.NewParser(&struct{ settings.Config }{}, settings.Offered{})
	require.NoError(t, err)
	names := append(settings.Variables(p.Model), "PLAZA_AS") // which commands have
	files := 0
	require.NoError(t, filepath.WalkDir("deploy", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, name := range regexp.MustCompile(`PLAZA_[A-Z_]*[A-Z]`).FindAllString(string(content), -1) {
			assert.Contains(t, names, name, path)
		}
		return err
	}))
	assert.Greater(t, files, 10)
}

// environment returns the variables of a file that systemd and the shell read. With all of
// them, those in comments are included.
func environment(t *testing.T, file string, all bool) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for line := range strings.Lines(file) {
		if all {
			line = strings.TrimPrefix(line, "#")
		}
		name, value, is := strings.Cut(strings.TrimSpace(line), "=")
		if !is || !strings.HasPrefix(name, "PLAZA_") {
			continue
		}
		assert.NotRegexp(t, `[\s"'$&\\;|<>()]`, value, "systemd and the shell read %s differently", name)
		if variables[name] == "" {
			variables[name] = value
		}
	}
	return variables
}

func TestDeploy_the_environment_file_is_valid(t *testing.T) {
	text := deployed(t, "systemd/plaza.env")
	for name, value := range environment(t, text, false) {
		t.Setenv(name, value)
	}
	secret := filepath.Join(t.TempDir(), "database-url")
	require.NoError(t, os.WriteFile(secret, []byte("postgres://plaza:kettle@localhost/plaza\n"), 0o600))
	t.Setenv("PLAZA_DATABASE_URL_FILE", secret)
	_, err := parsed(t)
	require.NoError(t, err)
	assert.Greater(t, len(environment(t, text, true)), len(environment(t, text, false)), "the examples are well formed, too")
	assert.NotContains(t, deployed(t, "systemd/plaza@.service"), "MemoryDenyWriteExecute=", "decoders of pictures are compiled")
}

func TestGEN06_errors_of_proxies_are_like_those_of_the_server(t *testing.T) {
	type envelope struct {
		Code string
		Data map[string]any
	}
	for _, file := range []string{"cluster/haproxy.cfg", "nginx/plaza.conf"} {
		found := regexp.MustCompile(`(?:http-error status|return) (\d+) .*'(\{.*\})'`).FindAllStringSubmatch(deployed(t, file), -1)
		require.NotEmpty(t, found, file)
		for _, one := range found {
			var sent, own envelope
			require.NoError(t, json.Unmarshal([]byte(one[2]), &sent))
			of := slices.IndexFunc(fault.Kinds(), func(k fault.Kind) bool { return k.Code() == sent.Code })
			reply := transport.Refuse(fault.New(fault.Kinds()[max(of, 0)], "A sentence."))
			raw, err := transport.Encode(reply.Content)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &own))
			assert.Equal(t, one[1], strconv.Itoa(reply.Status), one[0])
			assert.Equal(t, slices.Collect(maps.Keys(own.Data)), slices.Collect(maps.Keys(sent.Data)), one[0])
		}
	}
}

// alerts returns the names of all alerts and their annotations.
func alerts(t *testing.T) map[string]map[string]string {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations map[string]string
				Labels      map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployed(t, "prometheus/alerts.yml")), &rules))
	all := map[string]map[string]string{}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			assert.NotContains(t, all, rule.Alert)
			assert.Contains(t, []string{"page", "ticket"}, rule.Labels["severity"], rule.Alert)
			all[rule.Alert] = rule.Annotations
		}
	}
	return all
}

func TestDeploy_each_alert_has_a_section_of_the_guide(t *testing.T) {
	var sections []string
	for _, found := range regexp.MustCompile(`(?m)^### (Plaza\w+)$`).FindAllStringSubmatch(deployed(t, "README.md"), -1) {
		sections = append(sections, found[1])
	}
	slices.Sort(sections)
	all := alerts(t)
	assert.Equal(t, slices.Sorted(maps.Keys(all)), sections)
	for name, annotations := range all {
		assert.Equal(t, "bootstrap/deploy/README.md#"+strings.ToLower(name), annotations["runbook"])
		assert.NotEmpty(t, annotations["summary"], name)
	}
}

// selected matches values of a label that a query selects, such as state="a" or limit!~"a|b".
var selected = regexp.MustCompile(`\b(limit|outcome|reason|state|name)!?=~?"([a-z_|-]+)"`)

func TestDeploy_alerts_select_values_that_metrics_have(t *testing.T) {
	found := selected.FindAllStringSubmatch(deployed(t, "prometheus/alerts.yml"), -1)
	assert.Greater(t, len(found), 3)
	for _, one := range found {
		for value := range strings.SplitSeq(one[2], "|") {
			assert.Contains(t, deployed(t, "../observability.md"), "`"+value+"`", one[1])
		}
	}
}

func TestDeploy_what_is_answered_with_503_is_the_limits_of_PlazaOverloaded(t *testing.T) {
	_, row, _ := strings.Cut(deployed(t, "../observability.md"), "503: `")
	row, _, _ = strings.Cut(row, "`. ")
	want := strings.Join(slices.Sorted(slices.Values(strings.Split(row, "`, `"))), "|")
	for _, alert := range regexp.MustCompile(`limit!?=?~"([a-z_|]+)"`).FindAllStringSubmatch(deployed(t, "prometheus/alerts.yml"), -1) {
		assert.Equal(t, want, strings.Join(slices.Sorted(strings.SplitSeq(alert[1], "|")), "|"), alert[0])
	}
}

func TestDeploy_queries_name_metrics_that_are_there(t *testing.T) {
	described := deployed(t, "../observability.md")
	for _, file := range []string{"prometheus/alerts.yml", "grafana/plaza.json"} {
		queried := regexp.MustCompile(`plaza_[a-z_]+`).FindAllString(deployed(t, file), -1)
		assert.Greater(t, len(queried), 10, file)
		for _, name := range queried {
			histogram := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			assert.Contains(t, described, "\n| `"+histogram+"` | ", "%s in %s", name, file)
		}
	}
}

// pinned matches an image that is named with its version.
var pinned = regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+[\w.-]*$`)

func TestDeploy_the_compose_file_is_whole(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image       string
			Build       struct{ Context, Dockerfile string }
			Environment map[string]string
			Secrets     []string
			Volumes     []string
			Ports       []string
		}
		Secrets map[string]struct{ File string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployed(t, "docker/compose.yaml")), &file))
	const folder = "deploy/docker"
	for name, service := range file.Services {
		if service.Build.Dockerfile == "" {
			assert.Regexp(t, pinned, service.Image, name)
		} else {
			assert.FileExists(t, filepath.Join(folder, service.Build.Context, service.Build.Dockerfile))
		}
		for _, port := range service.Ports {
			assert.Regexp(t, `^127\.0\.0\.1:`, port, "%s: only this machine reaches it", name)
		}
		for _, secret := range service.Secrets {
			assert.Contains(t, file.Secrets, secret, name)
		}
		for variable, value := range service.Environment {
			if at, is := strings.CutPrefix(value, "/run/secrets/"); is {
				assert.Contains(t, service.Secrets, at, "%s: %s", name, variable)
			}
		}
		for _, volume := range service.Volumes {
			if source, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(source, ".") {
				_, err := os.Stat(filepath.Join(folder, source))
				assert.NoError(t, err, name)
			}
		}
	}
	for name, secret := range file.Secrets {
		assert.Equal(t, "./secrets/"+name, secret.File)
		assert.Contains(t, deployed(t, "README.md"), ">secrets/"+name, "the guide makes it")
	}
}

func TestDeploy_the_image_is_small_and_runs_without_rights(t *testing.T) {
	text := deployed(t, "docker/Dockerfile")
	bases := regexp.MustCompile(`(?m)^FROM (?:--\S+ )?(\S+)`).FindAllStringSubmatch(text, -1)
	require.Len(t, bases, 2)
	assert.Regexp(t, pinned, bases[0][1])
	assert.Equal(t, "scratch", bases[1][1])
	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	require.NotNil(t, language)
	assert.True(t, strings.HasPrefix(bases[0][1], "golang:"+language[1]+"."), "the compiler is that of go.mod")
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(text)
	require.NotNil(t, user)
	assert.NotEqual(t, "0", user[1])
	for _, flag := range []string{"CGO_ENABLED=0", "-tags nomsgpack,nodynamic", "-trimpath", "-buildvcs=auto"} {
		assert.Contains(t, text, flag, "as in the Makefile")
	}
}
