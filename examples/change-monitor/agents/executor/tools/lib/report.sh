# Writes reports. Sourced after arguments.sh; the current folder is the
# session's workspace.

# change_id ID ends the call unless ID can name a change.
change_id() {
	case $1 in
	'') fail "change: it is missing; give the commit or range that was watched" ;;
	[!A-Za-z0-9]* | *[!A-Za-z0-9._/^~-]*) fail "change: '$1' is not a commit or range" ;;
	esac
	[ "${#1}" -le 200 ] || fail "change: it is longer than 200 characters"
}

# text NAME VALUE LIMIT ends the call unless VALUE says something in LIMIT bytes.
text() {
	case $2 in
	*[![:space:]]*) ;;
	*) fail "$1: it is missing or empty" ;;
	esac
	[ "${#2}" -le "$3" ] || fail "$1: it is longer than $3 bytes"
}

# record MEMBERS adds one report to reports.jsonl and prints what was recorded.
# MEMBERS are those of a JSON object.
record() {
	# The agent can write here too: it must not choose where we write.
	[ ! -L reports.jsonl ] || fail "reports.jsonl is a link; reports are only written to a file of the workspace"
	line=$(mktemp "${TMPDIR:-/tmp}/report.XXXXXX") || fail "no temporary file can be made in ${TMPDIR:-/tmp}"
	trap 'rm -f "$line"' EXIT
	printf '{"at":"%s",%s}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >"$line"
	# One write by cat: lines of calls at the same time do not mix.
	cat "$line" >>reports.jsonl || fail "reports.jsonl cannot be written"
	printf '{"recorded":true,"file":"reports.jsonl","reports":%d,%s}\n' "$(wc -l <reports.jsonl)" "$1"
}
