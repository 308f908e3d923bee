import MediaWorker
import Wire

/// What a viewer tells the server about its seats.
extension TestClient {
    func askForKeyFrame(_ mid: String) throws {
        guard let ssrc = seatSSRCs[mid] else { return }
        try sendControl { bytes throws(RTCPError) in
            try PictureLossIndication(sender: SSRC(1), media: ssrc).write(into: &bytes, at: 0)
        }
    }

    func askAgain(for sequence: UInt16, on mid: String) throws {
        guard let ssrc = seatSSRCs[mid] else { return }
        try sendControl { bytes throws(RTCPError) in
            let numbers = [SequenceNumber(sequence)]
            return try Nack.write(sender: SSRC(1), media: ssrc, numbers.span, into: &bytes, at: 0).length
        }
    }

    /// What came under SSRCs of seats' retransmissions.
    var repeated: [ReceivedPacket] {
        let seats = Set(seatSSRCs.values)
        return media.received.filter { !seats.contains($0.key) }.flatMap(\.value)
    }

    private func sendControl(_ write: (inout MutableSpan<UInt8>) throws(RTCPError) -> Int) throws {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let length = try write(&span)
        if let sealed = try keys?.sealControl(Array(bytes[..<length])) { socket.send(sealed) }
    }
}
