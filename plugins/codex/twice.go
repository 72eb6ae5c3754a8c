package main

import (
	"io/fs"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// twice returns what becomes of the rollouts that are there in another form, plain or compressed, which has all that
// they have. A damaged one may have had more.
func (r *run) twice(list []files.Entry, fileOf func(files.Entry) rolloutFile, unpacked fs.FS) map[string]fate {
	plain, twice := map[string]rolloutFile{}, map[string]fate{}
	for _, e := range list {
		if fateOf(e.Path) == fateRollout {
			plain[e.Path+zstd.Suffix] = fileOf(e)
		}
	}
	for _, e := range list {
		f, there := plain[e.Path]
		if !there {
			continue
		}
		packed := fileOf(e)
		if r.isPlain(&packed) {
			continue
		}
		switch repeated(&f, &packed, unpacked) {
		case fatePacked:
			twice[e.Path] = fateTwice
			if damage := faultOf(unpacked); damage != nil {
				twice[e.Path] = fateBroken
				r.noteBroken(packed.path, damage.Kind.Error(), damage.Offset)
			}
		case fateRollout:
			twice[e.Path[:len(e.Path)-len(zstd.Suffix)]] = fateTwice
		default:
		}
	}
	return twice
}

// repeated returns which one of a plain and a compressed rollout has nothing that the other one lacks: fateRollout
// or fatePacked, or else fateUnknown, as where one of them cannot be read. Of two that are the same the plain one
// counts, as for Codex, which appends to it.
func repeated(plain, packed *rolloutFile, unpacked fs.FS) fate {
	info, err := fs.Stat(unpacked, packed.name)
	if err != nil {
		return fateUnknown
	}
	both := min(plain.Size, info.Size())
	head, tail, err := filecursor.Guards(plain.root, plain.name, both)
	if err != nil {
		return fateUnknown
	}
	head2, tail2, err := filecursor.Guards(unpacked, packed.name, both)
	switch {
	case err != nil || head != head2 || tail != tail2:
		return fateUnknown
	case plain.Size < info.Size():
		return fateRollout
	}
	return fatePacked
}

// faultOf returns where the compressed file is damaged that was looked at last.
func faultOf(unpacked fs.FS) *zstd.Error {
	if packed, ok := unpacked.(*zstd.FS); ok {
		return packed.Fault()
	}
	return nil
}

// noteBroken tells of a compressed rollout that is damaged.
func (r *run) noteBroken(p, why string, at int64) {
	r.places.Note(broken, p+": "+why+" at byte "+strconv.FormatInt(at, 10), streamsOf(p)...)
}
