public import FixedCollections

extension SocketAddress: FixedMapKey {
    @inlinable
    public func hash(seed: UInt64) -> UInt64 {
        let tail = UInt64(port) << 32 | UInt64(scope)
        return mixBits(low ^ tail.byteSwapped, with: mixBits(high ^ tail, with: seed))
    }
}
