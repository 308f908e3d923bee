import Meeting

/// The shape of a JSON value. Requests are held to it, answers are checked against it in tests, documents show it.
struct Schema: Sendable {
    indirect enum Kind: Sendable {
        /// So many characters (Unicode scalars); `nil`: any number of them.
        case text(atLeast: Int, atMost: Int?)
        /// What `Limit.isValidID` takes.
        case id
        /// One of these.
        case words([String])
        case integer(ClosedRange<Int64>)
        /// Milliseconds since 1970.
        case time
        case number(ClosedRange<Double>?)
        case flag
        /// Any value.
        case anything
        case null
        /// An array of so many elements.
        case list(Schema, atLeast: Int, atMost: Int?)
        case object([Field])
        /// An object with any names.
        case map(Schema)
        /// One of `Schema.objects`.
        case named(String)
        /// What one of these takes.
        case either([Schema])
    }

    var kind: Kind

    static let text = Schema(kind: .text(atLeast: 0, atMost: nil))
    static let id = Schema(kind: .id)
    static let name = text(1...Limit.name)
    static let time = Schema(kind: .time)
    static let flag = Schema(kind: .flag)
    static let anything = Schema(kind: .anything)
    static let null = Schema(kind: .null)
    static let number = Schema(kind: .number(nil))
    /// Never below 0.
    static let count = integer(0...Int64.max)
    static let scope = words(Scope.self)
    static let source = words(Source.self)
    static let nothing = object([])

    static func text(_ characters: ClosedRange<Int>) -> Schema {
        Schema(kind: .text(atLeast: characters.lowerBound, atMost: characters.upperBound))
    }

    static func words(_ words: String...) -> Schema { Schema(kind: .words(words)) }

    static func words(_ words: [String]) -> Schema { Schema(kind: .words(words)) }

    static func words<Word: CaseIterable & RawRepresentable>(
        _ type: Word.Type
    ) -> Schema where Word.RawValue == String {
        Schema(kind: .words(type.allCases.map(\.rawValue)))
    }

    static func integer(_ range: ClosedRange<Int64>) -> Schema { Schema(kind: .integer(range)) }

    static func number(_ range: ClosedRange<Double>) -> Schema { Schema(kind: .number(range)) }

    static func list(of element: Schema, _ count: ClosedRange<Int>) -> Schema {
        Schema(kind: .list(element, atLeast: count.lowerBound, atMost: count.upperBound))
    }

    static func list(of element: Schema) -> Schema {
        Schema(kind: .list(element, atLeast: 0, atMost: nil))
    }

    static func object(_ fields: [Field]) -> Schema { Schema(kind: .object(fields)) }

    static func map(of value: Schema) -> Schema { Schema(kind: .map(value)) }

    static func named(_ name: String) -> Schema { Schema(kind: .named(name)) }

    static func either(_ schemas: Schema...) -> Schema { Schema(kind: .either(schemas)) }

    /// A page of a list.
    static func page(of element: Schema) -> Schema {
        object([
            Field("data", list(of: element)),
            Field("meta", object([Field("pagination", named("Pagination"))])),
        ])
    }

    /// A list that has no pages.
    static func data(of element: Schema) -> Schema {
        object([Field("data", list(of: element))])
    }

    /// The fields of an object, behind a name too; none for anything else.
    var fields: [Field] {
        switch kind {
        case .object(let fields): fields
        case .named(let name): Self.object(name: name)?.schema.fields ?? []
        default: []
        }
    }
}

/// One field of an object, or one argument.
struct Field: Sendable {
    let name: String
    let isNeeded: Bool
    let schema: Schema
    /// What it means; empty where its name says all.
    let note: String

    /// - Parameter name: with `?` at its end, the field may be absent.
    init(_ name: String, _ schema: Schema, _ note: String = "") {
        isNeeded = !name.hasSuffix("?")
        self.name = isNeeded ? name : String(name.dropLast())
        self.schema = schema
        self.note = note
    }
}

/// An object that several answers have.
struct NamedObject: Sendable {
    let name: String
    let summary: String
    let schema: Schema

    init(_ name: String, _ summary: String, _ fields: [Field]) {
        self.name = name
        self.summary = summary
        schema = .object(fields)
    }
}

extension Schema {
    /// A named object; nil if there is none.
    static func object(name: String) -> NamedObject? {
        objects.first { $0.name == name }
    }
}
