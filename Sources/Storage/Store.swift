public import Meeting

/// Everything that outlives the process: users and groups, messages, the call log, revoked tokens.
///
/// - A verb that changes something returns after the change is on disk: what was answered survives the death of the
///   process and of the machine. A verb is done wholly or not at all.
/// - A verb that reads sees every change that was answered before it began.
/// - Verbs may be called from any number of tasks. One that was taken is carried out even if its task is cancelled.
/// - Checking what a caller may do, and limits of names and texts, is not the store's business.
/// - Every verb can throw `overloaded`, `closed`, `disk`, `busy`, `corrupt` and `failed`; others are named with it.
/// - Lists have pages; a page's bounds are those of `PageRequest`, else `invalid`.
public protocol Store: Sendable {
    /// Throws while nothing can be written, such as on a full disk.
    func checkWritable() async throws(StoreError)

    // MARK: Users

    /// Registers or changes a profile. True: it is new.
    @discardableResult
    func putUser(_ user: User) async throws(StoreError) -> Bool
    func user(_ uid: String) async throws(StoreError) -> User?
    /// By uid.
    func users(_ page: PageRequest) async throws(StoreError) -> Page<User>
    /// Forgets the profile and its memberships. Messages and the call log stay, under the name they have; so do
    /// bans, which hold for whoever gets the uid next. Tokens from before `now`, in milliseconds since 1970, are no good
    /// any more. Errors: `notFound`, `ownsGroups`.
    func deleteUser(_ uid: String, now: Int64) async throws(StoreError)

    // MARK: Groups

    /// Makes a group, with its owner as the first member (joined at `now`, milliseconds since 1970), or changes all
    /// of an existing one but its owner. True: it is new. Errors: `notFound` if the owner isn't a known user.
    @discardableResult
    func putGroup(_ group: Group, now: Int64) async throws(StoreError) -> Bool
    func group(_ guid: String) async throws(StoreError) -> Group?
    /// By guid; only those in which `member` is, if given.
    func groups(member: String?, _ page: PageRequest) async throws(StoreError) -> Page<Group>
    /// Forgets the group, its members and bans. Messages and the call log stay, under the name they have. A later
    /// group with the same guid continues the same history, unless `deleteMessages` was called. Errors: `notFound`.
    func deleteGroup(_ guid: String) async throws(StoreError)
    /// Gives the group to another member, and the one who had it the scope `formerOwner`. Nothing happens if the
    /// member owns it already. Errors: `notFound` group, member; `invalid` if `formerOwner` is `owner`.
    func transferOwner(of guid: String, to uid: String, formerOwner: Scope) async throws(StoreError)

    // MARK: Members and bans

    /// Makes users members, all or none; those who are stay as they are. Returns the uids of the new ones, in order.
    /// Errors: `invalid` for none or more than `StoreLimit.membersAtOnce`; `notFound` group or user; `isOwner` for
    /// the scope `owner`; `banned` for somebody whose ban holds at the time of `joinedAt`.
    @discardableResult
    func addMembers(_ members: [Member], to guid: String) async throws(StoreError) -> [String]
    func member(_ uid: String, of guid: String) async throws(StoreError) -> Member?
    /// By the time of joining, then uid. Errors: `notFound` group.
    func members(of guid: String, _ page: PageRequest) async throws(StoreError) -> Page<Member>
    /// The uids of all members, as many as there are; by uid.
    func memberUIDs(of guid: String) async throws(StoreError) -> [String]
    /// As above, with their names.
    func memberParties(of guid: String) async throws(StoreError) -> [CallParty]
    /// Errors: `notFound` member; `isOwner` if it is the owner or would become it.
    func setScope(_ scope: Scope, of uid: String, in guid: String) async throws(StoreError)
    /// Errors: `notFound` member; `isOwner`.
    func kick(_ uid: String, from guid: String) async throws(StoreError)
    /// Keeps a uid, known or not, out of the group, and ends its membership. True: it was a member. A ban that no
    /// longer holds at `bannedAt` is replaced. Errors: `notFound` group; `exists` ban; `isOwner`.
    @discardableResult
    func ban(_ ban: Ban, in guid: String) async throws(StoreError) -> Bool
    /// The ban, whether it holds still or not.
    func ban(of uid: String, in guid: String) async throws(StoreError) -> Ban?
    /// By uid, those that hold at `now`, milliseconds since 1970. Errors: `notFound` group.
    func bans(in guid: String, now: Int64, _ page: PageRequest) async throws(StoreError) -> Page<Ban>
    /// Errors: `notFound` ban.
    func unban(_ uid: String, in guid: String) async throws(StoreError)

    // MARK: Messages

    /// Errors: `exists` message.
    func addMessage(_ message: StoredMessage) async throws(StoreError)
    func message(_ id: String) async throws(StoreError) -> StoredMessage?
    /// The latest first; those of one moment in the reverse order of their adding. The cost doesn't grow with the
    /// history. Errors: `invalid` limit; `notFound` for a message that isn't of the conversation.
    func history(_ request: HistoryRequest) async throws(StoreError) -> [StoredMessage]
    /// Errors: `notFound` message.
    func deleteMessage(_ id: String) async throws(StoreError)
    /// Deletes the oldest messages of a conversation, at most `StoreLimit.deletionsAtOnce` so that nobody waits long.
    /// Returns how many; 0: there are none left.
    func deleteMessages(of conversation: Conversation) async throws(StoreError) -> Int

    // MARK: Calls

    /// Errors: `exists` call.
    func addCall(_ call: CallRecord) async throws(StoreError)
    /// Adds a call, or changes all of one that is there. Participants and recordings that it has and that aren't named
    /// stay as they are.
    func putCall(_ call: CallRecord) async throws(StoreError)
    /// Changes all of a call but its participants and recordings, which have verbs of their own: they can be many.
    /// Errors: `notFound` call.
    func updateCall(_ call: CallRecord) async throws(StoreError)
    /// Adds or replaces participants, all or none, by their ids. Errors: `notFound` call.
    func putParticipants(_ participants: [CallParticipant], in call: String) async throws(StoreError)
    /// Adds or replaces a recording by its id. Errors: `notFound` call.
    func putRecording(_ recording: CallRecording, in call: String) async throws(StoreError)
    func call(_ id: String) async throws(StoreError) -> CallRecord?
    /// The last one that was initiated in a session.
    func latestCall(in sessionID: String) async throws(StoreError) -> CallRecord?
    /// The last initiated first. Errors: `invalid` filter.
    func calls(_ filter: CallFilter, _ page: PageRequest) async throws(StoreError) -> Page<CallRecord>
    /// Writes down that calls which go on still do, at this time in milliseconds since 1970.
    func noteAlive(at time: Int64) async throws(StoreError)
    /// Ends all calls that go on: those that ring were `unanswered`, the others have `ended`, and so have the stays of
    /// those who are in. Returns how many calls.
    ///
    /// - Parameter time: when; nil: when `noteAlive` was last called. In any case not before what is known of a call.
    @discardableResult
    func closeCalls(at time: Int64?) async throws(StoreError) -> Int

    // MARK: Revoked tokens

    /// Revoking twice changes nothing.
    func revokeToken(_ token: RevokedToken) async throws(StoreError)
    /// Whether a token was revoked, or its user was deleted after it was issued (in milliseconds since 1970; if nobody
    /// knows when: whether its user was deleted and hasn't been made again).
    func isTokenRevoked(_ id: String, of uid: String, issuedAt: Int64?) async throws(StoreError) -> Bool
    /// By id, those that haven't expired at `now`, milliseconds since 1970.
    func revokedTokens(now: Int64, _ page: PageRequest) async throws(StoreError) -> Page<RevokedToken>
    /// Forgets tokens that have expired at `now`, milliseconds since 1970, at most `StoreLimit.deletionsAtOnce`.
    /// Returns how many.
    @discardableResult
    func forgetExpiredTokens(now: Int64) async throws(StoreError) -> Int

    /// What was done so far, and what waits.
    var statistics: StoreStatistics { get }

    /// Finishes what was taken, refuses everything else (`closed`) and returns once the file is closed.
    func close() async
}

/// Bounds of single verbs.
public enum StoreLimit {
    /// Members that `addMembers` takes.
    public static let membersAtOnce = 25
    /// Rows that a deleting verb deletes.
    public static let deletionsAtOnce = 1_000
}
