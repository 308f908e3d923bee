import Wire

/// Datagrams as rows of records. What OpenSSL wrote is cut into datagrams of whole records, 1,200 bytes at most; what
/// comes in is looked through for what OpenSSL mustn't see.
enum DTLSRecords {
    /// Bytes of a datagram; fits every path that carries WebRTC.
    static let maximumDatagramSize = 1_200
    private static let headerSize = 13

    /// Adds the datagrams to `output`. Bytes that are no whole record are left out.
    static func append(_ bytes: Span<UInt8>, to path: TransportPath, into output: inout OutputDatagrams) {
        var start = 0
        var end = 0
        while let next = endOfRecord(at: end, in: bytes) {
            if next - start > maximumDatagramSize, end > start {
                output.append(bytes.extracting(start..<end), to: path)
                start = end
            }
            end = next
        }
        if end > start { output.append(bytes.extracting(start..<end), to: path) }
    }

    /// Whether one of the datagram's records is encrypted and shorter than encryption makes it; nobody honest sends such.
    ///
    /// OpenSSL 3.0 takes the length of what is too short for its cipher as a fault of its own, and ends the connection
    /// before it looks at who sent it; anything else that isn't authentic it drops.
    ///
    /// - Parameter shortest: bytes that the cipher adds to a record.
    static func hasStump(_ bytes: Span<UInt8>, shortest: Int) -> Bool {
        var start = 0
        while let next = endOfRecord(at: start, in: bytes) {
            let isEncrypted = bytes.loadUInt16(at: start + 3) != 0
            if isEncrypted, next - start < headerSize + shortest { return true }
            start = next
        }
        return false
    }

    private static func endOfRecord(at offset: Int, in bytes: Span<UInt8>) -> Int? {
        guard bytes.holds(headerSize, at: offset) else { return nil }
        let length = headerSize + Int(bytes.loadUInt16(at: offset + 11))
        return bytes.holds(length, at: offset) ? offset + length : nil
    }
}
