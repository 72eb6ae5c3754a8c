package field

// Project appends to dst the members of a record that keep wants, as they are stored and in
// their order (RD-18.2, RD-18.5). Of what is no object nothing is left.
func Project(dst, data []byte, keep func(name string) bool) []byte {
	begin := len(dst)
	dst = append(dst, '{')
	first := true
	whole := Members(data, func(name, value []byte) bool {
		if !keep(Name(name)) {
			return true
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, name...), ':'), value...)
		return true
	})
	if !whole {
		dst = append(dst[:begin], '{')
	}
	return append(dst, '}')
}
