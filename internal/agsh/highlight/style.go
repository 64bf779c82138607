package highlight

import (
	"github.com/alecthomas/chroma/v2"

	"agsh.dev/internal/term/theme"
)

// styleOf is the style of a kind of token. Names, operators and what a lexer
// takes for a mistake have none: colour is to help reading, not to fill.
func styleOf(kind chroma.TokenType, t theme.Theme) theme.Style {
	switch kind {
	case chroma.KeywordConstant:
		return t.Literal
	case chroma.KeywordType, chroma.NameClass:
		return t.Type
	case chroma.NameTag, chroma.NameAttribute, chroma.NameProperty:
		return t.Key
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameDecorator:
		return t.Function
	case chroma.CommentPreproc, chroma.CommentPreprocFile, chroma.OperatorWord:
		return t.Keyword
	case chroma.LiteralDate:
		return t.Number
	case chroma.GenericHeading, chroma.GenericStrong:
		return t.Heading
	case chroma.GenericSubheading:
		return t.Key
	case chroma.GenericEmph, chroma.GenericUnderline:
		return t.Underline
	case chroma.GenericInserted:
		return t.Added
	case chroma.GenericDeleted:
		return t.Removed
	default:
		return styleOfGroup(kind, t)
	}
}

func styleOfGroup(kind chroma.TokenType, t theme.Theme) theme.Style {
	switch {
	case kind.InCategory(chroma.Keyword):
		return t.Keyword
	case kind.InCategory(chroma.Comment):
		return t.Comment
	case kind.InSubCategory(chroma.LiteralString):
		return t.String
	case kind.InSubCategory(chroma.LiteralNumber):
		return t.Number
	}
	return ""
}
