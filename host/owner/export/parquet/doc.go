// Package parquet writes Parquet files of flat rows: optional columns of text, JSON,
// numbers, whole numbers, truths and instants, in one plainly encoded page a column and row group, compressed
// with gzip. It writes what the format's readers must know and nothing else of the format.
//
// A row group is written once it is large enough, so that memory holds one of them, and of those
// before it where they begin. The caller chooses columns and values: host/owner/export makes
// both of records.
package parquet
