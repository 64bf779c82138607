package highlight

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// languageOf returns the language of a file, "" if it is none we know. A
// script without an extension says it in its first line.
func languageOf(name, src string) string {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	for _, l := range languages() {
		if contains(l.files, base) || contains(l.extensions, ext) {
			return l.name
		}
	}
	first, _, _ := strings.Cut(src, "\n")
	if interpreter, ok := strings.CutPrefix(first, "#!"); ok && ext == "" {
		for _, l := range languages() {
			for word := range strings.FieldsFuncSeq(interpreter, func(r rune) bool { return r == '/' || r == ' ' || r == '\r' }) {
				if contains(l.interpreters, strings.TrimRight(word, "0123456789.")) {
					return l.name
				}
			}
		}
	}
	return ""
}

// contains reports whether a list of words has that word.
func contains(list, word string) bool {
	return word != "" && strings.Contains(" "+list+" ", " "+word+" ")
}

// A language is known by its files. The lists have spaces between words, in
// lower case.
type language struct {
	name, extensions, files, interpreters string
}

func languages() []language {
	return []language{
		{name: "go", extensions: ".go", files: "go.mod go.work"},
		{name: "json", extensions: ".json .jsonl .ndjson .jsonc .json5 .webmanifest", files: ".luaurc"},
		{name: "markdown", extensions: ".md .mdx .markdown .mkd"},
		{name: "yaml", extensions: ".yaml .yml", files: ".clang-format"},
		{name: "toml", extensions: ".toml", files: "cargo.lock poetry.lock uv.lock pipfile"},
		{name: "ini", extensions: ".ini .cfg .conf .properties .service .env", files: ".editorconfig .gitconfig .npmrc"},
		{name: "python", extensions: ".py .pyi .pyw", interpreters: "python pypy"},
		{name: "javascript", extensions: ".js .mjs .cjs .jsx", interpreters: "node bun"},
		{name: "typescript", extensions: ".ts .tsx .mts .cts", interpreters: "deno ts-node"},
		{
			name: "bash", extensions: ".sh .bash .zsh .ksh", interpreters: "sh bash zsh ksh dash",
			files: ".bashrc .bash_profile .profile .zshrc .envrc pkgbuild",
		},
		{name: "html", extensions: ".html .htm .xhtml"},
		{name: "css", extensions: ".css"},
		{name: "sql", extensions: ".sql"},
		{name: "rust", extensions: ".rs"},
		{name: "c", extensions: ".c .h .cc .cpp .cxx .hpp .hh"},
		{name: "java", extensions: ".java"},
		{name: "ruby", extensions: ".rb .gemspec .rake", files: "gemfile rakefile", interpreters: "ruby"},
		{name: "docker", extensions: ".dockerfile", files: "dockerfile containerfile"},
		{name: "makefile", extensions: ".mk .mak", files: "makefile gnumakefile"},
		{name: "diff", extensions: ".diff .patch"},
	}
}

//go:embed lexers/*.xml
var files embed.FS

// newLexer returns the lexer of one language. Only what it needs is read, the
// lexers of languages inside of it included.
func newLexer(name string) (chroma.Lexer, error) {
	registry := chroma.NewLexerRegistry()
	for _, inner := range inside(name) {
		lexer, err := loadLexer(inner)
		if err != nil {
			return nil, err
		}
		registry.Register(lexer)
	}
	lexer, err := loadLexer(name)
	if err != nil {
		return nil, err
	}
	return registry.Register(lexer), nil
}

// inside names the languages that a file of another may have in it.
func inside(name string) []string {
	switch name {
	case "html":
		return []string{"css", "javascript"}
	case "docker":
		return []string{"bash", "json"}
	case "makefile":
		return []string{"bash"}
	case "markdown":
		return []string{"yaml"}
	}
	return nil
}

func loadLexer(name string) (*chroma.RegexLexer, error) {
	var lexer *chroma.RegexLexer
	var err error
	switch name {
	case "go":
		lexer, err = chroma.NewLexer(&chroma.Config{Name: "Go"}, goRules)
	case "markdown":
		lexer, err = chroma.NewLexer(&chroma.Config{Name: "Markdown"}, markdownRules)
	default:
		lexer, err = chroma.NewXMLLexer(files, "lexers/"+name+".xml")
	}
	if err != nil {
		return nil, fmt.Errorf("load the lexer of %s: %w", name, err)
	}
	return lexer, nil
}
