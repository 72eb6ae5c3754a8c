package page

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BR-19: numbers that a page makes up stand for no word, and a capture stays within its size.
func TestOutlineThatIsMadeUp(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	odd := Outline{
		math.MinInt, math.MinInt, -1, math.MaxInt, math.MinInt, math.MaxInt,
		math.MaxInt, math.MaxInt, math.MaxInt, -1, 0, 0,
		0, 0, -1, -1, 1, 7, 1, 2,
	}
	if err := odd.Write(&text, 1000); err != nil || text.String() != "other\n"+strings.Repeat(" ", outlineDepth)+"other\nhtml id text(7)\n" {
		t.Errorf("got %q, %v, want two elements of no name, and one", text.String(), err)
	}
	text.Reset()
	if err := odd.Write(&text, text.Len()+10); abi.CodeOf(err) != abi.CodeBrowserTooLarge || text.Len() > 10 {
		t.Errorf("got %d bytes, %v, want at most ten", text.Len(), err)
	}
	if len(outlineMarks) > 30 {
		t.Errorf("got %d marks, want no more than a page's bits have room for", len(outlineMarks))
	}
}
