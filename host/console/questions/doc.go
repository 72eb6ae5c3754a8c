// Package questions has the pages of what runs ask their owner: the list, and one question
// with the form of its answer. No page shows again what its owner typed.
//
// A connector's words stand there as a quotation of their own, and never in a sentence of the
// host or as the name of a field (OC-18.4).
package questions
