// Package words has every sentence of the console (OC-16). Templates hold none of their own,
// which a test looks at; a verdict's sentences are health/verdict's, and an error's are those
// of the operation that refuses.
package words
