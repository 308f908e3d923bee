/// Scores of speech at three time scales, and what a challenger needs to take over (I. Volfin and I. Cohen, "Dominant
/// speaker identification for multipoint videoconferencing", Computer Speech and Language 27, 2013).
///
/// With v of n units active, a scale's score is the log likelihood of speech over that of silence:
/// ln C(n, v) + n ln p − ln λ + λ v, where p is 0.5 and n and λ are 13 and 0.78, 5 and 24, 10 and 47. It is at least
/// 1e-10. The tables are those values, since the logarithm isn't in the standard library.
enum SpeechScore {
    /// Ratios that the challenger's score must exceed, by scale: e³, e² and 1. The paper compares logarithms.
    private static var immediateRatio: Double { 20.085536923187668 }
    private static var mediumRatio: Double { 7.38905609893065 }

    /// Of the loudness of 20 ms, in thirteenths of the range.
    static func immediate(_ active: Int) -> Double {
        let table: InlineArray<14, Double> = [
            1e-10, 1e-10, 1e-10, 1e-10, 0.9298305547132188, 2.2976172196153386, 3.3652992920671188,
            4.145299292067119, 4.637617219615338, 4.829830554713219, 4.693539822839064, 4.174256838708803,
            3.1624973694807466, 1.3775480120192114,
        ]
        return table[active]
    }

    /// Of 100 ms, by how many of its 5 samples were voiced.
    static func medium(_ active: Int) -> Double {
        let table: InlineArray<6, Double> = [
            1e-10, 18.96564817928643, 43.65879535984637, 67.65879535984638, 90.96564817928643,
            113.35621026685233,
        ]
        return table[active]
    }

    /// Of a second, by how many of its tenths were voiced throughout.
    static func long(_ active: Int) -> Double {
        let table: InlineArray<11, Double> = [
            1e-10, 38.52096568568453, 87.02504308246081, 135.00587233547253, 182.56548812340796,
            229.74780968020193, 276.56548812340793, 323.00587233547253, 369.0250430824608, 414.52096568568453,
            459.2183805926905,
        ]
        return table[active]
    }

    /// Whether the challenger leads at all three scales by as much as it takes.
    static func exceeds(_ challenger: SpeechActivity, _ incumbent: SpeechActivity) -> Bool {
        immediate(Int(challenger.immediate)) > immediate(Int(incumbent.immediate)) * immediateRatio
            && medium(Int(challenger.medium)) > medium(Int(incumbent.medium)) * mediumRatio
            && long(Int(challenger.long)) > long(Int(incumbent.long))
    }
}
