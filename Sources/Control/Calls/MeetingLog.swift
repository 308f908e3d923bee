import Meeting
import Storage

/// Keeps the entries of meetings to which nobody was rung: written when one begins, with each who comes and goes, and
/// when it is over.
actor MeetingLog {
    private let log: CallLog
    private let store: any Store
    /// Meetings that go on, by their ids, without their participants.
    private var open: [String: CallRecord] = [:]

    init(log: CallLog, store: any Store) {
        self.log = log
        self.store = store
    }

    /// Doesn't wait for the disk.
    func take(_ news: MeetingFeed.News) async {
        switch news.change {
        case .began(var record):
            record.receiver = await named(record.receiver)
            open[news.meetingID] = record.withoutParticipants
            await log.note(record)
        case .joined(let stay), .left(let stay):
            // Before it has begun there is nobody to be listed, or its beginning lists them.
            guard var entry = open[news.meetingID] else { return }
            entry.participants = [stay]
            await log.note(entry)
        case .ended(var record):
            record.receiver = open.removeValue(forKey: news.meetingID)?.receiver ?? record.receiver
            record.sumUp()
            await log.note(record)
        }
    }

    /// A group under its name.
    private func named(_ receiver: CallReceiver?) async -> CallReceiver? {
        guard var receiver, receiver.kind == .group else { return receiver }
        if let group = try? await store.group(receiver.id) { receiver.name = group.name }
        return receiver
    }
}

extension CallRecord {
    var withoutParticipants: CallRecord {
        var record = self
        record.participants = []
        return record
    }

    /// Adds up how long everybody was in, once all have left. Who is in a video call has both.
    mutating func sumUp() {
        audioSeconds = participants.reduce(0) { $0 + ($1.durationSeconds ?? 0) }
        videoSeconds = kind == .video ? audioSeconds : 0
    }
}
