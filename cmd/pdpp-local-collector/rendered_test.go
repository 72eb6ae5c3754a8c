package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// rendered finds the commands that a host tells an owner to copy.
var rendered = regexp.MustCompile(`"` + program + ` ([^"]*)" \+ (?:verdict\.)?SourceInstance(?: \+ "([^"]*)")?`)

// HL-23.9, HL-23.11: every command that the host renders for an owner is one that
// this program understands as it stands, and works on that source instance.
func TestRenderedCommandsRun(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	p := o.enroll(o.host, "mine")
	o.enroll(o.host, "other")
	o.must(0, "run", "--profile", "mine", "--set", "script="+notesScript)
	looked := 0
	for _, file := range []string{"../../health/verdict/remediation.go", "../../health/view/outbox.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rendered.FindAllStringSubmatch(string(source), -1) {
			looked++
			args := strings.Fields(m[1] + " " + p.SourceInstanceID + " " + m[2])
			if got := o.must(0, append(args, "--json")...); !strings.Contains(got.out, `"source_instance_id":"`+p.SourceInstanceID+`"`) {
				t.Errorf("%v: %s", args, got.out)
			}
		}
	}
	if looked < 5 {
		t.Errorf("only %d commands were found", looked)
	}
}
