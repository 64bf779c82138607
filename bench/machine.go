//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine is a line on where the figures come from; data is the directory that
// durable writes go to. What the system does not tell is left out.
func machine(data string) string {
	parts := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		parts[0] += " " + strings.TrimSpace(string(release))
	}
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	cpus := fmt.Sprintf("%d CPUs", runtime.NumCPU())
	if model := field(string(cpuinfo), "model name"); model != "" {
		cpus += " (" + model + ")"
	}
	parts = append(parts, cpus, runtime.Version())
	mounts, _ := os.ReadFile("/proc/self/mounts")
	where := "data in " + data
	switch kind := filesystem(string(mounts), data); kind {
	case "":
	case "tmpfs", "ramfs":
		where += " on " + kind + ", where a sync costs nothing: set TMPDIR to a directory on a disk"
	default:
		where += " on " + kind
	}
	parts = append(parts, where)
	loadavg, _ := os.ReadFile("/proc/loadavg")
	if now, _, _ := strings.Cut(string(loadavg), " "); now != "" {
		if n, err := strconv.ParseFloat(now, 64); err == nil && n > float64(runtime.NumCPU())/2 {
			parts = append(parts, fmt.Sprintf("BUSY at the start (load %s): believe no absolute figure", now))
		}
	}
	return strings.Join(parts, "; ")
}

// field returns the value of the first line "name : value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// filesystem finds the type of the mount that dir is on.
func filesystem(mounts, dir string) string {
	kind, longest := "", 0
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		point := strings.TrimSuffix(f[1], "/")
		if (dir == point || strings.HasPrefix(dir, point+"/")) && len(point) >= longest {
			kind, longest = f[2], len(point)
		}
	}
	return kind
}
