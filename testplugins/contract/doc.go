// Package contract is the ABI contract suite: it checks any module, in any language,
// against the clauses of abi/ABI.md and names the clause that fails. `pdpp-host plugin
// test` runs it for authors, and CI runs it on every plugin in the tree.
//
// It judges from outside, over the same engine, boundary and store that a real run
// uses, with a temporary store. It sees nothing of a module's source. In: a module and
// the folders it may read. Out: a Report.
package contract
