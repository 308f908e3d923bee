import Glibc
import JSON

/// A configuration file: an object of groups, each an object of keys.
enum SettingsFile {
    /// The largest file that is read, in bytes.
    static let limit = 1024 * 1024

    static func assignments(path: String) throws(ConfigurationError) -> [Assignment] {
        let bytes = try read(path)
        let root: JSONValue
        do throws(JSONError) {
            root = try JSON.parse(bytes, limits: JSON.Limits(bytes: limit))
        } catch {
            throw .malformed(file: path, reason: error.description)
        }
        return try assignments(root, path: path)
    }

    private static func assignments(
        _ root: JSONValue, path: String
    ) throws(ConfigurationError) -> [Assignment] {
        guard let groups = root.objectValue else {
            throw .malformed(file: path, reason: "expected an object of groups such as {\"http\": {…}}")
        }
        let names = KnownNames(Setting.all.map { ($0.name, $0) })
        var assignments: [Assignment] = []
        for (group, value) in groups.members {
            guard let members = value.objectValue else {
                throw .malformed(
                    file: path, reason: "\(ConfigurationError.quoted(group)) must be an object of keys")
            }
            // An empty group is harmless if it exists.
            if members.isEmpty, !Setting.all.contains(where: { $0.name.hasPrefix(group + ".") }) {
                throw names.unknown(group, .file(path))
            }
            for (key, value) in members.members {
                let name = "\(group).\(key)"
                guard let setting = names[name] else { throw names.unknown(name, .file(path)) }
                assignments.append(
                    Assignment(setting: setting, value: .json(value), source: .file(path)))
            }
        }
        return assignments
    }

    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        func failure(_ code: CInt) -> ConfigurationError {
            .unreadable(file: path, reason: unsafe String(cString: strerror(code)))
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
                guard bytes.count <= limit else {
                    throw .unreadable(file: path, reason: "larger than \(limit) bytes")
                }
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw failure(errno)
            }
        }
    }
}
