// Package question keeps what running runs ask their owners, with the sealed answers until
// the runs have taken them.
//
// It holds a guest's words as they came, and sealed bytes. It does not hold the key to them
// (host/vault), nor what may be shown of the words (host/owner/questions).
package question
