# Reads one JSON object and prints shell assignments for the members named in
# `wanted`, a list of name=type. The whole input is checked (RFC 8259); any
# fault, unknown member or wrong type prints a message and exits 1.
#
# Every value is single-quoted and quotes inside it are escaped, so that the
# shell that evaluates the assignments sees text, never code.

BEGIN {
	n = split(wanted, pair, " ")
	for (i = 1; i <= n; i++) {
		split(pair[i], part, "=")
		names[i] = part[1]
		type[part[1]] = part[2]
	}
	plain["\""] = "\""; plain["\\"] = "\\"; plain["/"] = "/"
	plain["b"] = "\b"; plain["f"] = "\f"; plain["n"] = "\n"
	plain["r"] = "\r"; plain["t"] = "\t"
	for (i = 0; i < 16; i++)
		digit[substr("0123456789abcdef", i + 1, 1)] = i
}

{ text = text (NR > 1 ? "\n" : "") $0 }

END {
	at = 1
	space()
	if (substr(text, at, 1) != "{")
		fault("the arguments are not a JSON object")
	members()
	space()
	if (at <= length(text))
		fault("there is more after the arguments")
	for (i = 1; i <= n; i++)
		printf "%s='%s'\n%s_json='%s'\n", names[i], shell(text_of[names[i]]), names[i], shell(json_of[names[i]])
}

# members reads the outermost object; its strings go through argument.
function members(   name, open) {
	at++
	space()
	if (substr(text, at, 1) == "}") {
		at++
		return
	}
	do {
		space()
		string()
		name = decoded
		if (!(name in type))
			fault("there is no argument '" name "'")
		if (name in seen)
			fault("'" name "' is given twice")
		seen[name] = 1
		expect(":")
		argument(name)
		open = separator("}")
	} while (open)
}

# argument reads one value and keeps it if its type is the wanted one.
function argument(name,   raw, kind) {
	space()
	strings = 1
	nul = 0
	raw = value(1)
	kind = substr(raw, 1, 1)
	if (raw == "null")
		return
	if (nul)
		fault("'" name "' contains a NUL character")
	json_of[name] = raw
	if (type[name] == "string" && kind == "\"")
		text_of[name] = decoded
	else if (type[name] == "boolean" && (raw == "true" || raw == "false"))
		text_of[name] = raw
	else if (type[name] == "integer" && raw ~ /^-?[0-9]+(\.0+)?$/) {
		sub(/\..*/, "", raw)
		text_of[name] = raw
	} else if (type[name] != "strings" || kind != "[" || !strings)
		fault("'" name "' has to be " (type[name] == "strings" ? "an array of strings" : type[name]) ", not " substr(raw, 1, 40))
}

# value reads any value and returns it without white space. It clears
# `strings` unless the value is an array of strings.
function value(depth,   c, rest, close_, out, open) {
	if (depth > 64)
		fault("the arguments are nested too deep")
	space()
	c = substr(text, at, 1)
	if (c == "\"")
		return string()
	if (c == "{" || c == "[") {
		if (c == "{" || depth > 1)
			strings = 0
		close_ = c == "{" ? "}" : "]"
		out = c
		at++
		space()
		if (substr(text, at, 1) == close_) {
			at++
			return out close_
		}
		do {
			if (c == "{") {
				space()
				out = out string() ":"
				expect(":")
			}
			space()
			if (depth == 1 && substr(text, at, 1) != "\"")
				strings = 0
			out = out value(depth + 1)
			open = separator(close_)
			out = out (open ? "," : close_)
		} while (open)
		return out
	}
	rest = substr(text, at, 400)
	if (match(rest, /^(true|false|null)/) || match(rest, /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) {
		out = substr(rest, 1, RLENGTH)
		at += RLENGTH
		if (substr(text, at, 1) ~ /[A-Za-z0-9.+-]/)
			fault("'" substr(rest, 1, 20) "' is not a value")
		return out
	}
	fault(c == "\n" || c == "" ? "the arguments end too early" : "'" c "' is not the start of a value")
}

# string reads a string, leaves its text in `decoded` and returns it as written.
function string(   start, chunk, c, out) {
	if (substr(text, at, 1) != "\"")
		fault("a name or string in double quotes is missing")
	start = at++
	out = ""
	for (;;) {
		chunk = substr(text, at, 256)
		if (!match(chunk, /["\\\001-\037]/)) {
			if (chunk == "")
				fault("a string does not end")
			out = out chunk
			at += length(chunk)
			continue
		}
		out = out substr(chunk, 1, RSTART - 1)
		at += RSTART - 1
		c = substr(text, at, 1)
		if (c == "\"")
			break
		if (c != "\\")
			fault("a string contains a raw control character")
		c = substr(text, at + 1, 1)
		if (c == "u")
			out = out unicode()
		else if (c in plain) {
			out = out plain[c]
			at += 2
		} else
			fault("a string contains the unknown escape \\" c)
	}
	at++
	decoded = out
	return substr(text, start, at - start)
}

# unicode reads \uXXXX, or two that are one character, and returns UTF-8. Half
# a pair becomes U+FFFD.
function unicode(   code, low) {
	code = hex(at)
	at += 6
	if (code >= 55296 && code <= 56319 && substr(text, at, 2) == "\\u") {
		low = hex(at)
		if (low >= 56320 && low <= 57343) {
			at += 6
			return utf8(65536 + (code - 55296) * 1024 + low - 56320)
		}
	}
	if (code >= 55296 && code <= 57343)
		code = 65533
	return utf8(code)
}

function hex(from,   i, c, code) {
	code = 0
	for (i = 2; i < 6; i++) {
		c = tolower(substr(text, from + i, 1))
		if (!(c in digit))
			fault("\\u is not followed by four hexadecimal digits")
		code = code * 16 + digit[c]
	}
	return code
}

function utf8(code) {
	if (code == 0)
		nul = 1 # no shell variable can hold it
	if (code < 128)
		return sprintf("%c", code)
	if (code < 2048)
		return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
	if (code < 65536)
		return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
	return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}

# separator passes a comma (returns 1) or the closing bracket (returns 0).
function separator(close_,   c) {
	space()
	c = substr(text, at, 1)
	if (c != "," && c != close_)
		fault("a ',' or '" close_ "' is missing")
	at++
	return c == ","
}

function expect(c) {
	space()
	if (substr(text, at, 1) != c)
		fault("a '" c "' is missing")
	at++
}

function space() {
	while (substr(text, at, 1) ~ /^[ \t\r\n]$/)
		at++
}

function shell(s) {
	gsub(/'/, "'\\''", s)
	return s
}

function fault(message) {
	print message > "/dev/stderr"
	exit 1
}
