package data

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rendered(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// RD-27.8: a search that could not look at everything does not say that there is no such record, and the page
// says how far the index is; a list that failed says nothing of its records.
func TestWhatIsMissingIsNotDenied(t *testing.T) {
	t.Parallel()
	part := &records.Indexing{Behind: 987_900, Changes: 1_000_000}
	for name, c := range map[string]struct {
		of        templ.Component
		want, not string
	}{
		"all was searched":  {hits(&found{text: "a", Found: &records.Found{Complete: true}}), words.SearchNothing, words.NotIndexed},
		"a part was":        {hits(&found{text: "a", Found: &records.Found{}, indexing: part}), words.SearchNotYet, words.SearchNothing},
		"how far that is":   {hits(&found{text: "a", Found: &records.Found{}, indexing: part}), words.NotIndexed, words.SearchNothing},
		"the overview":      {page(&all{indexing: part}), words.NotIndexed, ""},
		"it is all indexed": {page(&all{indexing: &records.Indexing{Changes: 5}}), words.DataNothing, words.NotIndexed},
		"no days yet":       {heatMap(&heat{partial: true}), words.DaysAsList, words.NoDays},
		"no days":           {heatMap(&heat{}), words.NoDays, ""},
		"a list":            {streamPage(&stream{Shape: &records.Shape{}, page: &records.Page{}}), words.NoRecords, ""},
		"a list that failed": {
			streamPage(&stream{Shape: &records.Shape{}, page: &records.Page{}, err: errors.New("too late"), indexing: part}), words.NotIndexed, words.NoRecords,
		},
	} {
		text := rendered(t, c.of)
		if !strings.Contains(text, templ.EscapeString(c.want)) || c.not != "" && strings.Contains(text, templ.EscapeString(c.not)) {
			t.Errorf("%s: got %s, want %q and not %q", name, text, c.want, c.not)
		}
	}
}
