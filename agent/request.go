package agent

// A Command is a tool that runs a program with the call's arguments in its
// command line. No shell reads them.
type Command struct {
	Definition
	// Argv is the program and its arguments. A placeholder {name} stands for
	// the argument of that name, and {{ and }} for braces. A word that is
	// nothing but a placeholder becomes one word for each element of an array,
	// and none for an argument that is absent. The first word has no
	// placeholder.
	Argv []string
	// Env names the variables of the runtime's environment it may see.
	Env   []string
	Retry Retry
}

// A Request is a tool that makes one HTTP request. What a caller sends never
// reaches the part of the URL that says where the request goes.
type Request struct {
	Definition
	// Method is in capitals; empty means GET.
	Method string
	// URL is http or https. Placeholders as in [Command] may stand in its path
	// and query, where they are escaped.
	URL string
	// Query are parameters beside those in URL, with placeholders. One whose
	// argument is absent is left out.
	Query []Parameter
	// Headers have no placeholders. Values may hold secrets.
	Headers map[string]string
	// Body says how arguments that stand nowhere else are sent: "json" or
	// "form" in the body, "query" in the URL, or "none". Empty means query for
	// GET, HEAD and DELETE and json for the others.
	Body string
	// AllowPrivate lets the request go to loopback, private and link-local
	// addresses.
	AllowPrivate bool
}

// A Parameter is one name with its value.
type Parameter struct{ Name, Value string }
