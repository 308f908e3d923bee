import JSON
import MediaWorker
import Meeting

/// What a participant says its sending m-lines carry, by mid. Bounded: a client may name what it likes.
struct NamedSources {
    /// More than the m-lines of any offer that is taken.
    static let limit = 256

    private(set) var sources: [String: MediaSource] = [:]
    /// Those that were in an offer that was taken: they may be used again.
    private var offered: Set<String> = []

    /// A mid is as long as a header extension can carry.
    static func isMID(_ text: String) -> Bool {
        (1...16).contains(text.utf8.count)
    }

    /// Names m-lines; the last word counts.
    ///
    /// - Parameter field: the parameter that they are in, for the error.
    mutating func name(_ more: [String: MediaSource], field: String) throws(APIError) {
        guard more.keys.allSatisfy(Self.isMID) else {
            throw APIError(.badRequest, "a mid has 1 to 16 bytes", details: [("field", .string(field))])
        }
        let merged = sources.merging(more) { $1 }
        guard merged.count <= Self.limit else {
            throw APIError(
                .badRequest, "more than \(Self.limit) m-lines are named: send an offer that has them",
                details: [("field", .string(field))])
        }
        sources = merged
    }

    /// An offer was taken. Names that it was asked with, and that neither it nor an earlier one has, are forgotten.
    ///
    /// - Parameters:
    ///   - mids: its sending m-lines.
    ///   - asked: the names when it was sent; later ones are for the next.
    mutating func accepted(_ mids: some Sequence<String>, asked: [String: MediaSource]) {
        offered.formUnion(mids)
        sources = sources.filter { offered.contains($0.key) || asked[$0.key] == nil }
        offered.formIntersection(sources.keys)
    }
}
