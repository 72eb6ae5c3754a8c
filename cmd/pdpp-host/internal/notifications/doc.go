// Package notifications has the commands of notifications: list, add, test and remove
// channels, and change the settings.
package notifications
