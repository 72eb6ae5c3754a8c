#!/bin/sh
# Runs every fuzz target of the tree, one after another: fuzz.sh DURATION
set -eu
cd "$(dirname "$0")/.."
time=${1:-30s}
git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | while read -r file; do
  dir=./$(dirname "$file")
  grep -o '^func Fuzz[A-Za-z0-9_]*' "$file" | cut -c6- | while read -r target; do
    echo "== $dir $target"
    ${GO:-go} test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time"
  done
done
