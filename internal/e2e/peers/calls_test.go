//go:build peers

package peers

// A call is a command line and what it must print.
type call struct {
	tool  string
	words string // its flags; $DIR is the directory of the server of files
	want  string // a regular expression that standard output matches
	code  int    // of the exit
}

// files are the calls of server-filesystem, in an order in which they work.
var files = []call{
	{tool: "list_allowed_directories", want: `\$DIR`},
	{tool: "create_directory", words: "--path $DIR/sub", want: "created directory"},
	{tool: "write_file", words: "--path $DIR/a.txt --content hello", want: "wrote to"},
	{tool: "write_file", words: "--path /elsewhere --content hello", want: "Access denied", code: 1},
	{tool: "read_text_file", words: "--path $DIR/a.txt", want: `^hello\n$`},
	{tool: "read_text_file", words: "--path $DIR/none", want: "ENOENT", code: 1},
	{tool: "read_file", words: "--path $DIR/a.txt --head 1", want: `^hello\n$`},
	{tool: "read_media_file", words: "--path $DIR/dot.png", want: `^\[image image/png 8 B\]\n$`},
	{tool: "read_multiple_files", words: "--paths $DIR/a.txt --paths $DIR/none", want: `(?s)hello.*ENOENT`},
	{tool: "edit_file", words: `--path $DIR/a.txt --edits {"oldText":"hello","newText":"bye"} --dry-run`, want: `(?m)^-hello\n(.*\n)*\+bye$`},
	{tool: "edit_file", words: `--path $DIR/a.txt --edits {"oldText":"none","newText":"bye"}`, want: "Could not find", code: 1},
	{tool: "list_directory", words: "--path $DIR", want: `\[FILE\] a\.txt`},
	{tool: "list_directory_with_sizes", words: "--path $DIR --sort-by size", want: `a\.txt +5 B`},
	{tool: "directory_tree", words: "--path $DIR", want: `(?m)^a\.txt +file`},
	{tool: "search_files", words: "--path $DIR --pattern *.txt", want: `a\.txt`},
	{tool: "get_file_info", words: "--path $DIR/a.txt", want: "size: +5"},
	{tool: "move_file", words: "--source $DIR/a.txt --destination $DIR/sub/b.txt", want: "moved"},
}

// memory are the calls of server-memory, in an order in which they work.
var memory = []call{
	{tool: "create_entities", words: `--entities {"name":"Ada","entityType":"person","observations":["notes"]} --entities {"name":"Engine","entityType":"machine","observations":[]}`, want: `(?m)^Ada +person +notes$`},
	{tool: "create_relations", words: `--relations {"from":"Ada","to":"Engine","relationType":"programs"}`, want: `Ada +Engine +programs`},
	{tool: "add_observations", words: `--observations {"entityName":"Ada","contents":["counts"]}`, want: `Ada +counts`},
	{tool: "add_observations", words: `--observations {"entityName":"Nobody","contents":["x"]}`, want: "not found", code: 1},
	{tool: "search_nodes", words: "--query ada", want: `Ada +person +notes, counts`},
	{tool: "open_nodes", words: "--names Engine", want: `Engine +machine`},
	{tool: "read_graph", want: `(?s)entities:.*Ada +person.*relations:.*programs`},
	{tool: "delete_observations", words: `--deletions {"entityName":"Ada","observations":["counts"]}`, want: "deleted"},
	{tool: "delete_relations", words: `--relations {"from":"Ada","to":"Engine","relationType":"programs"}`, want: "deleted"},
	{tool: "delete_entities", words: "--entity-names Engine", want: "deleted"},
	{tool: "read_graph", words: "--output json", want: `^\{"entities":\[\{"name":"Ada","entityType":"person","observations":\["notes"\]\}\],"relations":\[\]\}\n$`},
}

// everything are the calls of server-everything. It has one more tool, which
// can run as a task only and so is not listed.
var everything = []call{
	{tool: "echo", words: "--message hi", want: `^Echo: hi\n$`},
	{tool: "get-annotated-message", words: "--message-type error --include-image", want: `(?s)^Error: Operation failed\n\[image image/png 4 KB\]`},
	{tool: "get-annotated-message", words: "--message-type wrong", code: 2},
	{tool: "get-env", want: `(?m)^PATH: `},
	{tool: "get-resource-links", words: "--count 2", want: `\[link Text Resource 2 demo://resource/dynamic/text/2 text/plain\]`},
	{tool: "get-resource-reference", words: "--resource-type Blob --resource-id 2", want: `\[resource demo://resource/dynamic/blob/2 text/plain \d+ B\]`},
	{tool: "get-resource-reference", words: "--resource-type Text --resource-id 3", want: `Resource 3: This is a plaintext resource`},
	{tool: "get-resource-reference", words: "--resource-type Text --resource-id -1", want: `Invalid resourceId`, code: 1},
	{tool: "get-roots-list", want: `URI: file://.*/sessions/peers`},
	{tool: "get-structured-content", words: "--location Chicago", want: `(?m)^conditions: +\S`},
	{tool: "get-structured-content", words: "--location Chicago --output json", want: `^\{"temperature":\d+,"conditions":"[^"]+","humidity":\d+\}\n$`},
	{tool: "get-structured-content", words: "--location Atlantis", code: 2},
	{tool: "get-sum", words: "--a 2 --b 3.5", want: `is 5\.5\.`},
	{tool: "get-sum", words: "--a two --b 3", code: 2},
	{tool: "get-tiny-image", want: `(?s)requested:\n\[image image/png 4 KB\]\nThe image above`},
	{tool: "gzip-file-as-resource", words: "--data data:text/plain,hello --name a.gz", want: `\[link a\.gz demo://resource/session/a\.gz application/gzip\]`},
	{tool: "gzip-file-as-resource", words: "--data data:text/plain,hello --name a.gz --output-type resource", want: `\[resource demo://resource/session/a\.gz application/gzip \d+ B\]`},
	{tool: "gzip-file-as-resource", words: "--data ftp://x/y", want: "Unsupported URL protocol", code: 1},
	{tool: "toggle-simulated-logging", want: "Started simulated"},
	{tool: "toggle-simulated-logging", want: "Stopped simulated"},
	{tool: "toggle-subscriber-updates", want: "Started simulated"},
	{tool: "toggle-subscriber-updates", want: "Stopped simulated"},
	{tool: "trigger-long-running-operation", words: "--duration 0.1 --steps 2", want: "completed. Duration: 0.1 seconds, Steps: 2"},
}
