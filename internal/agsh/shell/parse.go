package shell

import (
	"fmt"
	"strings"
)

// Parse reads a whole script. Nothing of it may run if any of it is wrong: a
// mistake in line 3 is reported while lines 1 and 2 can still be mended too.
// (bash runs line by line and would have done half the work.) The error is a
// [*SyntaxError]. An empty script, or one of comments, has no pipelines.
func Parse(src string) (*Script, error) {
	p := parser{lex: newLexer(src)}
	if err := p.advance(); err != nil {
		return nil, err
	}
	s := &Script{}
	when, after := Always, ""
	for {
		if err := p.skipNewlines(); err != nil {
			return nil, err
		}
		if when == Always && p.tok.kind == end {
			return s, nil
		}
		stages, err := p.pipeline(after)
		if err != nil {
			return nil, err
		}
		s.Pipelines = append(s.Pipelines, Pipeline{When: when, Stages: stages})
		switch p.tok.kind {
		case end:
			return s, nil
		case and:
			when = IfSucceeded
		case or:
			when = IfFailed
		default:
			when = Always
		}
		after = p.tok.text
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// Split returns the words of one simple command, nil if there are none.
func Split(line string) ([]string, error) {
	s, err := Parse(line)
	if err != nil || len(s.Pipelines) == 0 {
		return nil, err
	}
	first := s.Pipelines[0]
	switch {
	case len(first.Stages) > 1:
		return nil, &SyntaxError{Pos: first.Stages[1].Pos, Msg: "one command is wanted, not a pipeline; quote | to pass it as text"}
	case len(s.Pipelines) > 1:
		return nil, &SyntaxError{Pos: s.Pipelines[1].Stages[0].Pos, Msg: "one command is wanted, not several; quote ; && or || to pass it as text"}
	}
	return first.Stages[0].Words, nil
}

// Quote writes w so that Split, and sh, read it as one word of that value.
func Quote(w string) string {
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// plain are the bytes that need no quotes in agsh or in sh, wherever in a word
// they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"

type parser struct {
	lex *lexer
	tok token
}

func (p *parser) advance() error {
	var err error
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) skipNewlines() error {
	for p.tok.kind == newline {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// pipeline reads stages up to an operator that ends them. after is the
// operator before the pipeline, for messages.
func (p *parser) pipeline(after string) ([]Stage, error) {
	var stages []Stage
	for {
		stage, err := p.stage(after)
		if err != nil {
			return nil, err
		}
		stages = append(stages, stage)
		if p.tok.kind != pipe {
			return stages, nil
		}
		after = p.tok.text
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.skipNewlines(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) stage(after string) (Stage, error) {
	stage := Stage{Pos: p.tok.pos}
	for p.tok.kind == word {
		stage.Words = append(stage.Words, p.tok.text)
		if err := p.advance(); err != nil {
			return Stage{}, err
		}
	}
	switch {
	case len(stage.Words) > 0:
		return stage, nil
	case p.tok.kind == end:
		return Stage{}, &SyntaxError{Pos: p.tok.pos, Msg: "a command is missing after " + after, Incomplete: true}
	default:
		return Stage{}, &SyntaxError{Pos: p.tok.pos, Msg: fmt.Sprintf("a command is missing before %s", p.tok.text)}
	}
}
