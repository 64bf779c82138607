package main

import "time"

// A release is a version and where it runs.
type release struct {
	Version string    `json:"version"`
	Commit  string    `json:"commit"`
	Where   string    `json:"where"`
	Hosts   int       `json:"hosts"`
	Since   time.Time `json:"since"`
}

func releases() []release {
	return []release{
		{"1.4.0", "d31b2fc", "gw-7 (canary)", 1, canarySince()},
		{"1.3.0", "22df1c4", "gateway hosts", 7, time.Date(2026, 3, 13, 8, 0, 0, 0, time.UTC)},
		{"1.0.0", "6b15f05", "nowhere any more", 0, time.Date(2026, 2, 24, 12, 0, 0, 0, time.UTC)},
	}
}

type releaseQuery struct {
	Running bool `json:"running,omitempty" jsonschema:"only releases that still run somewhere"`
}

type releaseList struct {
	Releases []release `json:"releases"`
}

func listReleases(in releaseQuery) (releaseList, error) {
	return releaseList{where(releases(), func(r release) bool { return !in.Running || r.Hosts > 0 })}, nil
}

// A pageStatus is what the status page tells.
type pageStatus struct {
	Service   string  `json:"service"`
	Released  string  `json:"released"`
	Candidate string  `json:"candidate"`
	Canary    canary  `json:"canary"`
	Next      rollout `json:"next"`
	Freeze    bool    `json:"freeze"` // nothing may be released
}

// A canary is the hosts that try a candidate out.
type canary struct {
	Hosts int       `json:"hosts"`
	Since time.Time `json:"since"`
}

// A rollout is a release that is planned.
type rollout struct {
	Hosts int       `json:"hosts"`
	At    time.Time `json:"at"`
}

func releaseStatus() pageStatus {
	all := releases()
	return pageStatus{
		Service: service, Released: all[1].Version, Candidate: all[0].Version, Canary: canary{all[0].Hosts, all[0].Since},
		Next: rollout{8, time.Date(2026, 3, 25, 8, 0, 0, 0, time.UTC)},
	}
}
