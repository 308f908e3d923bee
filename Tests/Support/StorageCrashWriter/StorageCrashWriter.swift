import Glibc
import Meeting
import Storage

/// Writes to a store from many tasks until it is killed, and prints what was answered, a line each:
///
///     message ID | group GUID | members GUID | ban GUID UID | call ID
///
/// Usage: StorageCrashWriter FILE NAME; all ids begin with the name.
@main
enum StorageCrashWriter {
    static let tasks = 16
    static let membersOfGroup = 5
    static let participantsOfCall = 8

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Usage() }
        let store = try await SQLiteStore.open(arguments[1])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let name = "\(arguments[2])-\(task)"
                group.addTask { try await write(to: store, name) }
            }
            try await group.waitForAll()
        }
    }

    struct Usage: Error {}

    private static func write(to store: SQLiteStore, _ name: String) async throws {
        for count in 0... {
            let id = "\(name)-\(count)"
            try await store.addMessage(message(id))
            say("message \(id)")
            try await makeGroup(id, in: store)
            try await store.addCall(call(id))
            say("call \(id)")
        }
    }

    private static func message(_ id: String) -> StoredMessage {
        // Long enough for a row of several pages, so that one can be cut.
        let text = String(repeating: id + " ", count: 600)
        return StoredMessage(
            id: id, conversation: .group("g"), sender: .init(uid: "u", name: "U"), category: .text,
            type: "chat",
            text: text, data: "{\"id\": \"\(id)\"}", sentAt: 1)
    }

    private static func makeGroup(_ id: String, in store: SQLiteStore) async throws {
        let uids = (0...membersOfGroup).map { "\(id)-u\($0)" }
        for uid in uids { try await store.putUser(User(uid: uid, name: uid)) }
        try await store.putGroup(Group(guid: id, name: id, owner: uids[0]), now: 1)
        say("group \(id)")
        try await store.addMembers(uids.dropFirst().map { Member(uid: $0, joinedAt: 2) }, to: id)
        say("members \(id)")
        try await store.ban(Ban(uid: uids[1], bannedAt: 3), in: id)
        say("ban \(id) \(uids[1])")
    }

    private static func call(_ id: String) -> CallRecord {
        let participants = (0..<participantsOfCall).map { index in
            CallParticipant(
                id: "p\(index)", uid: "u\(index)", name: "U", state: .ended, joinedAt: 1, leftAt: 2)
        }
        return CallRecord(
            id: id, sessionID: id, initiator: CallParty(uid: "u0", name: "U"), mode: .call, status: .ended,
            initiatedAt: 1, participants: participants,
            recordings: [CallRecording(id: "r", url: "https://example.org/r", startedAt: 1)])
    }

    /// In one piece, and past any buffer of the process's.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let written = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.write(STDOUT_FILENO, buffer.baseAddress, buffer.count)
        }
        // Nobody listens any more.
        if written != bytes.count { exit(1) }
    }
}
