// Command example_shop is an example of a connector that uses a browser: it collects the orders
// of a shop that does not exist, with their invoices, and signs its owner in where that is
// needed. testplugins/sites has the shop.
package main
