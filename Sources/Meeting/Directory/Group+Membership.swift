/// Who may be in a group, and who may change that.
///
/// Whoever asks is a `.user` with the scope that it has in the group at that moment, or a `.backEnd`.
extension Group {
    /// The scope in which a user joins the group's session.
    ///
    /// - Parameters:
    ///   - member: the user's place in the group, if it has one.
    ///   - ban: what keeps the user out, if anything does or did.
    public static func admit(_ member: Member?, ban: Ban?, now: Int64) throws(MeetingError) -> Scope {
        if let ban, ban.holds(at: now) { throw .bannedFromGroup }
        guard let member else { throw .notGroupMember }
        return member.scope
    }

    /// Whether a user may be added.
    public static func checkAdding(
        as scope: Scope, ban: Ban?, by principal: Principal, now: Int64
    ) throws(MeetingError) {
        try checkModerator(principal)
        if scope == .owner { throw .invalidScope }
        guard isAbove(principal, scope) else { throw .noClearance }
        if let ban, ban.holds(at: now) { throw .bannedFromGroup }
    }

    /// Whether a member may be taken out, or take itself out. The owner stays.
    public static func checkRemoving(_ member: Member?, by principal: Principal) throws(MeetingError) {
        guard let member else { throw .notGroupMember }
        if principal.uid == member.uid {
            if member.scope == .owner { throw .ownerCantGo }
            return
        }
        try checkModerator(principal)
        if member.scope == .owner { throw .ownerCantGo }
        guard isAbove(principal, member.scope) else { throw .noClearance }
    }

    /// Whether a user may be banned, a member or not.
    public static func checkBanning(
        _ uid: String, member: Member?, ban: Ban?, by principal: Principal, now: Int64
    ) throws(MeetingError) {
        try checkModerator(principal)
        if principal.uid == uid { throw .selfAction }
        if let ban, ban.holds(at: now) { throw .alreadyBanned }
        guard let member else { return }
        if member.scope == .owner { throw .ownerCantGo }
        guard isAbove(principal, member.scope) else { throw .noClearance }
    }

    public static func checkUnbanning(_ ban: Ban?, by principal: Principal, now: Int64) throws(MeetingError) {
        try checkModerator(principal)
        guard let ban, ban.holds(at: now) else { throw .notBanned }
    }

    /// Whether a member may get another scope. Ownership is handed over, not given.
    public static func checkScope(
        _ scope: Scope, of member: Member?, by principal: Principal
    ) throws(MeetingError) {
        try checkModerator(principal)
        guard let member else { throw .notGroupMember }
        if principal.uid == member.uid { throw .selfAction }
        if member.scope == .owner { throw .ownerScope }
        if scope == .owner { throw .invalidScope }
        guard isAbove(principal, member.scope), isAbove(principal, scope) else { throw .noClearance }
        if member.scope == scope { throw .sameScope }
    }

    /// Whether the group may be handed over to a member: by its owner or a back end.
    public static func checkTransfer(to member: Member?, by principal: Principal) throws(MeetingError) {
        if let scope = principal.scope, scope < .owner { throw .noClearance }
        guard let member else { throw .notGroupMember }
        if principal.uid == member.uid { throw .selfAction }
        if member.scope == .owner { throw .sameScope }
    }

    /// Whether somebody may see and do what is for moderators.
    public static func checkModerator(_ principal: Principal) throws(MeetingError) {
        guard let scope = principal.scope else { return }
        guard scope >= .moderator else { throw .noModeratorScope }
    }

    // MARK: - Parts

    private static func isAbove(_ principal: Principal, _ scope: Scope) -> Bool {
        principal.scope.map { $0 > scope } ?? true
    }
}
