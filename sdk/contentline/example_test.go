package contentline_test

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
)

// The summary of an event, which is folded over two lines.
func ExampleReader() {
	lines := contentline.NewReader(strings.NewReader("BEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Tea\\, and ca\r\n ke\r\nEND:VEVENT\r\n"), make([]byte, 4096))
	var line contentline.Line
	for text := lines.Next(); text != nil; text = lines.Next() {
		if line.Split(text) && string(line.Name) == "SUMMARY" {
			fmt.Println(contentline.Unescape(line.Value), line.Param("LANGUAGE"))
		}
	}
	// Output: Tea, and cake en
}
