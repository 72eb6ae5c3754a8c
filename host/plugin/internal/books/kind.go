package books

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/plugin/internal/rootfs"
)

// The kinds of unread files, from their first bytes.
const (
	KindZip      = "zip"
	KindGzip     = "gzip"
	KindZstd     = "zstd"
	KindSQLite   = "SQLite"
	KindImage    = "image"
	KindPDF      = "PDF"
	KindJSON     = "JSON"
	KindText     = "text"
	KindEmpty    = "empty"
	KindUnlisted = "folder that cannot be listed"
	KindLink     = "link that leads out of the folder or nowhere, or has a path that begins with a slash"
	KindAway     = "file that iCloud has taken off this machine"
	KindMisnamed = "name that is not UTF-8"
	KindOther    = "other"
)

// Kinds lists the kinds.
var Kinds = []string{KindZip, KindGzip, KindZstd, KindSQLite, KindImage, KindPDF, KindJSON, KindText, KindEmpty, KindUnlisted, KindLink, KindAway, KindMisnamed, KindOther}

// magics are beginnings of files, by kind.
var magics = []struct{ magic, kind string }{
	{"PK\x03\x04", KindZip},
	{"PK\x05\x06", KindZip},
	{"\x1f\x8b", KindGzip},
	{"\x28\xb5\x2f\xfd", KindZstd},
	{"SQLite format 3\x00", KindSQLite},
	{"\x89PNG", KindImage},
	{"\xff\xd8\xff", KindImage},
	{"GIF8", KindImage},
	{"%PDF", KindPDF},
}

// headBytes is how much of a file is looked at.
const headBytes = 512

// kindOf is what a file seems to be; "" where it cannot be read.
func kindOf(root *os.Root, name string) string {
	f, err := root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "" // it was replaced by something whose bytes are not its own
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		if info, err := f.Stat(); err == nil && info.Size() == 0 {
			return KindEmpty
		}
		return ""
	}
	return kindOfBytes(head[:n])
}

func kindOfBytes(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.kind
		}
	}
	if len(head) > 8 && (string(head[4:8]) == "ftyp" || binary.BigEndian.Uint32(head) == 0x52494646) {
		return KindImage // HEIC, AVIF, WebP
	}
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	switch trimmed := bytes.TrimLeft(text, " \t\r\n"); {
	case bytes.IndexByte(text, 0) >= 0, !utf8.Valid(text[:max(0, len(text)-utf8.UTFMax)]):
		return KindOther
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		return KindJSON
	}
	return KindText
}
