package find

import (
	"strings"

	"golang.org/x/sys/windows/registry"
)

// registered returns what the App Paths of this user, or else of the machine, have for a program.
func registered(program string) string {
	for _, of := range []registry.Key{registry.CURRENT_USER, registry.LOCAL_MACHINE} {
		key, err := registry.OpenKey(of, `SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\`+program, registry.QUERY_VALUE)
		if err != nil {
			continue
		}
		name, _, err := key.GetStringValue("")
		if _ = key.Close(); err == nil && name != "" {
			return strings.Trim(name, `"`)
		}
	}
	return ""
}
