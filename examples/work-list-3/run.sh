#!/bin/sh
# Build a program at several commits. Each is built in a directory of its own: all at once in one
# checkout would build a mixture.
cd "$(dirname "$0")" || exit
[ -d demo ] || sh make-demo.sh
tally run build-commits --per-completion-env=HASH="$(git -C demo log --reverse --format=%h)" -- \
  sh -c 'mkdir -p build/$HASH &&
    git -C demo archive $HASH | tar -x -C build/$HASH &&
    sh build/$HASH/build.sh VERSION=$HASH'
