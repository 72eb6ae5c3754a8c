package room

// A browser with a page takes some 400 MB; sites that are heavy take several times as much.
const (
	each = 2 << 30 // bytes of memory for a browser
	most = 4       // browsers at once, however much memory there is
)

// Here returns how many browsers this machine has room for.
func Here() int {
	bytes, known := memory()
	if !known {
		return 1
	}
	return of(bytes)
}

func of(bytes uint64) int { return int(max(1, min(bytes/each, most))) }
