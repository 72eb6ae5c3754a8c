package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Compiling ends, whatever the schema does, at the limits (measured: under
// 0.2 s each). A clock would judge the machine, so the log only tells it.
func TestCompileIsBounded(t *testing.T) {
	t.Parallel()
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(format, "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"subschemas":          `{"properties":{` + list(4000, `"N":{}`) + `}}`,
		"typed subschemas":    `{"properties":{` + list(2000, `"N":{"type":"null"}`) + `}}`,
		"odd places":          `{"x":{` + list(500, `"N":{"x":1}`) + `},"allOf":[` + list(500, `{"$ref":"#/x/N"}`) + `]}`,
		"anchors":             `{"$defs":{` + list(1500, `"N":{"$dynamicAnchor":"aN"}`) + `}}`,
		"identified":          `{"$defs":{` + list(1500, `"N":{"$id":"urn:N"}`) + `}}`,
		"expressions in odds": `{"patternProperties":{` + list(60, `"N(a{1000})":{}`) + `}}`,
	} {
		start := time.Now()
		_, err := Compile([]byte(text), true)
		t.Logf("%s: %v in %v", name, err, time.Since(start))
	}
}
