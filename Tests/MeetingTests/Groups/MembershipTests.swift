import Meeting
import Testing

/// Every change of a group × who asks × whom it is for.
@Suite struct MembershipTests {
    private static let scopes: [Scope] = [.owner, .admin, .moderator, .participant, .viewer]

    private func code(_ body: () throws(MeetingError) -> Void) -> ErrorCode? {
        do throws(MeetingError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    /// Letters: y allowed, c no clearance, m no moderator scope, o the owner stays, s invalid scope.
    private static let codes: [Character: ErrorCode?] = [
        "y": nil, "c": .noClearance, "m": .noModeratorScope, "o": .cannotKickOwner, "s": .invalidScope,
        "f": .cannotChangeOwnerScope, "=": .sameScope,
    ]

    private func expect(
        _ table: [String], _ name: String, _ body: (Scope, Principal) throws(MeetingError) -> Void
    ) {
        for (actor, row) in zip(Self.scopes, table) {
            for (target, letter) in zip(Self.scopes, row) {
                let code = code { () throws(MeetingError) in try body(target, .user("me", scope: actor)) }
                #expect(code == Self.codes[letter] ?? .exception, "\(name) \(target) by \(actor)")
            }
        }
    }

    private func member(_ scope: Scope) -> Member {
        Member(uid: "other", scope: scope, joinedAt: 1)
    }

    @Test func `members are added below whoever adds them`() {
        expect(["syyyy", "scyyy", "sccyy", "mmmmm", "mmmmm"], "add") {
            scope, principal throws(MeetingError) in
            try Group.checkAdding(as: scope, ban: nil, by: principal, now: 1)
        }
    }

    @Test func `members are kicked and banned by those above them, an owner by nobody`() {
        let table = ["oyyyy", "ocyyy", "occyy", "mmmmm", "mmmmm"]
        expect(table, "kick") { scope, principal throws(MeetingError) in
            try Group.checkRemoving(member(scope), by: principal)
        }
        expect(table, "ban") { scope, principal throws(MeetingError) in
            try Group.checkBanning("other", member: member(scope), ban: nil, by: principal, now: 1)
        }
    }

    @Test func `scopes are changed by those above the old and the new one`() {
        expect(["fyyyy", "fcyyy", "fccyy", "mmmmm", "mmmmm"], "to viewer or participant") {
            scope, principal throws(MeetingError) in
            try Group.checkScope(
                scope == .viewer ? .participant : .viewer, of: member(scope), by: principal)
        }
        expect(["syyy=", "scyy=", "sccy=", "mmmmm", "mmmmm"], "from viewer to") {
            wanted, principal throws(MeetingError) in
            try Group.checkScope(wanted, of: member(.viewer), by: principal)
        }
    }

    @Test func `a group is handed over by its owner or a back end`() {
        for scope in Self.scopes {
            let code = code { () throws(MeetingError) in
                try Group.checkTransfer(to: member(.participant), by: .user("me", scope: scope))
            }
            #expect(code == (scope == .owner ? nil : .noClearance))
        }
        #expect(throws: Never.self) { try Group.checkTransfer(to: member(.viewer), by: .backEnd) }
        #expect(throws: MeetingError.notGroupMember) { try Group.checkTransfer(to: nil, by: .backEnd) }
        #expect(throws: MeetingError.sameScope) {
            try Group.checkTransfer(to: member(.owner), by: .backEnd)
        }
    }

    @Test func `a member may go by itself, the owner may not`() {
        for scope in Self.scopes {
            let me = Principal.user("other", scope: scope)
            let code = code { () throws(MeetingError) in try Group.checkRemoving(member(scope), by: me) }
            #expect(code == (scope == .owner ? .cannotKickOwner : nil))
        }
    }

    @Test func `nobody bans itself or changes its own scope, nor what isn't there`() {
        let me = Principal.user("other", scope: .admin)
        #expect(throws: MeetingError.selfAction) {
            try Group.checkBanning("other", member: member(.admin), ban: nil, by: me, now: 1)
        }
        #expect(throws: MeetingError.selfAction) {
            try Group.checkScope(.viewer, of: member(.admin), by: me)
        }
        #expect(throws: MeetingError.notGroupMember) { try Group.checkRemoving(nil, by: me) }
        #expect(throws: MeetingError.notGroupMember) { try Group.checkScope(.viewer, of: nil, by: me) }
    }

    @Test func `bans hold until they are lifted or over`() throws {
        let ban = Ban(uid: "other", bannedAt: 1, until: 100)
        let moderator = Principal.user("me", scope: .moderator)
        #expect(throws: MeetingError.bannedFromGroup) {
            try Group.admit(member(.viewer), ban: ban, now: 99)
        }
        let scope = try Group.admit(member(.moderator), ban: ban, now: 100)
        #expect(scope == .moderator)
        #expect(throws: MeetingError.notGroupMember) { try Group.admit(nil, ban: nil, now: 1) }
        #expect(throws: MeetingError.bannedFromGroup) {
            try Group.checkAdding(as: .viewer, ban: ban, by: moderator, now: 99)
        }
        #expect(throws: MeetingError.alreadyBanned) {
            try Group.checkBanning("other", member: nil, ban: ban, by: moderator, now: 99)
        }
        #expect(throws: Never.self) {
            try Group.checkBanning("other", member: nil, ban: ban, by: moderator, now: 100)
        }
        #expect(throws: MeetingError.notBanned) { try Group.checkUnbanning(ban, by: moderator, now: 100) }
        #expect(throws: MeetingError.notBanned) { try Group.checkUnbanning(nil, by: moderator, now: 1) }
        #expect(throws: Never.self) { try Group.checkUnbanning(ban, by: moderator, now: 99) }
    }
}
