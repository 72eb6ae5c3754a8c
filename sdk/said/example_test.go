package said_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// What a service said of a refusal, for the end of a message.
func Example() {
	words := said.In([]byte(`{"error": {"status": 403, "message": "Premium is required."}}`), "application/json")
	fmt.Println("status 403" + said.Quoted(words))
	// Output:
	// status 403; its own words: "Premium is required."
}
