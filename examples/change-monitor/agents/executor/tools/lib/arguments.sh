# Reads a tool's arguments, one JSON object, in a POSIX shell. Sourced by the
# tools; $here is the folder of the tool.

# fail MESSAGE ends the call with an error.
fail() {
	printf '%s\n' "$1" >&2
	exit 1
}

# arguments NAME=TYPE... reads one JSON object from standard input and sets
# variables for each NAME, empty if the argument is absent or null:
#
#   string   NAME is the text, NAME_json the JSON string
#   boolean  NAME is true or false
#   integer  NAME is decimal digits, with a minus sign if negative
#   strings  NAME_json is a JSON array of strings on one line
#
# Any other member, type or fault in the input ends the call.
arguments() {
	# Bytes are bytes: all awks then agree on what a character is.
	assignments=$(LC_ALL=C awk -v wanted="$*" -f "$here/lib/arguments.awk") || exit 1
	eval "$assignments"
}
