package agentdir

import (
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"agsh.dev/internal/schema"
	"agsh.dev/internal/scripttool"
)

func compileForms(t *testing.T) map[string]*schema.Schema {
	t.Helper()
	out := map[string]*schema.Schema{}
	for _, form := range Forms() {
		raw, ok := FormSchema(form.Kind)
		if !ok {
			t.Fatalf("there is no schema of %s", form.Kind)
		}
		s, err := schema.Compile(raw)
		if err != nil || len(s.Dropped()) > 0 {
			t.Fatalf("%s: %v, dropped %v", form.Kind, err, s.Dropped())
		}
		out[form.Kind] = s
	}
	return out
}

// formOf is the kind of YAML that a file of an agent's folder holds, and the
// YAML; "" if none.
func formOf(name string, text []byte) (kind string, yaml []byte) {
	switch dir := path.Dir(name); {
	case name == "agent.yaml":
		return "agent", text
	case path.Ext(name) == ".yaml" && (dir == mcpFolder || dir == hostFolder):
		return "connection", text
	case strings.HasSuffix(name, sidecarEnd):
		return "manifest", text
	case path.Ext(name) == ".yaml" && dir == "tools":
		return "tool", text
	case dir == "tools":
		front, err := scripttool.FrontMatter(text)
		if err == nil && front != nil {
			return "manifest", front
		}
	case strings.HasPrefix(name, "skills/") && path.Ext(name) == ".md":
		if front, message := skillFront(string(text)); message == "" {
			return "skill", []byte(front)
		}
	}
	return "", nil
}

// What the reader takes the schemas accept, and a key that one of them does
// not know the other does not know either.
func TestSchemasAgreeWithTheReader(t *testing.T) {
	forms := compileForms(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	accepted, refused := map[string]int{}, map[string]int{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, problems, err := Read(lay(t, a), Config{})
		if err != nil {
			t.Fatal(err)
		}
		wrong, unknown := map[string]bool{}, map[string]bool{}
		for _, p := range problems {
			wrong[p.File] = wrong[p.File] || p.Severity == Error
			unknown[p.File] = unknown[p.File] || p.Code == KeyUnknown
		}
		for _, f := range a.Files {
			_, name, _ := strings.Cut(f.Name, "agent/")
			kind, text := formOf(name, f.Data)
			if kind == "" {
				continue
			}
			d := document{folder: &folder{files: map[string]bool{}}}
			n := d.parse(text)
			if n == nil {
				continue
			}
			raw, err := toJSON(n)
			if err != nil {
				continue // a number that JSON does not have
			}
			found := forms[kind].Validate(raw)
			if !wrong[f.Name] {
				accepted[kind]++
				if len(found) > 0 {
					t.Errorf("%s: %s: the reader takes it, the schema does not: %v\n%s", file, f.Name, found, raw)
				}
			}
			if unknown[f.Name] {
				refused[kind]++
				if len(found) == 0 {
					t.Errorf("%s: %s: it has an unknown key, and the schema accepts it", file, f.Name)
				}
			}
		}
	}
	for kind := range forms {
		if accepted[kind] == 0 || refused[kind] == 0 {
			t.Errorf("of %s there are %d good examples and %d with an unknown key", kind, accepted[kind], refused[kind])
		}
	}
}

// A node of a schema, as far as the tests look at it.
type shape struct {
	Description          string
	Properties           map[string]json.RawMessage
	AdditionalProperties json.RawMessage
	AnyOf                []json.RawMessage
}

// Every mapping has the same keys in the schema and in the reader, which says
// them when it meets one that it does not know.
func TestSchemasHaveTheKeysOfTheReader(t *testing.T) {
	files := map[string]string{
		"agent": "agent.yaml", "connection": mcpFolder + "/x.yaml", "manifest": "tools/x.tool.yaml", "skill": "skills/x.md", "tool": "tools/x.yaml",
	}
	for _, form := range Forms() {
		raw, _ := FormSchema(form.Kind)
		checkKeys(t, raw, nil, func(within, keys []string) {
			yaml := "{zzzzzzzzzzzzzzzz: 1}"
			for _, key := range slices.Backward(within) {
				yaml = "{" + key + ": " + yaml + "}"
			}
			archive := "-- agent/" + files[form.Kind] + " --\n" + yaml + "\n"
			switch form.Kind {
			case "skill":
				archive = "-- agent/skills/x.md --\n---\n" + yaml + "\n---\n"
			case "manifest":
				archive += "-- agent/tools/x --\n#!/bin/sh\n"
			}
			_, problems := read(t, archive)
			want := "known keys: " + strings.Join(keys, ", ")
			found := slices.ContainsFunc(problems, func(p Problem) bool {
				_, list, _ := strings.Cut(p.Fix, "known keys: ")
				has := strings.Split(list, ", ")
				slices.Sort(has)
				return p.Code == KeyUnknown && slices.Equal(has, keys)
			})
			if !found {
				t.Errorf("%s at %v: the schema has %s; the reader says:\n%s", form.Kind, within, want, render(problems))
			}
		})
	}
}

// checkKeys calls check for every mapping of a schema that has a fixed set of
// keys, sorted, and looks for descriptions.
func checkKeys(t *testing.T, raw json.RawMessage, within []string, check func(within, keys []string)) {
	t.Helper()
	var s shape
	if json.Unmarshal(raw, &s) != nil {
		return
	}
	if string(s.AdditionalProperties) == "false" {
		check(within, slices.Sorted(maps.Keys(s.Properties)))
		for key, sub := range s.Properties {
			var about shape
			if json.Unmarshal(sub, &about) != nil || about.Description == "" {
				t.Errorf("%v.%s has no description", within, key)
			}
			checkKeys(t, sub, append(slices.Clone(within), key), check)
		}
	}
	for _, sub := range s.AnyOf {
		checkKeys(t, sub, within, check)
	}
}
