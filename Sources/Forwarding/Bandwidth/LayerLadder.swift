import Wire

/// The layers of a video that a seat may have, each better and dearer than the one before.
///
/// A camera's go up by frame rate first, so that it loses frames before it loses resolution; a screen's go up by resolution at
/// the lowest frame rate first. Layers that cost as much as a better one are left out.
struct LayerLadder: BitwiseCopyable {
    /// What "360p30" means, with some grace for 29.97 and for cameras that drop frames in the dark.
    private static var stageHeight: Int32 { 360 }
    private static var stageFrames: UInt8 { 24 }

    private struct Rung: BitwiseCopyable {
        var order = 0
        var layer = UInt8(0)
        var bitrate = 0
    }

    private var rungs = InlineArray<12, Rung>(repeating: Rung())
    private(set) var count = 0
    /// A better layer was left out because the seat is small.
    private(set) var isCut = false
    /// Where the stage is brought before others get more.
    private(set) var goal = 0
    private let isScreen: Bool

    init(_ video: WantedVideo) {
        isScreen = video.source == .screen
        let lowest = Self.lowestSpatial(video.layers)
        var highest = lowest
        for index in 0..<video.layers.count {
            let layer = video.layers[index]
            // The smallest is shown however small the seat is: there is nothing smaller.
            if layer.spatial == lowest || Int(layer.height) <= video.maxHeight ?? .max {
                highest = max(highest, layer.spatial)
            } else {
                isCut = true
            }
        }
        for index in 0..<video.layers.count {
            let layer = video.layers[index]
            guard layer.spatial == lowest || Int(layer.height) <= video.maxHeight ?? .max else { continue }
            // More frames are for the largest screen picture only.
            if isScreen, layer.temporal > 0, layer.spatial < highest { continue }
            insert(
                Rung(
                    order: order(layer), layer: UInt8(truncatingIfNeeded: index),
                    bitrate: layer.bitrate.bitsPerSecond))
        }
        dropWhatPaysNot()
        goal = stageGoal(video.layers)
    }

    private static func lowestSpatial(_ layers: VideoLayers) -> UInt8 {
        var lowest = UInt8.max
        for index in 0..<layers.count { lowest = min(lowest, layers[index].spatial) }
        return lowest
    }

    /// Better layers have a higher one.
    private func order(_ layer: VideoLayer) -> Int {
        let major = isScreen ? layer.temporal : layer.spatial
        let minor = isScreen ? layer.spatial : layer.temporal
        return Int(major) << 8 | Int(minor)
    }

    private mutating func insert(_ rung: Rung) {
        var place = count
        while place > 0, rungs[place - 1].order > rung.order {
            rungs[place] = rungs[place - 1]
            place -= 1
        }
        rungs[place] = rung
        count += 1
    }

    private mutating func dropWhatPaysNot() {
        var kept = 0
        for index in 0..<count {
            var pays = true
            for better in (index + 1)..<max(count, index + 1)
            where rungs[better].bitrate <= rungs[index].bitrate {
                pays = false
            }
            if pays {
                rungs[kept] = rungs[index]
                kept += 1
            }
        }
        count = kept
    }

    private func stageGoal(_ layers: VideoLayers) -> Int {
        for rung in 0..<count {
            let layer = layers[Int(rungs[rung].layer)]
            let isSmooth = isScreen || layer.framesPerSecond == 0 || layer.framesPerSecond >= Self.stageFrames
            if layer.height >= Self.stageHeight, isSmooth { return rung }
        }
        return count - 1
    }

    /// Bits a second of a rung; 0 below the first.
    func bitrate(_ rung: Int) -> Int { rung < 0 ? 0 : rungs[rung].bitrate }

    /// The place of a rung's layer in the list that the ladder was made of.
    func layer(_ rung: Int) -> Int { Int(rungs[rung].layer) }

    /// The highest rung that isn't better than what is sent; −1 for none.
    func rung(of current: VideoLayer?) -> Int {
        guard let current else { return -1 }
        var rung = -1
        while rung + 1 < count, rungs[rung + 1].order <= order(current) { rung += 1 }
        return max(rung, min(0, count - 1))
    }
}
