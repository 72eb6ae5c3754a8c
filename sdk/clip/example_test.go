package clip_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

// A text that is cut keeps whole characters.
func ExampleText() {
	fmt.Println(clip.Text("für dich", 2), clip.Text("für dich", 4))
	// Output: f für
}
