import Configuration

/// What `--help` says, of one command or of all.
enum Help {
    static func text(for command: String?) -> String {
        switch command {
        case "token": token + "\n\nSettings are those of rostrum serve --help."
        case "session": session + "\n\n" + access
        case "user": user + "\n\n" + access
        case "group": group + "\n\n" + access
        case "server": server + "\n\n" + access
        case "check": check + "\n\nSettings are those of rostrum serve --help."
        case "serve": serve + "\n\nSettings:\n" + Configuration.help
        default:
            """
            Rostrum, a group-meeting server.

            \([serve, check, token, session, user, group, server].joined(separator: "\n"))
            rostrum [COMMAND] --help | --version

            \(access)

            Settings:
            \(Configuration.help)
            """
        }
    }

    private static let serve = """
        rostrum serve [--config FILE] [settings]
            Serves meetings. SIGTERM lets those that go on do so for server.drainSeconds; SIGINT and a second SIGTERM
            stop at once. SIGHUP reads the TLS certificate again.
        """

    private static let check = """
        rostrum check [--config FILE] [settings]
            Says whether a server could start like this, and which of the addresses that clients are told lead to its
            media port, as far as that can be seen from here. Starts all parts for a moment, so not beside a server
            that runs. Exit code 0: it could; 2: not so, by its settings; 1: the system is in the way.
        """

    private static let token = """
        rostrum token call --session ID --uid ID [--name NAME] [--scope SCOPE] [--ttl SECONDS] [--key ID] [--open]
            Prints a call token, or with --open the link that joins the session with it.
        rostrum token auth --uid ID [--name NAME] [--ttl SECONDS] [--key ID]
            Prints an auth token. Both take --config FILE and settings too, for the keys.
        """

    private static let session = """
        rostrum session list | show ID
        rostrum session mute ID WHO [--lock]
            WHO is a participantId, or a uid for all of a user's devices. --lock: until a moderator unlocks it.
        rostrum session mute-all ID [--lock] [--on-entry]
        rostrum session unlock ID WHO | lower-hand ID WHO | scope ID WHO SCOPE
            unlock: WHO may unmute again, and stays muted until then.
        rostrum session remove ID WHO [--reason TEXT] [--ban SECONDS]
        rostrum session admit ID WHO | admit ID --all | deny ID WHO | deny ID --all
            Those who wait to be let in.
        rostrum session lock ID | unlock ID | end ID
            Of the session itself: nobody below moderator comes in any more, and may again.
        """

    private static let user = """
        rostrum user list | show UID | delete UID
        rostrum user create UID... [--name NAME] [--avatar URL]
            Each is called as its uid unless --name says otherwise. Of one who is known already, only what is said
            changes.
        """

    private static let group = """
        rostrum group list | show GUID | delete GUID | members GUID
        rostrum group create GUID --name NAME [--type public|private|password] [--owner UID] [--max N]
            Changes the group if there is one with this guid.
        rostrum group add GUID UID... [--scope SCOPE]
            Users have to be known before: rostrum user create.
        rostrum group remove GUID UID | ban GUID UID | unban GUID UID
        rostrum group scope GUID UID SCOPE
        """

    private static let server = """
        rostrum server show
            Version, load, capacity and limits.
        rostrum server drain [--deadline SECONDS]
            Nobody joins any more; the server stops by itself when the last one has left, or then. SIGTERM meanwhile
            brings the end forward to server.drainSeconds.
        """

    private static let access = """
        The commands session, user, group and server ask a server, and take
          --server URL        https://meet.example.org; environment: ROSTRUM_SERVER
          --key ID:SECRET     an API key; environment: ROSTRUM_KEY
          --config FILE       the server's own configuration, for what isn't said otherwise; then --key ID picks a key
          --ca FILE           authorities to trust instead of the system's, in PEM
          --json              prints what the server answers, a document for each request
        They end with 0, with 1 if the server refuses or can't be reached, with 2 if the command is wrong.
        """
}
