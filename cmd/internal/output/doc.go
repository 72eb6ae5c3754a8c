// Package output is how a command speaks: the one JSON envelope, the
// three-part error, tables, colours and numbers, each written once.
//
// Results go to standard output, everything else to standard error. Text that
// came from a guest or a file passes Clean before it reaches a terminal. It
// knows no command and no package of the host but abi.
package output
