package main

import (
	"math"
	"time"
)

const pagerduty = "pagerduty"

type (
	urgency       string
	incidentState string
)

// An incident is something somebody was called for.
type incident struct {
	ID      string        `json:"id"`
	Title   string        `json:"title"`
	Status  incidentState `json:"status"`
	Urgency urgency       `json:"urgency"`
	Opened  time.Time     `json:"opened"`
	Taken   string        `json:"assignee"`
	Note    string        `json:"note,omitempty"`
}

// incidents are the newest first.
func incidents() []incident {
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
	}
	return []incident{
		{"PD4J71", "gw-7: notices refused with 413 by hooks.example.com", "acknowledged", "low", at(3, 23, 9, 51), "Tomás Ferreira", "Only the canary of 1.4.0. Its notices are larger than the 4 KiB that the hook takes."},
		{"PD4H02", "gw-7: routes reloaded 14 times in an hour", "triggered", "low", at(3, 23, 10, 12), "Mara Lindqvist", ""},
		{"PD3X90", "gw-2: confwatch does not start", "resolved", "high", at(3, 13, 7, 20), "Mara Lindqvist", "config.json had an unknown key, which 1.3.0 refuses. The release note said so."},
		{"PD3R18", "two notices for one change of routes.json", "resolved", "low", at(3, 5, 14, 40), "Tomás Ferreira", "Fixed by 2050fd1: a reading has to repeat before it counts."},
		{"PD3B44", "gw-3: confwatch is down", "resolved", "high", at(2, 25, 3, 8), "Tomás Ferreira", "The unit lacked Restart=on-failure; 060ca06 has it."},
	}
}

func pagerdutyTools() []offer {
	return []offer{
		tool(definition{
			name: "pagerduty_list_incidents", title: "List incidents", connector: pagerduty,
			description: "Lists incidents of the service `confwatch`, the newest first.",
		}, simple(findIncidents)),
		tool(definition{
			name: "pagerduty_list_on_call", title: "Show who is on call", connector: pagerduty,
			description: "Shows who is called first, second and so on.",
		}, simple(onCallAt)),
	}
}

type incidentQuery struct {
	Statuses []incidentState `json:"statuses,omitempty" jsonschema:"only incidents with one of these"`
	Urgency  urgency         `json:"urgency,omitempty" jsonschema:"only incidents of this urgency"`
	Since    time.Time       `json:"since,omitzero" jsonschema:"only incidents opened then or later, such as 2026-03-01T00:00:00Z"`
	Limit    limit           `json:"limit,omitempty" jsonschema:"how many at most"`
}

type incidentList struct {
	Incidents []incident `json:"incidents"`
	Total     int        `json:"total" jsonschema:"how many there are without the limit"`
}

func findIncidents(in incidentQuery) (incidentList, error) {
	found := where(incidents(),
		func(i incident) bool { return among(in.Statuses, i.Status) },
		func(i incident) bool { return in.Urgency == "" || i.Urgency == in.Urgency },
		func(i incident) bool { return !i.Opened.Before(in.Since) })
	return incidentList{first(found, in.Limit), len(found)}, nil
}

type onCallQuery struct {
	At time.Time `json:"at,omitzero" jsonschema:"when; default is the afternoon of 2026-03-23"`
}

type onCall struct {
	Level int    `json:"level"`
	Who   string `json:"who"`
	Until string `json:"until"`
}

type onCallList struct {
	OnCall []onCall `json:"onCall"`
}

// onCallAt knows a rota of two people who change places every Monday.
func onCallAt(in onCallQuery) (onCallList, error) {
	at := in.At
	if at.IsZero() {
		at = canarySince().Add(6 * time.Hour)
	}
	monday := time.Date(2026, 3, 23, 0, 0, 0, 0, time.UTC)
	week := int(math.Floor(at.Sub(monday).Hours() / (7 * 24)))
	until := monday.AddDate(0, 0, 7*(week+1)).Format(time.DateOnly)
	people := []string{"Mara Lindqvist", "Tomás Ferreira"}
	return onCallList{[]onCall{
		{1, people[week&1], until},
		{2, people[1-week&1], until},
	}}, nil
}
