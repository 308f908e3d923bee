/// The size of a picture in pixels.
public struct FrameSize: Hashable, Sendable, BitwiseCopyable {
    public var width: Int
    public var height: Int

    @inlinable
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
