/// The natural logarithm of a positive number, within 10^−7: the cores don't import the C library.
func naturalLogarithm(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return value > 0 ? 1_000 : -1_000 }
    // ln((1 + r) / (1 − r)) = 2 (r + r³/3 + r⁵/5 + …) for the significand, 1 to 2, so that r is at most 1/3.
    let ratio = (value.significand - 1) / (value.significand + 1)
    let square = ratio * ratio
    let series =
        1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square * (1 / 11 + square / 13)))))
    return Double(value.exponent) * 0.693_147_180_559_945_3 + 2 * ratio * series
}
