package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

type (
	issueState string
	issueOrder string
)

// An issue is a piece of work.
type issue struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	State    issueState `json:"state"`
	Assignee string     `json:"assignee,omitempty"`
	Labels   []string   `json:"labels"`
	Updated  time.Time  `json:"updated"`
	Commit   string     `json:"commit,omitempty" jsonschema:"what it was done with"`
}

func builtInIssues() []issue {
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 30, 0, 0, time.UTC)
	}
	const mara, tomas = "Mara Lindqvist", "Tomás Ferreira"
	return []issue{
		{"CONF-11", "Post changes to a webhook", "done", tomas, []string{"feature"}, at(2, 23, 16), "e8f2ed5"},
		{"CONF-17", "Document how it is run", "done", mara, []string{"documents"}, at(2, 27, 14), "060ca06"},
		{"CONF-22", "Two notices for one change", "done", tomas, []string{"defect"}, at(3, 6, 9), "2050fd1"},
		{"CONF-29", "Refuse a configuration with unknown fields", "done", mara, []string{"feature", "breaking"}, at(3, 12, 16), "22df1c4"},
		{"CONF-31", "Say which keys changed", "done", tomas, []string{"feature"}, at(3, 17, 13), "c979acc"},
		{"CONF-34", "Keep secret values out of notices", "done", tomas, []string{"security"}, at(3, 18, 10), "44a958e"},
		{"CONF-36", "Read files every five seconds", "done", mara, []string{"feature", "load"}, at(3, 20, 10), "a60cdd0"},
		{"CONF-38", "Alert thresholds were set for readings every 30 s", "open", "", []string{"load", "monitoring"}, at(3, 23, 10), ""},
		{"CONF-39", "Release 1.4.0", "in_progress", mara, []string{"release"}, at(3, 23, 9), "d31b2fc"},
		{"CONF-40", "The hook refuses notices of more than 4 KiB", "open", tomas, []string{"defect", "release"}, at(3, 23, 11), ""},
	}
}

// A comment is what somebody said of an issue.
type comment struct {
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// A desk is the issues and what is said of them. Comments that are added last
// as long as the program. It is safe for concurrent use.
type desk struct {
	issues   []issue
	mu       sync.Mutex
	comments map[string][]comment
}

func newDesk() *desk {
	at := time.Date(2026, 3, 23, 11, 40, 0, 0, time.UTC)
	return &desk{issues: builtInIssues(), comments: map[string][]comment{
		"CONF-38": {{"Mara Lindqvist", at, "deploy/alerts.yaml still counts errors of 15 minutes; there are six times as many readings now."}},
		"CONF-39": {{"Mara Lindqvist", at.Add(-2 * time.Hour), "On gw-7 since 08:34 UTC. All hosts on Wednesday if the plan holds."}},
	}}
}

func trackerTools() []offer {
	d := newDesk()
	return []offer{
		tool(definition{
			name: "list_issues", title: "List issues",
			description: "Lists the issues of the project `confwatch`.",
		}, simple(d.find)),
		tool(definition{
			name: "get_issue", title: "Show an issue",
			description: "Shows one issue with its comments.",
		}, simple(d.get)),
		tool(definition{
			name: "list_releases", title: "List releases",
			description: "Lists where each release runs, the newest first.",
		}, simple(listReleases)),
		tool(definition{
			name: "comment_on_issue", title: "Comment on an issue", writes: true,
			description: "Adds a comment. It is there as long as the server runs.",
		}, simple(d.comment)),
	}
}

type issueQuery struct {
	Filter issueFilter `json:"filter,omitzero" jsonschema:"which issues"`
	Sort   issueOrder  `json:"sort,omitempty" jsonschema:"id, or updated for the newest first; default is id"`
	Limit  limit       `json:"limit,omitempty" jsonschema:"how many at most"`
}

type issueFilter struct {
	States   []issueState `json:"states,omitempty" jsonschema:"only issues in one of these states"`
	Labels   []string     `json:"labels,omitempty" jsonschema:"only issues that have all of these labels"`
	Assignee string       `json:"assignee,omitempty" jsonschema:"part of the name of who works on it"`
}

type issueList struct {
	Issues []issue `json:"issues"`
	Total  int     `json:"total" jsonschema:"how many there are without the limit"`
}

func (d *desk) find(in issueQuery) (issueList, error) {
	found := where(d.issues,
		func(i issue) bool { return among(in.Filter.States, i.State) },
		func(i issue) bool {
			return !slices.ContainsFunc(in.Filter.Labels, func(l string) bool { return !slices.Contains(i.Labels, l) })
		},
		func(i issue) bool {
			return strings.Contains(strings.ToLower(i.Assignee), strings.ToLower(in.Filter.Assignee))
		})
	if in.Sort == "updated" {
		slices.SortStableFunc(found, func(a, b issue) int { return b.Updated.Compare(a.Updated) })
	}
	return issueList{first(found, in.Limit), len(found)}, nil
}

type issueName struct {
	ID string `json:"id" jsonschema:"such as CONF-39"`
}

type wholeIssue struct {
	issue

	Comments []comment `json:"comments"`
}

func (d *desk) get(in issueName) (wholeIssue, error) {
	i := slices.IndexFunc(d.issues, func(i issue) bool { return strings.EqualFold(i.ID, in.ID) })
	if i < 0 {
		return wholeIssue{}, fmt.Errorf("id: there is no issue %q; list_issues shows them all", in.ID)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return wholeIssue{d.issues[i], append([]comment{}, d.comments[d.issues[i].ID]...)}, nil
}

type newComment struct {
	ID   string `json:"id" jsonschema:"such as CONF-39"`
	Text string `json:"text" jsonschema:"what to say"`
	By   string `json:"by,omitempty" jsonschema:"who says it; default is planner"`
}

func (d *desk) comment(in newComment) (wholeIssue, error) {
	if strings.TrimSpace(in.Text) == "" {
		return wholeIssue{}, fmt.Errorf("text: it is blank; say something")
	}
	found, err := d.get(issueName{in.ID})
	if err != nil {
		return wholeIssue{}, err
	}
	d.mu.Lock()
	said := d.comments[found.ID]
	at := found.Updated
	if len(said) > 0 {
		at = said[len(said)-1].At
	}
	d.comments[found.ID] = append(said, comment{cmp.Or(in.By, "planner"), at.Add(time.Minute), in.Text})
	d.mu.Unlock()
	return d.get(issueName{found.ID})
}
