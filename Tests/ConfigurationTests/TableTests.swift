import Configuration
import Foundation
import JSON
import Testing

/// A file of the folder `Config`.
private func sample(_ name: String) throws -> (path: String, text: String) {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Config/\(name)")
    return (url.path, try String(contentsOf: url, encoding: .utf8))
}

/// The names of what a file says, `group.key`.
private func keys(_ text: String) throws -> [String] {
    let groups = try #require(try JSON.parse(text).objectValue)
    return groups.members.flatMap { group, members in
        (members.objectValue?.keys ?? []).map { "\(group).\($0)" }
    }
}

@Test func `the sample names every key in order, and its values are the defaults`() throws {
    let (path, text) = try sample("rostrum.json")
    #expect(try keys(text) == Setting.all.map(\.name))
    #expect(try Configuration.load(arguments: ["--config", path], environment: [:]) == Settings())
    let values = try JSON.parse(text)
    for setting in Setting.all {
        let parts = setting.name.split(separator: ".").map(String.init)
        #expect(values[parts[0]]?[parts[1]] == setting.defaultValue, "\(setting.name)")
    }
}

@Test func `the development settings are as the page needs them`() throws {
    let (path, _) = try sample("dev.json")
    let settings = try Configuration.load(arguments: ["--config", path], environment: [:])
    #expect(settings.sessions.adHoc)
    #expect(settings.usesDevelopmentKey)
    #expect(settings.auth.keys[0].secret.contains("development"))
    #expect(settings.http.port == 8080)
    #expect(settings.media.advertise.isEmpty && settings.media.advertiseLoopback)
}

@Test func `the documentation has the row of every key`() throws {
    let (_, text) = try sample("README.md")
    let keys = try #require(text.components(separatedBy: "## Keys\n").last)
    let rows = keys.split(separator: "\n").map(String.init)
    #expect(rows == Configuration.documentationTable)
}

@Test func `help lists every key with default and explanation`() {
    let help = Configuration.help
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for setting in Setting.all {
        #expect(help.contains("  --\(setting.name) VALUE\n"))
        #expect(words.contains(setting.explanation), "\(setting.name)")
        #expect(words.contains("It is \(setting.allowed); by default "), "\(setting.name)")
    }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
}

@Test func `every property of the settings has its key`() {
    var properties: [String] = []
    for group in Mirror(reflecting: Settings()).children {
        for property in Mirror(reflecting: group.value).children {
            properties.append("\(group.label ?? "").\(property.label ?? "")")
        }
    }
    #expect(properties.count == Setting.all.count)
    for (property, setting) in zip(properties.sorted(), Setting.all.map(\.name).sorted()) {
        // Durations have their unit in the key, and in their type here.
        #expect([property, property + "Ms", property + "Seconds"].contains(setting))
    }
}

@Test func `environment names follow from the keys and are unique`() {
    let names = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.name, $0.environmentName) })
    #expect(names["media.maxCoalesceMs"] == "ROSTRUM_MEDIA_MAX_COALESCE_MS")
    #expect(names["http.port"] == "ROSTRUM_HTTP_PORT")
    #expect(names["media.ipv6"] == "ROSTRUM_MEDIA_IPV6")
    #expect(Set(names.values).count == Setting.all.count)
}

@Test func `every default is allowed and can be said by a flag`() throws {
    for setting in Setting.all {
        let value: String
        switch setting.defaultValue {
        case .string(let text): value = text
        case .array: value = ""
        case let other: value = String(decoding: try other.text(), as: UTF8.self)
        }
        let arguments = ["--\(setting.name)=\(value)"]
        #expect(
            try Configuration.load(arguments: arguments, environment: [:]) == Settings(), "\(setting.name)")
    }
}
