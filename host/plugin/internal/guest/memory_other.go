//go:build !unix

package guest

// region is a memory in the Go heap; reserving addresses is not portable.
type region struct{ mem []byte }

func reserve(uint64) region { return region{} }

func (r *region) grow(size uint64) []byte {
	if n := int(size); n > len(r.mem) {
		r.mem = append(r.mem, make([]byte, n-len(r.mem))...)
	}
	return r.mem[:size:size]
}

func (r *region) release() { r.mem = nil }
