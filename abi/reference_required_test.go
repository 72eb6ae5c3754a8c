package abi_test

import (
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// requiredFields lists the paths of the fields that are never left out.
func requiredFields(typ reflect.Type, prefix string) []string {
	var out []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(options, "omit") {
			out = append(out, prefix+name)
		}
		of, below := typ.Field(i).Type, "."
		switch of.Kind() {
		case reflect.Pointer:
			of = of.Elem()
		case reflect.Slice:
			of, below = of.Elem(), "[]."
		}
		if of.Kind() == reflect.Struct {
			out = append(out, requiredFields(of, prefix+name+below)...)
		}
	}
	return out
}

func TestReferenceRequired(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	for heading, list := range map[string][]any{
		"START": {abi.Start{}}, "STATE": {abi.State{}}, "PROGRESS": {abi.Progress{}}, "SKIP_RESULT": {abi.SkipResult{}},
		"DETAIL_GAP": {abi.DetailGap{}}, "DETAIL_GAP_ATTEMPTED and DETAIL_GAP_RECOVERED": {abi.GapOutcome{}},
		"DETAIL_COVERAGE": {abi.DetailCoverage{}}, "INTERACTION": {abi.Interaction{}},
		"INTERACTION_RESPONSE": {abi.InteractionResponse{}}, "DONE": {abi.Done{}},
		"HTTP": {abi.HTTPRequest{}, abi.HTTPResponse{}, abi.HTTPError{}},
	} {
		var actual []string
		for _, message := range list {
			actual = append(actual, requiredFields(reflect.TypeOf(message), "")...)
		}
		actual = slices.DeleteFunc(actual, func(path string) bool { return path == "error" && heading == "HTTP" })
		same(t, heading+", required", r.required[heading], actual)
	}
}

// strict decodes an example, which has no field that does not exist.
func strict(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("%s: d.Decode(into): got %v, want no error", text, err)
	}
}

func TestReferenceExamples(t *testing.T) {
	t.Parallel()
	r := readReference(t)
	var start abi.Start
	strict(t, strings.Join(r.fences["json start"], " "), &start)
	if start.Type != abi.TypeStart || len(start.DetailGaps) != 1 {
		t.Fatalf("START is %+v, want start.Type == abi.TypeStart && len(start.DetailGaps) == 1", start)
	}
	strict(t, string(start.DetailGaps[0]), new(abi.DetailGap))
	var account abi.Account
	strict(t, strings.Join(r.fences["json account"], " "), &account)
	if len(account.Files) != 2 || account.Files[0].Entries.Count != 3 || len(account.Streams) != 1 {
		t.Errorf("ACCOUNT is %+v, want two files, three entries and one stream", account)
	}
	bytes := func(info string) (head, body string) {
		words := slices.DeleteFunc(slices.Clone(r.fences["bytes "+info]), func(w string) bool { return strings.HasPrefix(w, "|") })
		raw, err := hex.DecodeString(strings.Join(words, ""))
		if err != nil {
			t.Fatal(err)
		}
		head, body, found := strings.Cut(string(raw), "\n")
		if !found {
			t.Errorf("the %s has no line feed, want found", info)
		}
		return head, body
	}
	head, body := bytes("request")
	var request abi.HTTPRequest
	if strict(t, head, &request); request.URL == "" || body != "" {
		t.Errorf(`the request is %q and %q, want request.URL != "" && body == ""`, head, body)
	}
	head, body = bytes("answer")
	var answer abi.HTTPResponse
	if strict(t, head, &answer); answer.Status != 200 || len(body) != 12 || !json.Valid([]byte(body)) {
		t.Errorf("the answer is %q and %q, want 200 and 12 bytes of JSON", head, body)
	}
}
