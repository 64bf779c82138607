package agentdir

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/internal/scripttool"
	"agsh.dev/internal/term/text"
)

const sidecarEnd = ".tool.yaml"

// A toolFiles is what tools/ holds for one name.
type toolFiles struct {
	programs []string
	sidecar  string // the manifest of a program
	alone    string // a tool that is only YAML
}

// tools reads tools/.
func (r *agentReader) tools() {
	if !r.isDir("tools") {
		return
	}
	r.addTree("tools/lib")
	byName := map[string]*toolFiles{}
	for _, entry := range r.list("tools") {
		name, files := r.toolEntry(entry)
		if name == "" {
			continue
		}
		have := byName[name]
		if have == nil {
			have = &toolFiles{}
			byName[name] = have
		}
		have.programs = append(have.programs, files.programs...)
		have.sidecar = cmp.Or(have.sidecar, files.sidecar)
		have.alone = cmp.Or(have.alone, files.alone)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		files := *byName[name]
		if files.alone != "" {
			r.yamlTool(name, files)
		}
		if files.alone != "" && len(files.programs) == 0 && files.sidecar == "" {
			continue
		}
		if e, ok := r.tool(name, files); ok {
			r.agent.Executables = append(r.agent.Executables, e)
		}
	}
}

// toolEntry says which tool an entry of tools/ belongs to; none when it is a
// problem.
func (r *agentReader) toolEntry(entry string) (string, toolFiles) {
	file := path.Join("tools", entry)
	if info, err := r.root.Stat(file); err == nil && info.IsDir() {
		r.report(place{file: file}, EntryUnknown, "keep what tools share in tools/lib/", "tools/ holds no folders but lib/")
		return "", toolFiles{}
	}
	if name, ok := strings.CutSuffix(entry, sidecarEnd); ok {
		return name, toolFiles{sidecar: file}
	}
	switch ext := path.Ext(entry); ext {
	case ".yaml":
		return strings.TrimSuffix(entry, ext), toolFiles{alone: file}
	case ".yml":
		r.report(place{file: file}, EntryUnknown, "rename it to "+strings.TrimSuffix(entry, ext)+".yaml", "the ending of YAML files is .yaml here")
		return "", toolFiles{}
	default:
		return strings.TrimSuffix(entry, ext), toolFiles{programs: []string{file}}
	}
}

// tool reads one tool from its files.
func (r *agentReader) tool(name string, files toolFiles) (agent.Executable, bool) {
	if len(files.programs) == 0 {
		r.report(place{file: files.sidecar}, ManifestAlone, "put the program beside it as tools/"+name+", with any ending", "there is no program %s", name)
		return agent.Executable{}, false
	}
	program := files.programs[0]
	r.toolName(program, name)
	for _, other := range files.programs[1:] {
		r.report(place{file: other}, ToolDuplicate, "rename or remove one of them", "the tool %s is %s already", name, program)
	}
	e := agent.Executable{Path: filepath.Join(r.dir, filepath.FromSlash(program))}
	e.Name = name
	head, ok := r.program(program)
	if !ok {
		if files.sidecar != "" {
			r.manifestFile(files.sidecar, &e)
		}
		return e, false
	}
	front, ok := r.frontMatter(program, head)
	switch {
	case !ok:
		return e, false
	case front != nil && files.sidecar != "":
		r.report(place{file: files.sidecar}, ManifestTwice, "keep one of them", "%s has a manifest in its comments as well", program)
		return e, false
	case front != nil:
		return e, r.manifest(document{folder: r.folder, file: program}, front, &e)
	case files.sidecar != "":
		return e, r.manifestFile(files.sidecar, &e)
	}
	fix := "write its manifest to " + name + sidecarEnd + " beside it"
	if !isBinary(head) {
		mark := "#"
		if path.Ext(program) == ".go" {
			mark = "//"
		}
		fix = strings.ReplaceAll("begin it with the lines % ---, % description: …, % input: …, % ---; or ", "%", mark) + fix
	}
	r.report(place{file: program}, ManifestMissing, fix, "the tool says nothing about itself")
	return e, false
}

// toolName reports a name that a tool cannot have.
func (r *agentReader) toolName(file, name string) {
	if !namePattern.MatchString(name) {
		r.report(place{file: file}, NameInvalid, "rename the file", "%s cannot be a tool's name: want %s", quote(name), nameRule)
	}
	r.clash(file, name)
}

// clash reports a name that is a built-in tool's, now or later. Tools are
// found whatever the case of what was typed, so case tells none apart.
func (r *agentReader) clash(program, name string) {
	same := func(builtIn string) bool { return strings.EqualFold(builtIn, name) }
	if i := slices.IndexFunc(fileTools, same); i >= 0 {
		message := "the name %s belongs to a built-in tool"
		if name != fileTools[i] {
			message = "the name %s differs only in case from that of the built-in tool " + fileTools[i]
		}
		r.report(place{file: program}, ToolNameClash, "rename the file", message, name)
	} else if i := slices.IndexFunc(laterTools, same); i >= 0 {
		r.report(place{file: program}, ToolNameClash, "rename the file", "the name %s is reserved for the built-in tool %s of a later version", name, laterTools[i])
	}
}

// maxHead is how far into a program its manifest is looked for.
const maxHead = 64 << 10

// program checks that a file can be run and returns its beginning.
func (r *agentReader) program(file string) ([]byte, bool) {
	info, ok := r.isFile(file)
	if !ok {
		return nil, false
	}
	r.files[file] = true
	head, ok := r.head(file, maxHead)
	if !ok {
		return nil, false
	}
	if path.Ext(file) == ".go" {
		r.goTool(file, head)
		return head, true // it is built, not run
	}
	if info.Mode()&fs.FileMode(0o111) == 0 {
		r.report(place{file: file}, ExecBitMissing, "chmod +x "+text.ShellWord(r.shown(file)), "the program may not be executed")
	}
	if !isBinary(head) {
		r.shebang(file, head)
	}
	return head, true
}

// isBinary reports whether a program is machine code: that has no comments
// and needs no interpreter.
func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// frontMatter returns the manifest in the comments of a program, nil without
// one. It reports false when there is one that cannot be read.
func (r *agentReader) frontMatter(file string, head []byte) ([]byte, bool) {
	if isBinary(head) {
		return nil, true
	}
	front, err := scripttool.FrontMatter(head)
	if fence, ok := errors.AsType[*scripttool.FrontMatterError](err); ok {
		fix := ""
		if len(head) == maxHead {
			fix = "a manifest must be in the first 64 KiB"
		}
		r.report(place{file: file, line: fence.Line, col: 1}, ManifestOpen, fix, "%s", fence.Message)
		return nil, false
	}
	if line, bad := invalidLine(front); bad {
		r.report(place{file: file, line: line}, FileNotText, "save the file as UTF-8", "the manifest is not UTF-8")
		return nil, false
	}
	return front, true
}
