package manifest_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

const atProvider = "runtime_requirements.network.provider"

func provided() object {
	m := minimal()
	m["runtime_requirements"] = object{
		"bindings": object{"network": object{"required": true}},
		"network": object{
			"hosts": list{object{"host": "api.example.org", "reason": "The API"}},
			"provider": object{
				"discovery_interval_ms": 0, "min_interval_ms": 10, "max_interval_ms": 20, "tolerance_ms": 0, "burst": 1, "max_attempts": 3,
				"windows":         list{object{"requests": 500, "per_ms": 1000}},
				"endpoints":       list{object{"name": "search", "method": "GET", "path_prefix": "/s", "min_interval_ms": 5, "windows": list{object{"requests": 1, "per_ms": 2}}}},
				"refusals":        list{object{"status": 403, "contains": "slow down", "wait_ms": 60000}},
				"backoff_base_ms": 1, "backoff_cap_ms": 2, "max_inline_wait_ms": 3, "timeout_ms": 4, "max_redirects": 0, "max_response_bytes": 100,
				"breaker": object{"disabled": true, "window": 7, "min_throughput": 6, "failure_ratio": 0.25, "reset_ms": 8},
			},
		},
	}
	return m
}

func TestProvider(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	window, endpoint, refusal := object{"requests": 1, "per_ms": 1}, object{"name": "a", "path_prefix": "/"}, object{"status": 403, "contains": "x"}
	rules := map[string]rule{
		"as it is":  {"version", "1.0.0", "", ""},
		"empty":     {atProvider, object{}, "", ""},
		"no object": {atProvider, list{}, atProvider, "must be an object"},
	}
	for name, r := range map[string]rule{
		"a text for a number":   {".min_interval_ms", "100", ".min_interval_ms", "must be a whole number of milliseconds, and is \"100\""},
		"a fraction":            {".max_attempts", 1.5, ".max_attempts", "must be a whole number, and is 1.5"},
		"null":                  {".timeout_ms", nil, ".timeout_ms", "must be a whole number of milliseconds, and is null"},
		"bytes":                 {".max_response_bytes", "1MiB", ".max_response_bytes", "must be a whole number of bytes, and is \"1MiB\""},
		"a slip":                {".min_intervall_ms", 100, ".min_intervall_ms", "did you mean min_interval_ms?"},
		"an inner slip":         {".breaker.windows", 5, ".breaker.windows", "did you mean window?"},
		"a slip in an item":     {".windows.0.request", 5, ".windows[0].request", "did you mean requests?"},
		"a name":                {".name", "other", ".name", "is not a key of the provider's limits (discovery_interval_ms, "},
		"a list that is one":    {".windows", window, ".windows", "must be an array"},
		"an item that is none":  {".endpoints.0", "search", ".endpoints[0]", "must be an object"},
		"a flag of text":        {".breaker.disabled", "no", ".breaker.disabled", "must be a boolean"},
		"a ratio of text":       {".breaker.failure_ratio", "half", ".breaker.failure_ratio", "must be a number"},
		"below zero":            {".min_interval_ms", -1, ".min_interval_ms", "from 0 to"},
		"discovery below zero":  {".discovery_interval_ms", -1, ".discovery_interval_ms", "from 0 to"},
		"more than a month":     {".max_interval_ms", 31*day + 1, ".max_interval_ms", "from 0 to"},
		"a month":               {".max_interval_ms", 31 * day, "", ""},
		"the largest number":    {".backoff_cap_ms", json.Number("9223372036854775807"), ".backoff_cap_ms", "from 0 to"},
		"a larger one":          {".backoff_cap_ms", json.Number("9223372036854775808"), ".backoff_cap_ms", "must be a whole number of milliseconds"},
		"too many attempts":     {".max_attempts", 21, ".max_attempts", "from 0 to 20"},
		"redirects below zero":  {".max_redirects", -1, ".max_redirects", "from 0 to 20"},
		"a long time-out":       {".timeout_ms", 5*60*1000 + 1, ".timeout_ms", "from 0 to 300000"},
		"a large answer":        {".max_response_bytes", 64<<20 + 1, ".max_response_bytes", "from 0 to 67108864"},
		"a window of none":      {".windows.0.requests", 0, ".windows[0].requests", "from 1 to 100000"},
		"a window without time": {".windows.0.per_ms", drop, ".windows[0].per_ms", "from 1 to"},
		"windows too many":      {".windows", slices.Repeat(list{window}, 9), ".windows", "at most 8"},
		"endpoint without name": {".endpoints.0.name", drop, ".endpoints[0].name", "lower-case"},
		"endpoint's path":       {".endpoints.0.path_prefix", "s", ".endpoints[0].path_prefix", "must begin with /"},
		"endpoint's window":     {".endpoints.0.windows.0.per_ms", 0, ".endpoints[0].windows[0].per_ms", "from 1 to"},
		"endpoints too many":    {".endpoints", slices.Repeat(list{endpoint}, 33), ".endpoints", "at most 32"},
		"a status of none":      {".refusals.0.status", 199, ".refusals[0].status", "from 200 to 599"},
		"a blank text":          {".refusals.0.contains", " ", ".refusals[0].contains", "1 to 200 bytes"},
		"a long text":           {".refusals.0.contains", strings.Repeat("x", 201), ".refusals[0].contains", "1 to 200 bytes"},
		"a long pause":          {".refusals.0.wait_ms", 60*60*1000 + 1, ".refusals[0].wait_ms", "from 0 to 3600000"},
		"refusals too many":     {".refusals", slices.Repeat(list{refusal}, 17), ".refusals", "at most 16"},
		"a ratio above one":     {".breaker.failure_ratio", 1.1, ".breaker.failure_ratio", "from 0 to 1"},
		"outcomes too many":     {".breaker.window", 1001, ".breaker.window", "from 0 to 1000"},
		"throughput below zero": {".breaker.min_throughput", -1, ".breaker.min_throughput", "from 0 to 1000"},
		"reset below zero":      {".breaker.reset_ms", -1, ".breaker.reset_ms", "from 0 to"},
		"a burst too large":     {".burst", 401, ".burst", "must fit into each of the windows"},
		"a burst below zero":    {".burst", -1, ".burst", "from 0 to"},
		"tolerance below zero":  {".tolerance_ms", -1, ".tolerance_ms", "from 0 to"},
		"inline below zero":     {".max_inline_wait_ms", -1, ".max_inline_wait_ms", "from 0 to"},
		"back-off below zero":   {".backoff_base_ms", -1, ".backoff_base_ms", "from 0 to"},
	} {
		if r.at = atProvider + r.at; r.path != "" {
			r.path = atProvider + r.path
		}
		rules[name] = r
	}
	hold(t, provided, rules)
}

// Every field of the type is read, under the name that it has in JSON.
func TestProviderIsReadWhole(t *testing.T) {
	t.Parallel()
	m := provided()
	network, _ := m["runtime_requirements"].(object)["network"].(object)
	want := new(abi.Provider)
	if err := json.Unmarshal(encode(t, network["provider"]), want); err != nil {
		t.Fatal(err)
	}
	got := valid(t, m).Requirements.Network.Provider
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	unset(t, reflect.ValueOf(*got), "provider")
}

// unset tells of each field that has no value: this test would not see it.
func unset(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	for i := range v.NumField() {
		f, at := v.Field(i), path+"."+v.Type().Field(i).Name
		switch {
		case f.IsZero():
			t.Errorf("%s is not set here", at)
		case f.Kind() == reflect.Struct:
			unset(t, f, at)
		case f.Kind() == reflect.Slice:
			unset(t, f.Index(0), at)
		}
	}
}

// FuzzProvider reads hostile provider sections: an accepted one is within bounds, and
// a refused one is reported at its place.
func FuzzProvider(f *testing.F) {
	f.Add([]byte(`{"min_interval_ms":"100"}`))
	f.Add([]byte(`{"windows":[{"requests":1e400,"per_ms":-0}],"breaker":{"failure_ratio":1e400}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := provided()
		network, _ := m["runtime_requirements"].(object)["network"].(object)
		if !json.Valid(raw) {
			return
		}
		network["provider"] = json.RawMessage(raw)
		text := encode(t, m)
		got, err := manifest.Parse(text)
		if err == nil {
			if p := got.Requirements.Network.Provider; p != nil {
				provider.Check(p, func(path, rule string) { t.Errorf("accepted: %s: %s", path, rule) })
			}
			return
		}
		for _, p := range manifest.Problems(text) {
			if !strings.HasPrefix(p.Path, atProvider) && p.Path != "" {
				t.Errorf(`%s is not of the provider, want strings.HasPrefix(p.Path, atProvider) || p.Path == ""`, p)
			}
		}
	})
}
