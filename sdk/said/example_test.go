package said_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// A message ends with what the service said of its refusal.
func Example() {
	words := said.In([]byte(`{"error": {"status": 403, "message": "Premium is required."}}`), "application/json")
	fmt.Println("status 403" + said.Quoted(words))
	// Output:
	// status 403; its own words: "Premium is required."
}
