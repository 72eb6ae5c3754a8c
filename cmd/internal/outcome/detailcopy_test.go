package outcome

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-18.1, RT-18.2: a run cap reads as the owner's own budget that continues
// next run, a used-up retry budget as that, and neither as a busy service.
func TestDetailCopy(t *testing.T) {
	t.Parallel()
	busy := []string{"busy", "service", "asked"}
	retries := DetailCopy(string(abi.ReasonRetryExhausted), "")
	for _, class := range abi.RunCap {
		text := DetailCopy(string(abi.ReasonRetryExhausted), string(class))
		if !strings.Contains(text, "your own") || !strings.Contains(text, "saved") || !strings.Contains(text, "next run") {
			t.Errorf("RT-18.1: %s: %q", class, text)
		}
		if text == retries {
			t.Errorf("RT-18.2: %s has the copy of a retry budget", class)
		}
		for _, word := range busy {
			if strings.Contains(text, word) {
				t.Errorf("RT-18.1: %s: %q speaks of the service", class, text)
			}
		}
	}
	if !strings.Contains(retries, "retry budget") {
		t.Errorf("RT-18.2: %q", retries)
	}
	for _, word := range busy {
		if strings.Contains(retries, word) {
			t.Errorf("RT-18.2: %q speaks of the service", retries)
		}
	}
	for _, reason := range abi.SourcePressure {
		if text := DetailCopy(string(reason), ""); !strings.Contains(text, "service") {
			t.Errorf("%s: %q", reason, text)
		}
	}
}
