package abi

// CanonicalKey returns the form in which connector keys are compared: lower
// case, with _ for -. Published connectors are spelled with either sign.
func CanonicalKey(key string) string {
	out := []byte(key)
	for i, c := range out {
		switch {
		case c == '-':
			out[i] = '_'
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// addresses are where connectors have their addresses, which end in their keys: the public registry, and this project.
var addresses = [...]string{"https://registry.pdpp.dev/connectors/", "https://github.com/pdpp-host/pdpp-host/connectors/"}

// KeyNamed returns the key in the address of a connector in the public registry or in this project, and any other name as
// it is. An address that ends in .wasm names a file and no key, so that a module of the working folder is not run for it.
func KeyNamed(name string) string {
	for _, at := range addresses {
		if n := len(at); len(name) > n && name[:n] == at && !hasSlash(name[n:]) && !endsInWASM(name) {
			return name[n:]
		}
	}
	return name
}

func endsInWASM(s string) bool { return len(s) > 5 && s[len(s)-5:] == ".wasm" }

func hasSlash(s string) bool {
	for i := range len(s) {
		if s[i] == '/' {
			return true
		}
	}
	return false
}

// SameConnector reports whether two names, each a key or an address that KeyNamed knows, are the same connector's.
func SameConnector(a, b string) bool { return CanonicalKey(KeyNamed(a)) == CanonicalKey(KeyNamed(b)) }
