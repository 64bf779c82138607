package agentdir

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"agsh.dev/agent"
)

const skillFile = "SKILL.md"

// skills reads skills/: files, and folders with a SKILL.md.
func (r *agentReader) skills() {
	if !r.isDir("skills") {
		return
	}
	from := map[string]string{}
	for _, entry := range r.list("skills") {
		at := path.Join("skills", entry)
		info, ok := r.stat(at)
		if !ok {
			continue
		}
		s := agent.Skill{Name: entry, Dir: filepath.Join(r.dir, "skills", entry), File: skillFile}
		file := path.Join(at, skillFile)
		if info.IsDir() {
			if !r.skillFolder(at) {
				continue
			}
		} else {
			s.Name, ok = strings.CutSuffix(entry, ".md")
			if !ok {
				r.report(place{file: at}, EntryUnknown, "give it the ending .md, or put it into the folder of a skill", "skills/ holds .md files and folders")
				continue
			}
			s.Dir, s.File, file = filepath.Join(r.dir, "skills"), entry, at
		}
		if !namePattern.MatchString(s.Name) {
			r.report(place{file: at}, NameInvalid, "rename it", "%s cannot be a skill's name: want %s", quote(s.Name), nameRule)
		}
		if first := from[s.Name]; first != "" {
			r.report(place{file: at}, SkillDuplicate, "rename or remove one of them", "the skill %s is %s already", s.Name, first)
		}
		from[s.Name] = at
		if r.skill(file, &s) {
			r.agent.Skills = append(r.agent.Skills, s)
		}
	}
}

// skillFolder counts the files of a skill and reports whether it has a
// procedure.
func (r *agentReader) skillFolder(dir string) bool {
	names := r.walk(dir)
	fix := "write the procedure to " + skillFile
	for _, name := range names {
		if name == path.Join(dir, skillFile) {
			return true
		}
		if path.Dir(name) == dir && strings.EqualFold(path.Base(name), skillFile) {
			fix = "rename " + path.Base(name) + " to " + skillFile
		}
	}
	r.report(place{file: dir}, SkillFileMissing, fix, "the skill has no %s", skillFile)
	return false
}

// maxSkillDescription is in characters; descriptions are always shown to the
// model.
const maxSkillDescription = 1024

// skill reads the front matter of a procedure.
func (r *agentReader) skill(file string, into *agent.Skill) bool {
	text, ok := r.text(file)
	if !ok {
		return false
	}
	d := document{folder: r.folder, file: file}
	front, message := skillFront(text)
	if message != "" {
		d.report(place{file: file, line: 1, col: 1}, FrontMatterInvalid, "begin it with the lines ---, name: "+into.Name+", description: …, ---", "%s", message)
		return false
	}
	n := d.parse([]byte(front))
	if n == nil {
		return false
	}
	before := len(r.problems)
	d.fields(n, "a skill", []field{
		{"name", func(v *yaml.Node) { d.skillName(v, into.Name) }},
		{"description", func(v *yaml.Node) { d.skillDescription(v, &into.Description) }},
		{"license", func(v *yaml.Node) { d.str(v, "license", new(string)) }},
		{"compatibility", func(v *yaml.Node) { d.str(v, "compatibility", new(string)) }},
		{"metadata", func(v *yaml.Node) { d.is(v, yaml.MappingNode, "metadata", "a mapping") }},
		{"allowed-tools", func(v *yaml.Node) {
			if v.Kind == yaml.SequenceNode {
				d.strs(v, "allowed-tools")
				return
			}
			d.str(v, "allowed-tools", new(string))
		}},
	})
	for _, key := range []string{"name", "description"} {
		if find(n, key) == nil {
			fix := "say what the skill is for and when to use it: the model sees nothing else of it"
			if key == "name" {
				fix = "write name: " + into.Name
			}
			d.report(place{file: file, line: 1, col: 1}, KeyMissing, fix, "the skill has no %s", key)
		}
	}
	failed, _ := Count(r.problems[before:])
	return failed == 0
}

// skillFront returns the YAML at the beginning of a procedure, after an empty
// line in place of the first, so that lines keep their numbers. The message
// says why there is none.
func skillFront(text string) (front, message string) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return "", "the skill does not say what it is: its first line is not ---"
	}
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return b.String(), ""
		}
		b.WriteString(line)
	}
	return "", "the front matter is not closed by a line ---"
}

func (d document) skillName(v *yaml.Node, want string) {
	var name string
	if d.str(v, "name", &name) && name != want {
		d.report(d.at(v), NameMismatch, "write name: "+want+", or rename the file or folder", "the skill is called %s here, its file or folder %s", quote(name), want)
	}
}

func (d document) skillDescription(v *yaml.Node, into *string) {
	if !d.str(v, "description", into) {
		return
	}
	if !notEmpty(*into) {
		d.invalid(v, "say what the skill is for and when to use it", "description: want a text, got nothing")
	}
	if n := utf8.RuneCountInString(*into); n > maxSkillDescription {
		d.invalid(v, "put the rest below the front matter", "description: it has %d characters; the limit is %d", n, maxSkillDescription)
	}
}
