package archive

import (
	"errors"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The codes of this package's errors. They are the connector's own, reported in a
// SKIP_RESULT or a DONE, not the host's.
const (
	// CodeNotArchive: the file is neither a zip nor a gzip.
	CodeNotArchive abi.Code = "archive.not_an_archive"
	// CodeTruncated: the file ends before the archive does.
	CodeTruncated abi.Code = "archive.truncated"
	// CodeCorrupt: the bytes contradict the format, each other or a checksum.
	CodeCorrupt abi.Code = "archive.corrupt"
	// CodeEncrypted: an entry, or the directory, needs a password.
	CodeEncrypted abi.Code = "archive.encrypted"
	// CodeUnsupported: a valid archive or entry that this reader does not read.
	CodeUnsupported abi.Code = "archive.unsupported"
	// CodeUnsafeName: the name leads out of the archive, or is no path.
	CodeUnsafeName abi.Code = "archive.unsafe_name"
	// CodeDuplicateName: an earlier entry has the same name; that one counts.
	CodeDuplicateName abi.Code = "archive.duplicate_name"
	// CodeNested: the entry is an archive itself.
	CodeNested abi.Code = "archive.nested"
	// CodeTooLarge: above one of Limits.
	CodeTooLarge abi.Code = "archive.too_large"
	// CodeRead: the file cannot be read.
	CodeRead abi.Code = "archive.read_failed"
)

func truncated(what string) *abi.Error {
	return &abi.Error{Code: CodeTruncated, Message: "the archive ends too early", Detail: what,
		Hint: "download it again, and wait until it is there whole"}
}

func corrupt(what string) *abi.Error {
	return &abi.Error{Code: CodeCorrupt, Message: "the archive is damaged", Detail: what, Hint: "download it again"}
}

func unsupported(what string) *abi.Error {
	return &abi.Error{Code: CodeUnsupported, Message: "this kind of archive is not supported", Detail: what,
		Hint: "pack it as an ordinary zip or tar.gz"}
}

func tooLarge(what string) *abi.Error {
	return &abi.Error{Code: CodeTooLarge, Message: "the archive exceeds a limit of its reader", Detail: what}
}

// encrypted is the error for something that needs a password.
func encrypted(what string) *abi.Error {
	return &abi.Error{Code: CodeEncrypted, Message: "the archive is encrypted, and nobody gave its reader a password", Detail: what,
		Hint: "unpack it with its password, and pack it again without one"}
}

// asError gives an error of a decoder or a file one of this package's codes.
func asError(err error) error {
	var e *abi.Error
	switch {
	case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
		return err
	case asOurs(err, &e):
		return e
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // as the decoders return it
		return truncated("in the middle of an entry").Wrap(err)
	case isDecoder(err):
		return corrupt("its packed bytes are not valid").Wrap(err)
	}
	return (&abi.Error{Code: CodeRead, Message: "the archive cannot be read"}).Wrap(err)
}

// asOurs is errors.As without reflection.
func asOurs(err error, to **abi.Error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*abi.Error); ok { //nolint:errorlint // this is the walk that errors.As would do
			*to = e
			return true
		}
	}
	return false
}
