import JSON
import Meeting
import Synchronization

/// The way back to whoever made a request on a socket. Answers once.
final class Reply: Sendable {
    private let socket: Socket
    private let id: JSONValue?
    private let isDone = Atomic(false)
    private let onDone: @Sendable (ErrorCode?) -> Void

    /// - Parameters:
    ///   - id: that of the request; nil if it couldn't be read.
    ///   - onDone: told the error, or nil for success.
    init(socket: Socket, id: JSONValue?, onDone: @escaping @Sendable (ErrorCode?) -> Void) {
        self.socket = socket
        self.id = id
        self.onDone = onDone
    }

    func succeed(_ result: some Encodable) {
        do throws(JSONError) {
            finish(key: "result", value: try JSON.encodeValue(result), code: nil)
        } catch {
            fail(APIError(.exception, "the answer couldn't be written"))
        }
    }

    func fail(_ error: APIError) {
        finish(key: "error", value: error.value, code: error.code)
    }

    private func finish(key: String, value: JSONValue, code: ErrorCode?) {
        guard !isDone.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var object = JSONObject()
        if let id { object["id"] = id }
        object[key] = value
        if let text = try? JSONValue.object(object).text() { socket.send(text) }
        onDone(code)
    }
}

/// An answer without content: `{}`.
struct NoResult: Encodable, Sendable {}

/// Parameters of a method that has none: any field is unknown.
struct NoParams: Decodable, Sendable {
    private enum Key: CodingKey {}

    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: Key.self)
    }
}
