#!/bin/sh
# A repository with three commits.
git init -q demo && cd demo || exit
for version in one two three; do
  echo "echo \"built $version\"" > build.sh
  git add build.sh
  git -c user.name=demo -c user.email=demo@example.com -c commit.gpgsign=false commit -q -m "$version"
done
