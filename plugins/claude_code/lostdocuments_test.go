package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A document that is emptied, or that a stopped write or a failed copy filled with zeros, deletes and overwrites nothing. The run names
// it until it is whole again, or gone.
func TestDocumentsThatLostTheirTexts(t *testing.T) {
	t.Parallel()
	const text = "---\ndescription: d\n---\nOne two three.\n"
	for path, stream := range map[string]string{
		project + "memory/a.md": "memory_notes", "skills/s/SKILL.md": "skills", "commands/c.md": "slash_commands",
		project + one + "/tool-results/t.txt": "attachments",
	} {
		for what, now := range map[string]string{
			"empty": "", "blank": "\n \r\n", "zeros": strings.Repeat("\x00", len(text)), "half of it": text[:len(text)/2] + strings.Repeat("\x00", len(text)/2),
		} {
			for _, full := range []bool{false, true} {
				t.Run(fmt.Sprint(path, " ", what, " ", full), func(t *testing.T) {
					t.Parallel()
					h := small()
					h.put(path, text)
					first := run(t, h)
					h.put(path, now)
					second := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
						if full {
							o.Mode = abi.ModeFullRefresh
						}
					}))
					if got := written(second, stream); got != "" || len(second.Gone(stream)) != 0 {
						t.Fatalf("got %q, and %q gone, want what was collected left as it is", got, second.Gone(stream))
					}
					if skip(t, second, lostText.Reason) != 1 || second.File(rootHome, path) != abi.FileDamaged {
						t.Errorf("told %d, and the file is %q, want it told once, and damaged", skip(t, second, lostText.Reason), second.File(rootHome, path))
					}
					h.put(path, text+"Four.\n")
					third := checked(t, second.SecondRun(t, func(o *sdktest.Options) { o.Mode = "" }))
					if got := written(third, stream); !strings.Contains(got, "Four.") || skip(t, third, lostText.Reason) != 0 {
						t.Errorf("mended: got %q, want the new text, and nothing told", got)
					}
					delete(h, path)
					want := 1
					if stream == "attachments" { // it only grows
						want = 0
					}
					if got := len(again(t, third).Gone(stream)); got != want {
						t.Errorf("removed: got %d gone, want %d", got, want)
					}
				})
			}
		}
	}
}

// written returns the data of the record that a run has emitted of a document, "" for none.
func written(r *sdktest.Result, stream string) (data string) {
	for _, rec := range r.Records(stream) {
		if stream != "attachments" || strings.HasPrefix(rec.Key, "tool_result_file:") {
			data += string(rec.Data)
		}
	}
	return data
}

// A document with zeros is none in a first run either.
func TestADocumentOfZerosAtFirst(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("commands/c.md", strings.Repeat("\x00", 4096))
	h.put("commands/empty.md", "")
	r := run(t, h)
	if got := strings.Join(r.Keys("slash_commands"), " "); got != "commands:empty" || skip(t, r, lostText.Reason) != 1 {
		t.Errorf("got %q, told %d, want the empty command alone, and the other one told", got, skip(t, r, lostText.Reason))
	}
}
