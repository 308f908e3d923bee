import JSON

extension Configuration {
    /// Every key for `--help`: flag, what it may be, default, explanation.
    public static var help: String {
        var text = "  \(Flags.configName) FILE\n      Reads settings from a JSON file. Environment: "
        text += "\(Environment.configName)\n"
        for setting in Setting.all {
            text += "  --\(setting.name) VALUE\n"
            text += wrapped(setting.explanation, indent: "      ", width: 90)
            text += wrapped("It is \(setting.allowed); by default \(setting.defaultText).", indent: "      ")
        }
        return text
    }

    /// Every key as a row of the table in `Config/README.md`, in order.
    public static var documentationTable: [String] {
        ["| key | environment | what it may be | default | what it does |", "|---|---|---|---|---|"]
            + Setting.all.map { setting in
                let cells = [
                    "`\(setting.name)`", "`\(setting.environmentName)`", setting.allowed,
                    "`\(setting.defaultText)`", setting.explanation,
                ]
                return "| " + cells.joined(separator: " | ") + " |"
            }
    }

    private static func wrapped(_ text: String, indent: String, width: Int = 90) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count >= width - indent.count {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        lines.append(line)
        return lines.map { indent + $0 + "\n" }.joined()
    }
}

extension Setting {
    /// The default as a file would have it.
    var defaultText: String {
        (try? defaultValue.text()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
