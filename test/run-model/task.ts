/** The program that every task of a story is: it notes that it began, does as planned, and ends. */

export const TASK = `root=$1 run=$2 version=$3
shift 3
key=none
read -r key <"$root/keys/$run.$version.$JOB_COMPLETION_INDEX"
set -C
attempt=1
until true 2>/dev/null >"$root/attempts/$key.$attempt"; do attempt=$((attempt + 1)); done
set +C
for each; do printf '%s\\0' "$each"; done >"$root/values/$key.$attempt"
finish() {
  echo "E $key $attempt $1" >>"$root/journal"
  exit "$1"
}
trap 'finish 143' TERM
facts=$(umask; ulimit -Sf)
set -- $facts
place="\${WORD:-none} $1 $2 \${PWD##*/}"
echo "B $run $version $JOB_COMPLETION_INDEX $key $attempt $$ $PPID $place" >>"$root/journal"
code=0 lines=1 held=0
plan="$root/plans/$key.$attempt"
[ -e "$plan" ] || plan="$root/plans/$key.after"
[ ! -e "$plan" ] || read -r code lines held <"$plan"
line=1
while [ "$line" -le "$lines" ]; do
  echo "<$key.$attempt.$line>"
  line=$((line + 1))
done
echo "<$key.$attempt.e>" >&2
if [ "$held" = 1 ]; then
  until [ -e "$root/go/$run" ]; do sleep 0.02; done
fi
finish "$code"
`;
