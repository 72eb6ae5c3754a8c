// Package export writes records as JSON Lines, CSV or Parquet. Records come in one by one, as
// the store keeps them; nothing is held but the columns of a CSV or a Parquet file, and one
// row group of that. Its file format is in the folder parquet.
// host/owner/data and the command line read the records, and open what is written to.
package export
