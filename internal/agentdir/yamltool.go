package agentdir

// yamlTool reads a tool that is only YAML: a command line or a request.
func (r *agentReader) yamlTool(name string, files toolFiles) {
	file := files.alone
	if len(files.programs) > 0 {
		r.report(place{file: file}, ToolDuplicate, "rename or remove one of them; the manifest of a program is called "+name+sidecarEnd,
			"the tool %s is %s already", name, files.programs[0])
		return
	}
	r.toolName(file, name)
	text, ok := r.text(file)
	if !ok {
		return
	}
	d := document{folder: r.folder, file: file}
	n := d.parse([]byte(text))
	if n == nil {
		return
	}
	command, request := find(n, "command"), find(n, "http")
	if command == nil && request == nil {
		d.report(d.at(n), KeyMissing, "write command: [program, argument] or http: {url: …}; the manifest of a program is called "+name+sidecarEnd,
			"the tool does not say what it runs")
	}
	if command != nil && request != nil {
		d.report(d.at(request), ValueInvalid, "keep one of them", "a tool is a command or a request, not both")
	}
	if command == nil && request != nil {
		if t, ok := r.requestTool(d, n, name); ok {
			r.agent.Requests = append(r.agent.Requests, t)
		}
	} else if t, ok := r.commandTool(d, n, name); ok && command != nil && request == nil {
		r.agent.Commands = append(r.agent.Commands, t)
	}
}
