//go:build wasip1

// Command scripted is a guest that does what the option "script" of its START
// says, call by call, over the bare ABI and without the SDK. It plays every
// honest and most dishonest parts of the tests: what it sends is sent as it
// stands, however wrong.
//
// A script is one command a line:
//
//	emit|state|gap|coverage|skip|progress|done TEXT   the call with TEXT as payload; \n in TEXT is a new line
//	bytes CALL HEX         the call with these bytes
//	pointer CALL PTR LEN   the call with a pointer and a length of its own
//	big CALL N             the call with N bytes
//	pad N CALL TEXT        the call with TEXT, whose @ stands for N letters
//	flood CALL N TEXT      the call N times
//	repeat N COMMAND       the command N times; # in it counts from 0
//	when WORD COMMAND      the command, when START holds WORD, which has no space
//	unless WORD COMMAND    the command, when it does not
//	finish                 DONE succeeded, counting what emit (a record each) and records sent
//	submit OP TEXT         one request, waited for and read; OP is a number
//	pending OP TEXT        one request, not waited for
//	wait MS                wait; the result is the handle
//	expect TEXT            trap unless the last answer contains TEXT
//	error TEXT             trap unless last_error contains TEXT
//	result N               trap unless the last call returned N
//	records STREAM FROM TO well-formed records with keys FROM..TO-1 on a stream with primary key id
//	log N TEXT             TEXT, N times, to the log
//	stdout N TEXT          TEXT, N times, to standard output
//	stderr N TEXT          TEXT, N times, to standard error
//	loop | recurse | hunger | poll | trap | sleep MS | exit N | return N
//	open PATH TEXT         trap unless the file at PATH begins with TEXT
//	denied PATH            trap unless opening PATH fails
//	unwritable PATH        trap unless writing PATH fails
//	list PATH              log the names in a folder
//	bare                   trap when there is an environment, an argument or a standard input
//
// Without a script it says DONE succeeded.
package main
