/// The call and the session that it leads to: who comes there is in the call, who leaves is not.
extension Call {
    /// How long after the first answer somebody has to come.
    public static let joinWithinMs: Int64 = 60_000

    /// Those who are in, the caller first.
    public var present: [String] {
        ([caller.uid] + called).filter { parties[$0]?.isIn == true }
    }

    /// Refuses whoever may not come to the session now: outsiders, and the caller before anybody answered.
    func checkMayJoin(_ uid: String) throws(MeetingError) {
        guard hasPart(uid) else { throw .notAPart }
        if isOver { throw .callOver }
        if uid == caller.uid, record.status == .initiated { throw .callNotStarted }
    }

    /// A device of the user is in the session. Who hadn't answered answers so, and who had left is back.
    mutating func deviceJoined(
        _ uid: String, device: String?, meetingID: String, _ now: Int64
    ) -> [CallOutput] {
        guard !isOver, let party = parties[uid], party.isIn || record.status == .ongoing || uid != caller.uid
        else { return [] }
        let before = record
        parties[uid]?.devicesInside += 1
        record.meetingID = meetingID
        if !party.isIn {
            let joined =
                record.status == .initiated
                ? answer(by: uid, device: device, now) : join(uid, device: device, now)
            joinBy = nil
            return joined
        }
        joinBy = nil
        if party.devicesInside == 0, let device { record.participants[party.index].deviceID = device }
        return record == before ? [] : [.record(record)]
    }

    /// A device of the user is no longer in the session. With the last one the user leaves the call.
    mutating func deviceLeft(_ uid: String, _ now: Int64) -> [CallOutput] {
        guard !isOver, let party = parties[uid], party.devicesInside > 0 else { return [] }
        parties[uid]?.devicesInside -= 1
        return party.devicesInside == 1 && party.isIn ? leave(uid, now) : []
    }

    /// The last one left the session, or it was ended.
    mutating func sessionEnded(_ now: Int64) -> [CallOutput] {
        record.status == .ongoing ? close(now) : []
    }
}
