import Testing

/// All tests of this target. One after the other: each has a server of its own, and machines are small.
@Suite(.serialized, .seesTheWholeAPI) enum ControlTests {}
