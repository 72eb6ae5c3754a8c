package read

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// scopeless are the methods of a Reader without a scope, and why they need none.
var scopeless = map[string]string{
	"BlobPart": "reads what Blobs has found under a scope",
}

// RD-34.2, Invariant 9: there is no read without a scope: each method of a Reader takes one, a
// client's is made in one place, and no face asks the store around the Reader.
func TestEveryReadTakesAScope(t *testing.T) {
	t.Parallel()
	reads := reflect.TypeFor[*Reader]()
	var without []string
	for m := range reads.Methods() {
		takes := m.Type.NumIn() > 2 && m.Type.In(1) == reflect.TypeFor[context.Context]() && m.Type.In(2) == reflect.TypeFor[*Scope]()
		if takes == (scopeless[m.Name] != "") {
			without = append(without, m.Name)
		}
	}
	if reads.NumMethod() < 10 || len(without) > 0 {
		t.Errorf("got %d methods, and %s without a scope or with one that scopeless lists, want none", reads.NumMethod(), strings.Join(without, ", "))
	}
	for path, text := range sourcesOf(t, "../..") {
		if strings.Contains(path, "host/read/") {
			continue
		}
		if made := strings.Contains(text, "read.Scope{") || strings.Contains(text, "read.StreamScope{"); made != strings.HasSuffix(path, "host/grant/document.go") {
			t.Errorf("%s: got %v that it makes a scope, want a grant's document to make the only one", path, made)
		}
		face := strings.Contains(path, "host/api/") || strings.Contains(path, "host/console/")
		if face && strings.Contains(text, "eader.Store.") || face && strings.Contains(text, "eader.Index.") {
			t.Errorf("%s asks the store of a reader, want it to ask the reader", path)
		}
	}
}

// sourcesOf are the files of the rooms and the programs below a folder, without their tests.
func sourcesOf(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, room := range []string{"host", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			all[filepath.ToSlash(path)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
