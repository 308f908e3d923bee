import FixedCollections
import Wire

/// The paths on which a peer proved who it is, and the one that is in use.
///
/// That somebody's check came from an address doesn't say that the peer is there: whoever sees checks pass can send copies
/// from any address. A path is proven when the peer has answered there what only who receives there knows.
///
/// Holds eight; a ninth takes the place of the one not heard from for longest, never of the selected one.
struct PathSet {
    static let capacity = 8
    /// Without a word on the selected path for this long, another one on which the peer speaks takes over.
    static let silence = Duration.milliseconds(500)

    private struct Entry: BitwiseCopyable {
        var path: TransportPath
        var heard: Instant
        var isProven = false
    }

    private var entries = InlineArray<8, Entry>(
        repeating: Entry(path: .udp(.init(ipv4: 0, port: 0)), heard: .zero))
    private(set) var count = 0
    private var selectedIndex = -1
    /// Whether only proven paths are selected.
    var needsProof = false

    /// The path to send on; nil until there is one.
    var selected: TransportPath? {
        selectedIndex >= 0 ? entries[selectedIndex].path : nil
    }

    func contains(_ path: TransportPath) -> Bool {
        index(of: path) != nil
    }

    /// Adds a path, or notes that it was heard from. Returns whether it is new, and which one had to go for it.
    mutating func insert(_ path: TransportPath, now: Instant) -> (isNew: Bool, evicted: TransportPath?) {
        if let index = index(of: path) {
            entries[index].heard = now
            return (false, nil)
        }
        guard count == Self.capacity else {
            entries[count] = Entry(path: path, heard: now)
            count += 1
            return (true, nil)
        }
        var victim = selectedIndex == 0 ? 1 : 0
        for index in 0..<count where index != selectedIndex && entries[index].heard < entries[victim].heard {
            victim = index
        }
        let evicted = entries[victim].path
        entries[victim] = Entry(path: path, heard: now)
        return (true, evicted)
    }

    /// Notes that the peer has answered on a path of the set.
    mutating func prove(_ path: TransportPath) {
        if let index = index(of: path) { entries[index].isProven = true }
    }

    /// Makes `path`, which is in the set, the selected one, if it may be. Returns whether that changed anything.
    mutating func select(_ path: TransportPath) -> Bool {
        guard let index = index(of: path), index != selectedIndex, isSelectable(index) else { return false }
        selectedIndex = index
        return true
    }

    /// Whether nothing came on the selected path for `silence`, or there is none.
    func isSelectedSilent(now: Instant) -> Bool {
        selectedIndex < 0 || now - entries[selectedIndex].heard >= Self.silence
    }

    /// Notes authenticated bytes from a path of the set; moves to it if the selected one is silent.
    ///
    /// Nil if the path isn't in the set, else whether the selected path changed.
    mutating func heard(_ path: TransportPath, now: Instant) -> Bool? {
        if selectedIndex >= 0 && entries[selectedIndex].path == path {
            entries[selectedIndex].heard = now
            return false
        }
        guard let index = index(of: path) else { return nil }
        entries[index].heard = now
        guard isSelectedSilent(now: now), isSelectable(index) else { return false }
        selectedIndex = index
        return true
    }

    /// Forgets a path. If it was the selected one, the one heard from last of those that may be selected takes over, if there
    /// is one. Returns whether that changed.
    mutating func remove(_ path: TransportPath) -> Bool {
        guard let index = index(of: path) else { return false }
        count -= 1
        entries[index] = entries[count]
        guard selectedIndex == index else {
            if selectedIndex == count { selectedIndex = index }
            return false
        }
        selectedIndex = -1
        for index in 0..<count where isSelectable(index) {
            if selectedIndex < 0 || entries[index].heard > entries[selectedIndex].heard {
                selectedIndex = index
            }
        }
        return true
    }

    /// Forgets all paths.
    mutating func removeAll() {
        count = 0
        selectedIndex = -1
    }

    private func isSelectable(_ index: Int) -> Bool {
        !needsProof || entries[index].isProven
    }

    private func index(of path: TransportPath) -> Int? {
        for index in 0..<count where entries[index].path == path { return index }
        return nil
    }
}
