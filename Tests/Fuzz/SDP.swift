import Wire

/// An offer: it is refused, or what was read survives writing, and is answered, twice with the same seats.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let offer = try? SessionDescription.parse(text) else { return 0 }
    guard let again = try? SessionDescription.parse(offer.write()), again == offer else {
        fatalError("what was written is read as something else")
    }
    let local = LocalParameters(
        iceUfrag: "abcd", icePwd: "abcdefghijklmnopqrstuv", fingerprint: Array(0..<32), candidates: [],
        cname: "c")
    var generator = Counter()
    guard let first = try? Negotiation.answer(offer, previous: nil, local: local, using: &generator) else {
        return 0
    }
    guard let read = try? SessionDescription.parse(first.answer.write()), read == first.answer else {
        fatalError("the answer is read as something else")
    }
    guard let second = try? Negotiation.answer(offer, previous: first, local: local, using: &generator),
        second.media == first.media, !second.isICERestart
    else { fatalError("the same offer is answered differently") }
    return 0
}

/// Numbers that differ, and are the same in each run.
private struct Counter: RandomNumberGenerator {
    var value: UInt64 = 0

    mutating func next() -> UInt64 {
        value &+= 0x9E37_79B9_7F4A_7C15
        return value
    }
}
