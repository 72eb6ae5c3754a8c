// Package given holds the connectors of files to what they were given (AC-14): each of them, run
// as a module by the built host, over odd folders, and what the verdict says of each.
//
// Here: the matrix, generated from one small good export of each connector (matrix_test.go), also
// with names in other languages and in parts (names_test.go), and the property over folders whose
// items are known (folders_test.go, property_test.go: AC-15).
// Not here: what is right for single inputs, which is beside each connector.
package given
