// Package sha256 is SHA-256 (FIPS 180-4) for guests.
//
// It exists because of speed: hashing is half of the cost of reading an unchanged part
// of a file. The standard library's portable code runs at 50 to 60 MB/s in a guest (std
// Go under wazero); this one, whose rounds are unrolled so that no value moves between
// variables, at twice that. It also keeps the standard library's cryptographic module
// and its self-tests out of guests.
//
// It fingerprints files. Do not use it on secrets: nothing is erased, nothing is
// hardened. A fuzz test compares it with crypto/sha256.
package sha256
