package highlight

import "github.com/alecthomas/chroma/v2"

// goRules are the tokens of Go. go.mod has them too.
func goRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `\s+`, Type: chroma.TextWhitespace},
		{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
		{Pattern: `/\*[\s\S]*?\*/`, Type: chroma.CommentMultiline},
		{Pattern: "`[^`]*`", Type: chroma.LiteralStringBacktick},
		{Pattern: `"(?:\\.|[^"\\\n])*"`, Type: chroma.LiteralStringDouble},
		{Pattern: `'(?:\\[^\n'][^\n']*|\\'|[^'\\\n])'`, Type: chroma.LiteralStringChar},
		{
			Pattern: `(?:break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|` +
				`map|module|package|range|replace|require|return|select|struct|switch|toolchain|type|var)\b`,
			Type: chroma.Keyword,
		},
		{Pattern: `(?:true|false|nil|iota)\b`, Type: chroma.KeywordConstant},
		{
			Pattern: `(?:any|bool|byte|comparable|complex64|complex128|error|float32|float64|int|int8|int16|int32|int64|rune|` +
				`string|uint|uint8|uint16|uint32|uint64|uintptr)\b`,
			Type: chroma.KeywordType,
		},
		{Pattern: `[\p{L}_]\w*(?=\()`, Type: chroma.NameFunction},
		{Pattern: `[\p{L}_]\w*`, Type: chroma.Name},
		{
			Pattern: `0[xX][0-9a-fA-F_.]+(?:[pP][+-]?[0-9_]+)?i?|0[bBoO][0-9_]+i?|` +
				`(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?i?`,
			Type: chroma.LiteralNumber,
		},
		{Pattern: `[^\s\w"'./` + "`" + `]+|[\s\S]`, Type: chroma.Punctuation},
	}}
}

// markdownRules are what stands out in Markdown, and YAML before it.
func markdownRules() chroma.Rules {
	return chroma.Rules{"root": {
		{
			Pattern: `(\A---\r?\n)([\s\S]*?\n)(---[ \t]*\r?$)`,
			Type:    chroma.ByGroups(chroma.Comment, chroma.Using("YAML"), chroma.Comment),
		},
		{Pattern: `^ {0,3}#{1,6}(?:[ \t][^\n]*)?$`, Type: chroma.GenericHeading},
		{Pattern: "^[ \\t]*(```+|~~~+)[^\\n]*\\n(?:[\\s\\S]*?\\n[ \\t]*\\1[^\\n]*|[\\s\\S]*)", Type: chroma.LiteralString},
		{Pattern: `^ {0,3}>[^\n]*`, Type: chroma.Comment},
		{Pattern: `^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t])`, Type: chroma.Keyword},
		{Pattern: `<!--[\s\S]*?-->`, Type: chroma.Comment},
		{Pattern: "`[^`\\n]+`", Type: chroma.LiteralString},
		{Pattern: `\*\*[^*\s](?:[^*\n]*[^*\s])?\*\*|__[^_\s](?:[^_\n]*[^_\s])?__`, Type: chroma.GenericStrong},
		{
			Pattern: `(\[)([^\]\n]*)(\]\()([^)\n]*)(\))`,
			Type:    chroma.ByGroups(chroma.Punctuation, chroma.NameTag, chroma.Punctuation, chroma.GenericUnderline, chroma.Punctuation),
		},
		{Pattern: "\\w+[^\\n`*_\\[<]*|[^\\n`*_\\[<]+", Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}
