import FixedCollections
import Testing

struct FixedMapTests {
    @Test
    func `it agrees with a dictionary over random operations`() {
        var generator = SystemRandomNumberGenerator()
        for seed in [0, 1, UInt64.max, generator.next()] {
            var map = FixedMap<UInt32, Int>(capacity: 200, seed: seed)
            var model: [UInt32: Int] = [:]
            for step in 0..<20_000 {
                let key = UInt32.random(in: 0..<400)
                switch Int.random(in: 0..<3) {
                case 0:
                    let fits = model[key] != nil || model.count < 200
                    let value1 = map.set(key, to: step)
                    #expect(value1 == fits)
                    if fits { model[key] = step }
                case 1:
                    let value2 = map.remove(key)
                    #expect(value2 == model.removeValue(forKey: key))
                default:
                    let value3 = map[key]
                    #expect(value3 == model[key])
                }
                let value4 = map.count
                #expect(value4 == model.count)
            }
            for key in 0..<UInt32(400) {
                let value = map[key]
                #expect(value == model[key])
            }
        }
    }
}
