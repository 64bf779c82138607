# Reads the monitored repository. Sourced after arguments.sh.

# open_repository FOLDER names the clone that the functions below read.
open_repository() {
	command -v git >/dev/null 2>&1 || fail "git is not installed; this tool reads the repository with it"
	repository=$1
	[ -d "$repository/.git" ] || fail "the repository is not unpacked; run the setup script of the change-monitor example"
}

# repo COMMAND... runs git in the clone. HOME is the session's workspace, where
# the agent can write: a .gitconfig there could name a program to run, so no
# configuration but the clone's own is read. With --git-dir given, git does not
# refuse a clone that belongs to another user.
repo() {
	HOME=/dev/null XDG_CONFIG_HOME=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0 GIT_PAGER=cat \
		git -C "$repository" --git-dir=.git --work-tree=. --literal-pathspecs -c core.quotePath=false "$@"
}

# compare ARGUMENT... is git diff without the programs that the clone's own
# configuration, which the agent may be able to write, could name.
compare() {
	repo diff --no-ext-diff --no-textconv "$@"
}

# commit REF prints the id of the commit REF names, or fails. A REF that looks
# like an option names none.
commit() {
	case $1 in
	-*) return 1 ;;
	esac
	repo rev-parse --verify --quiet "$1^{commit}"
}

# inside_repository PATH prints PATH relative to the repository's top. It fails
# if PATH leads out. The agent sees the repository as /repo.
inside_repository() {
	inside=$1
	case $inside in
	/repo | /repo/*) inside=${inside#/repo} ;;
	/*) return 1 ;;
	esac
	case /$inside/ in
	*/../*) return 1 ;;
	esac
	while :; do
		case $inside in
		/*) inside=${inside#/} ;;
		./*) inside=${inside#./} ;;
		?*/) inside=${inside%/} ;;
		*) break ;;
		esac
	done
	printf %s "${inside:-.}"
}
