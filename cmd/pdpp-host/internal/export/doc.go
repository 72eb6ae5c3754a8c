// Package export writes records as JSON Lines or CSV. Records come in one by
// one, as the store keeps them; nothing is held but the columns of a CSV.
package export
