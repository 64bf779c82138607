package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agsh.dev/agent"
)

// call runs a tool as the runtime does: JSON in, JSON or text out.
func call(t *testing.T, tool agent.AnyTool, args string) (string, error) {
	t.Helper()
	f, err := tool.Build()
	if err != nil {
		t.Fatal(err)
	}
	res, err := f.Run(t.Context(), json.RawMessage(args))
	if err != nil {
		return "", err
	}
	return res.Content[0].Text, nil
}

func TestTools(t *testing.T) {
	tests := []struct {
		name string
		tool agent.AnyTool
		args string
		want string // empty: an error
	}{
		{"echo once", echo, `{"text":"hi"}`, "hi\n"},
		{"echo twice", echo, `{"text":"hi","times":2}`, "hi\nhi\n"},
		{"echo too often", echo, `{"text":"hi","times":101}`, ""},
		{
			"odd cents go to the first", split, `{"total":{"cents":100,"currency":"EUR"},"guests":["Ana","Bo","Cy"]}`,
			`{"shares":[{"guest":"Ana","cents":34,"currency":"EUR"},{"guest":"Bo","cents":33,"currency":"EUR"},{"guest":"Cy","cents":33,"currency":"EUR"}]}`,
		},
		{"nobody", split, `{"total":{"cents":1},"guests":[]}`, ""},
		{"less than nothing", split, `{"total":{"cents":-1},"guests":["Ana"]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := call(t, tt.tool, tt.args)
			if (err != nil) != (tt.want == "") {
				t.Fatalf("error = %v, want error %v", err, tt.want == "")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}
