package sqlitefile

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of this package's errors. They are the connector's own, reported
// in a SKIP_RESULT or a DONE, not the host's.
const (
	// CodeCorrupt: the bytes break the file format, or changed while being read.
	CodeCorrupt abi.Code = "sqlitefile.corrupt"
	// CodeNotDatabase: the file does not start like a SQLite database.
	CodeNotDatabase abi.Code = "sqlitefile.not_a_database"
	// CodeUnsupported: a valid file that this reader does not read.
	CodeUnsupported abi.Code = "sqlitefile.unsupported"
	// CodeTooLarge: above one of Limits.
	CodeTooLarge abi.Code = "sqlitefile.too_large"
	// CodeRead: the underlying stream failed.
	CodeRead abi.Code = "sqlitefile.read_failed"
	// CodeNoTable: the schema has no such table.
	CodeNoTable abi.Code = "sqlitefile.no_table"
)

func corrupt(what string) error {
	return &abi.Error{Code: CodeCorrupt, Message: "the database file is damaged or was changed while it was read", Detail: what,
		Hint: "try again when the program that writes it is idle"}
}

func unsupported(what string) error {
	return &abi.Error{Code: CodeUnsupported, Message: "this kind of database is not supported", Detail: what}
}

func tooLarge(what string) error {
	return &abi.Error{Code: CodeTooLarge, Message: "the database is larger than this reader's limits", Detail: what}
}

func readFailed(err error) error {
	return (&abi.Error{Code: CodeRead, Message: "the database file cannot be read"}).Wrap(err)
}
