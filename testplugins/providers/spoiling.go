package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

// kinds are the ways to spoil an answer.
var kinds = map[string]fault.Fault{
	"throttle":    fault.Throttle("2"),
	"unavailable": fault.Status(503, `{"message":"unavailable"}`),
	"reset":       fault.Reset(),
	"slow":        fault.Slow(3 * time.Second),
	"truncated":   fault.Truncated(),
	"broken":      fault.BrokenJSON(),
	"html":        fault.Status(200, "<html>maintenance</html>", "Content-Type", "text/html"),
}

// rulesOf reads the value of --faults: KIND=PERCENT, several with commas.
func rulesOf(text string) ([]fault.Rule, error) {
	var rules []fault.Rule
	for one := range strings.SplitSeq(text, ",") {
		if one == "" {
			continue
		}
		kind, percent, _ := strings.Cut(one, "=")
		spoil, known := kinds[kind]
		share, err := strconv.ParseFloat(percent, 64)
		if !known || err != nil || !(share > 0 && share <= 100) {
			return nil, fmt.Errorf("--faults %s: write KIND=PERCENT with one of %v", one, slices.Sorted(maps.Keys(kinds)))
		}
		rules = append(rules, fault.Rule{Times: -1, Chance: share / 100, Fault: spoil})
	}
	return rules, nil
}
