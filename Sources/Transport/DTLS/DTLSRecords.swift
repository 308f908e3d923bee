import Wire

/// Cuts what OpenSSL wrote, record after record, into datagrams: whole records each, 1,200 bytes at most.
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

    private static func endOfRecord(at offset: Int, in bytes: Span<UInt8>) -> Int? {
        guard bytes.holds(headerSize, at: offset) else { return nil }
        let length = headerSize + Int(bytes.loadUInt16(at: offset + 11))
        return bytes.holds(length, at: offset) ? offset + length : nil
    }
}
