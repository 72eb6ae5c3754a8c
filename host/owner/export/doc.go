// Package export writes records as JSON Lines or CSV. Records come in one by
// one, as the store keeps them; nothing is held but the columns of a CSV.
// host/owner/data and the command line read the records, and open what is written to.
package export
