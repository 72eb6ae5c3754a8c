#!/bin/sh
# Runs tests, and those that failed again: .ci/again.sh LOG COMMAND PACKAGE...
#
# COMMAND is a go test with its flags, as words that spaces part. What it prints goes to LOG, too.
# Where nothing failed but at most three tests, each of them is run by itself, and has to pass three
# times, and so has its package once, which looks for goroutines that were left behind only then; then
# all is well, and LOG.once names the tests. Everything else stays a failure: a build, a panic, a
# timeout, a data race, a package that fails without naming a test or ends before its last one,
# more than a few cases of a test, and what chance decides, since it would pass by chance.
set -eu
log=$1 command=$2
shift 2
mkdir -p "$(dirname "$log")"
rm -f "$log.once"

# kept FILE COMMAND... is the command, whose output goes to the file, too.
kept() {
  file=$1
  shift
  { "$@" 2>&1 </dev/null && echo 0 >"$file.status" || echo $? >"$file.status"; } | tee "$file"
  return "$(cat "$file.status")"
}

# shellcheck disable=SC2086 # the command is words
kept "$log" $command "$@" && exit 0
status=$(cat "$log.status")
[ "$status" = 1 ] || exit "$status"

awk '
  /^[ \t]*(panic|fatal error|unexpected fault address|SIG[A-Z]*): / || /DATA RACE|race detected|found unexpected goroutines/ ||
  /^[ \t]*(signal: |exit status ([2-9]|1[0-9]))/ || /exit status 66/ || /[^ \t].*--- FAIL: / || /\[rapid\]/ { other = 1 }
  /^[ \t]*--- FAIL: / { lines++; if (tolower($3) ~ /crash|kill|race|once|model|random|noninterference/) other = 1 }
  /^--- FAIL: / { if ($3 !~ /^Test[A-Za-z0-9_]*$/) other = 1; test[++n] = $3 }
  /^FAIL$/ { whole = 1 }
  /^FAIL\t/ { if (!n || !whole) other = 1; for (i = 1; i <= n; i++) print $2, test[i]; all += n; n = whole = 0 }
  END { exit other || n || !all || all > 3 || lines > 6 }
' "$log" >"$log.failed" || exit 1

while read -r package test; do
  printf '\n== failed: %s %s; once more, three times, by itself\n' "$package" "$test"
  # shellcheck disable=SC2086 # as above
  kept "$log.again" $command -v -count=3 -run "^$test\$" "$package" || exit 1
  passed=$(grep -c "^--- PASS: $test (" "$log.again") || :
  if [ "$passed" != 3 ]; then
    echo ".ci/again.sh: $test passed $passed times of 3"
    exit 1
  fi
done <"$log.failed"
cut -d ' ' -f 1 "$log.failed" | sort -u >"$log.packages"
while read -r package; do
  printf '\n== %s, whole, once more\n' "$package"
  # shellcheck disable=SC2086 # as above
  kept "$log.again" $command "$package" || exit 1
done <"$log.packages"
sed 's/^/FAILED ONCE UNDER LOAD: /' "$log.failed" | tee "$log.once"
