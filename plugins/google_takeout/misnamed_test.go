package main

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// shut has folders that cannot be listed.
type shut struct{ fstest.MapFS }

func (s shut) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.HasPrefix(name, "Takeout/shut") {
		return nil, fs.ErrPermission
	}
	return s.MapFS.ReadDir(name)
}

// AC-10: a folder whose name no path has is told as such, and one that may not be listed as what it is.
func TestFoldersThatCannotBeNamed(t *testing.T) {
	t.Parallel()
	f := folder{}
	for _, name := range []string{`shut\xe4`, `shut\x41`} {
		f["Takeout/"+name+"/watch-history.json"] = &fstest.MapFile{Data: []byte(removed)}
	}
	res := f.collect(t, func(o *sdktest.Options) { o.Roots["google_takeout"] = shut{fstest.MapFS(f)} })
	const want = `folder_not_seen[Takeout/shut\x41]manual_action_required name_not_utf_8[Takeout/shut\xe4]manual_action_required`
	if got := told(res); got != want {
		t.Errorf("the run says %q, want %q", got, want)
	}
}
