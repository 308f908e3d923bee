import Testing
import Wire

/// How an encoder makes a video out of layers: full scalability, each spatial layer built on the one below.
struct LayeredStructure: CustomTestStringConvertible, Sendable {
    var codec: Codec
    var encodings = 1
    var spatials = 1
    var temporals = 1
    /// VP9: references are listed picture by picture.
    var isFlexible = false
    /// A dependency descriptor goes with it. AV1 has one always.
    var isDescribed = false

    var testDescription: String {
        "\(codec) \(encodings)xL\(spatials)T\(temporals)\(isFlexible ? " flexible" : "")\(isDescribed ? " described" : "")"
    }

    /// What browsers send.
    static let all = [
        LayeredStructure(codec: .vp8),
        LayeredStructure(codec: .vp8, temporals: 2),
        LayeredStructure(codec: .vp8, temporals: 3),
        LayeredStructure(codec: .vp8, encodings: 3, temporals: 3),
        LayeredStructure(codec: .vp8, encodings: 3, temporals: 2, isDescribed: true),
        LayeredStructure(codec: .h264, encodings: 3),
        LayeredStructure(codec: .h264, encodings: 3, temporals: 3, isDescribed: true),
        LayeredStructure(codec: .vp9, temporals: 3),
        LayeredStructure(codec: .vp9, spatials: 3, temporals: 3),
        LayeredStructure(codec: .vp9, spatials: 3, temporals: 3, isFlexible: true, isDescribed: true),
        LayeredStructure(codec: .vp9, encodings: 3, temporals: 3, isFlexible: true),
        LayeredStructure(codec: .av1, temporals: 3, isDescribed: true),
        LayeredStructure(codec: .av1, spatials: 3, temporals: 1, isDescribed: true),
        LayeredStructure(codec: .av1, spatials: 3, temporals: 3, isDescribed: true),
        LayeredStructure(codec: .av1, encodings: 3, temporals: 3, isDescribed: true),
    ]

    /// Pictures until the pattern starts over.
    private var period: Int { temporals == 3 ? 8 : temporals == 2 ? 4 : 1 }

    func temporal(ofPicture number: Int) -> Int {
        switch temporals {
        case 3: [0, 2, 1, 2][number % 4]
        case 2: number % 2
        default: 0
        }
    }

    /// How many pictures back those are that a picture is predicted from, in its spatial layer. `number` counts from the
    /// last key picture.
    func references(ofPicture number: Int) -> [Int] {
        let step = 1 << (temporals - 1)
        let position = number % period
        // Every other picture of an upper layer needs the one before of its own layer too; not where templates say it.
        let usesOwn = !isTemplated
        switch (temporals, position % step) {
        case (_, 0): return [step]
        case (2, _): return position == 3 && usesOwn ? [1, 2] : [1]
        case (_, 1): return [1]
        case (_, 2): return position == 6 && usesOwn ? [2, 4] : [2]
        default: return usesOwn ? [1, 2] : [1]
        }
    }

    /// The dependency descriptor's templates are what layers are told by.
    var isTemplated: Bool { isDescribed && (codec == .av1 || codec == .h264) }

    /// Only lower layers are needed.
    func isSwitchingUp(picture number: Int) -> Bool {
        let own = temporal(ofPicture: number)
        if own == 0 { return true }
        return references(ofPicture: number).allSatisfy { back in
            number < back || temporal(ofPicture: number - back) < own
        }
    }

    func height(ofSpatial layer: Int, encoding: Int) -> Int {
        720 >> (spatials - 1 - layer + encodings - 1 - encoding)
    }
}
