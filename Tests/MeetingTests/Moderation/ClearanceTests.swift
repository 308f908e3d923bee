import Meeting
import Testing

/// Every verb × who acts × on whom × openModeration.
@Suite struct ClearanceTests {
    private typealias Verb = @Sendable (inout MeetingSession, Target, Principal) throws(MeetingError) -> Void

    /// How whoever acts stands to the meeting; the scope is the same.
    private enum Standing: CaseIterable {
        /// In it, with that scope.
        case inside
        /// In it with the least scope, but more than that in the group by now, or the other way round.
        case changed
        /// A member of the group that isn't in.
        case outside
    }

    /// Columns: the target is owner, admin, moderator, participant, viewer. y: allowed, c: no clearance,
    /// m: no moderator scope.
    private static let closed: [(Scope, String)] = [
        (.owner, "cyyyy"), (.admin, "ccyyy"), (.moderator, "cccyy"), (.participant, "mmmmm"),
        (.viewer, "mmmmm"),
    ]
    private static let open: [(Scope, String)] = [
        (.owner, "yyyyy"), (.admin, "yyyyy"), (.moderator, "yyyyy"), (.participant, "yyyyy"),
        (.viewer, "mmmmm"),
    ]
    private static let targets: [Scope] = [.owner, .admin, .moderator, .participant, .viewer]

    /// The verbs that have a target, and what holds for them with openModeration.
    private static let verbs: [(String, Verb, whenOpen: [(Scope, String)])] = [
        ("mute", { m, t, p throws(MeetingError) in try m.muteParticipant(t, by: p, now: 1) }, open),
        (
            "mute both",
            { m, t, p throws(MeetingError) in
                try m.muteParticipant(t, kinds: [.audio, .video], by: p, now: 1)
            }, open
        ),
        (
            "mute and lock",
            { m, t, p throws(MeetingError) in try m.muteParticipant(t, lock: true, by: p, now: 1) }, closed
        ),
        ("pause", { m, t, p throws(MeetingError) in try m.pauseParticipantVideo(t, by: p, now: 1) }, open),
        (
            "stop share",
            { m, t, p throws(MeetingError) in try m.stopParticipantScreenShare(t, by: p, now: 1) }, closed
        ),
        ("unlock", { m, t, p throws(MeetingError) in try m.unlockParticipant(t, by: p, now: 1) }, closed),
        ("ask", { m, t, p throws(MeetingError) in try m.askToUnmute(t, by: p, now: 1) }, closed),
        ("remove", { m, t, p throws(MeetingError) in try m.removeParticipant(t, by: p, now: 1) }, closed),
        (
            "lower hand",
            { m, t, p throws(MeetingError) in _ = try m.lowerParticipantHand(t, by: p, now: 1) }, closed
        ),
        (
            "set scope",
            { m, t, p throws(MeetingError) in
                let isViewer = m.roster.contains { $0.uid == "target" && $0.scope == .viewer }
                try m.setParticipantScope(t, to: isViewer ? .participant : .viewer, by: p, now: 1)
            }, closed
        ),
    ]

    /// The verbs for the session as a whole.
    private static let sessionVerbs: [(String, Verb)] = [
        ("mute all", { m, _, p throws(MeetingError) in try m.muteAll(by: p, now: 1) }),
        ("lower all", { m, _, p throws(MeetingError) in try m.lowerAllHands(by: p, now: 1) }),
        ("lock", { m, _, p throws(MeetingError) in try m.lockSession(by: p, now: 1) }),
        ("unlock", { m, _, p throws(MeetingError) in try m.unlockSession(by: p, now: 1) }),
        ("capacity", { m, _, p throws(MeetingError) in try m.setCapacity(7, by: p, now: 1) }),
        ("settings", { m, _, p throws(MeetingError) in try m.setSettings(SessionSettings(), by: p, now: 1) }),
        ("title", { m, _, p throws(MeetingError) in try m.setTitle("t", by: p, now: 1) }),
        ("admit", { m, _, p throws(MeetingError) in try m.admit(.all, by: p, now: 1) }),
        ("deny", { m, _, p throws(MeetingError) in try m.deny(.all, by: p, now: 1) }),
        ("end", { m, _, p throws(MeetingError) in try m.endSession(by: p, now: 1) }),
    ]

    private func room(isOpen: Bool, target: Scope) throws -> Room {
        var settings = SessionSettings()
        settings.openModeration = isOpen
        var room = Room(settings: settings)
        let id = try room.join("target", scope: target)
        _ = try room.meeting.raiseHand(id, now: room.now)
        room.deliver()
        return room
    }

    private func principal(_ scope: Scope, _ standing: Standing, in room: inout Room) throws -> Principal {
        switch standing {
        case .inside: .participant(try room.join("actor", scope: scope))
        case .changed:
            .participant(
                try room.join("actor", scope: scope == .viewer ? .owner : .viewer), scope: scope)
        case .outside: .user("actor", scope: scope)
        }
    }

    private func code(
        _ verb: Verb, _ room: inout Room, _ target: Target, _ principal: Principal
    ) -> ErrorCode? {
        do throws(MeetingError) {
            try verb(&room.meeting, target, principal)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [false, true])
    func `verbs on others need a scope above theirs, or openModeration`(isOpen: Bool) throws {
        let codes: [Character: ErrorCode?] = ["y": nil, "c": .noClearance, "m": .noModeratorScope]
        for (name, verb, whenOpen) in Self.verbs {
            for (scope, row) in isOpen ? whenOpen : Self.closed {
                for (target, letter) in zip(Self.targets, row) {
                    for standing in Standing.allCases {
                        var room = try room(isOpen: isOpen, target: target)
                        let principal = try principal(scope, standing, in: &room)
                        let before = room.meeting.roster
                        let code = code(verb, &room, .user("target"), principal)
                        let comment: Comment =
                            "\(name) by \(scope) (\(standing)) on \(target), open: \(isOpen)"
                        #expect(code == codes[letter] ?? .exception, comment)
                        guard code != nil else { continue }
                        #expect(room.meeting.roster == before, comment)
                        #expect(room.meeting.takeOutputs().isEmpty, comment)
                    }
                }
            }
        }
    }

    @Test func `a back end may act on everybody, but an owner stays one`() throws {
        for (name, verb, _) in Self.verbs {
            for target in Self.targets {
                var room = try room(isOpen: false, target: target)
                let code = code(verb, &room, .user("target"), .backEnd)
                let isRefused = name == "set scope" && target == .owner
                #expect(code == (isRefused ? .cannotChangeOwnerScope : nil), "\(name) on \(target)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `nobody acts on itself, on another device neither`(isOpen: Bool) throws {
        for (name, verb, whenOpen) in Self.verbs {
            for (scope, row) in isOpen ? whenOpen : Self.closed {
                var room = try room(isOpen: isOpen, target: .viewer)
                let me = try room.join("actor", scope: scope)
                let other = try room.join("actor", device: "desk", scope: .viewer)
                let expected: ErrorCode = row.last == "m" ? .noModeratorScope : .noSelfAction
                for target in [Target.participant(me), .participant(other), .user("actor")] {
                    let code = code(verb, &room, target, .participant(me))
                    #expect(code == expected, "\(name) by \(scope) on \(target), open: \(isOpen)")
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `verbs on the session need moderator scope, whatever openModeration says`(isOpen: Bool) throws {
        for (name, verb) in Self.sessionVerbs {
            for scope in Scope.allCases {
                for standing in Standing.allCases {
                    var room = try room(isOpen: isOpen, target: .viewer)
                    let principal = try principal(scope, standing, in: &room)
                    let code = code(verb, &room, .user("target"), principal)
                    let expected = scope >= .moderator ? nil : ErrorCode.noModeratorScope
                    #expect(code == expected, "\(name) by \(scope) (\(standing)), open: \(isOpen)")
                }
            }
            var room = try room(isOpen: isOpen, target: .viewer)
            let code = code(verb, &room, .user("target"), .backEnd)
            #expect(code == nil, "\(name) by a back end")
        }
    }

    @Test func `whoever isn't there can't be meant, and can't act`() throws {
        for (name, verb, _) in Self.verbs {
            var room = try room(isOpen: false, target: .participant)
            let ghost = try room.join("ghost", grants: Grants(hidden: true))
            let moderator = try room.join("m", scope: .moderator)
            let gone = try room.join("gone", scope: .owner)
            room.meeting.leave(gone, now: room.now)
            for target in [Target.participant(gone), .user("nobody"), .participant(ghost), .user("ghost")] {
                let code = code(verb, &room, target, .participant(moderator))
                #expect(code == .participantNotFound, "\(name) on \(target)")
            }
            let admin = try room.join("admin", scope: .admin)
            for principal in [Principal.backEnd, .participant(admin)] {
                let code = code(verb, &room, .participant(ghost), principal)
                #expect(code != .participantNotFound, "\(name) by \(principal)")
                if room.meeting.participant(ghost) == nil { break }
            }
            let code = code(verb, &room, .user("target"), .participant(gone))
            #expect(code == .notInSession, "\(name)")
        }
    }
}
