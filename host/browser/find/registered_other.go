//go:build !windows

package find

// registered returns nothing: Windows alone has App Paths.
func registered(string) string { return "" }
