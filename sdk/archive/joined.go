package archive

import "io"

// neighbours looks for zips in front of this one, and behind it.
func (r *Reader) neighbours(z *zipFile, head [4]byte) error {
	if u32(head[:]) == localSignature {
		r.front = z.base
	} else if z.base > 0 { // its beginning may be missing
		at, end, err := findEnd(io.NewSectionReader(r.at, 0, z.base), z.base)
		if err != nil {
			return err
		}
		if end != nil && at+endSize+int64(u16(end[20:])) == z.base {
			r.front = z.base
		}
	}
	if z.tail+localSize > r.size {
		return nil
	}
	if err := readAt(r.at, head[:], z.tail); err != nil {
		return err
	}
	if u32(head[:]) == localSignature {
		r.behind = z.tail
	}
	return nil
}

// joined goes on with the zip in front of the one at hand, and reports whether there is one: of files
// that were joined the last one has the directory at the end.
func (r *Reader) joined() bool {
	if r.front == 0 {
		return r.joinedCut()
	}
	size, head := r.front, [4]byte{'P', 'K', 3, 4}
	part := io.NewSectionReader(r.at, 0, size)
	r.front = 0
	format, err := openZip(part, size, head, r.limits)
	if err != nil && r.lost == nil {
		r.lost = asError(err)
	}
	switch {
	case err == nil:
		if z, ok := format.(*zipFile); ok {
			r.front = z.base
		}
	case mayBeSalvaged(err):
		format = newSalvage(part, 0, size, r.limits)
	default:
		return false
	}
	r.goOn(format)
	return true
}

// joinedCut goes on with a zip behind the one at hand that lacks its directory.
func (r *Reader) joinedCut() bool {
	if r.behind == 0 {
		return false
	}
	if r.lost == nil {
		r.lost = truncated("the directory of the last of several zips in it is missing")
	}
	r.goOn(newSalvage(r.at, r.behind, r.size, r.limits))
	r.behind = 0
	return true
}

// goOn takes up the next zip. Its names are its own.
func (r *Reader) goOn(next format) {
	r.passed, r.format, r.names = max(r.passed, r.format.done()), next, seen{}
}
