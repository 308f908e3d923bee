// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// Every Swift target is held to the same rules: language mode 6, strict memory safety, no warnings.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// intel-ipsec-mb exists for x86-64 only; without its header the OpenSSL sealer is the only one built.
let hasIPsecMB = FileManager.default.fileExists(atPath: "/usr/include/intel-ipsec-mb.h")
let multiBuffer: [Target.Dependency] = hasIPsecMB ? ["CIPsecMB"] : []
let multiBufferSettings: [SwiftSetting] = hasIPsecMB ? [.define("ROSTRUM_IPSEC_MB")] : []

func library(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict + settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = [],
    linker: [LinkerSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, swiftSettings: strict + settings, linkerSettings: linker)
}

var targets: [Target] = [
    // C: system libraries, and the few shims that macros force.
    .target(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(
        name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Bottom up: a target imports only what stands above it.
    library("FixedCollections", []),
    library("Wire", ["FixedCollections"]),
    library("JSON", ["CJansson"]),
    library("HTML", []),
    library("Observability", ["JSON"]),
    library("Configuration", ["JSON"]),
    library(
        "Transport", ["Wire", "FixedCollections", "COpenSSL", "CSRTP"] + multiBuffer,
        settings: multiBufferSettings),
    library("Forwarding", ["Wire", "FixedCollections"]),
    library("EventLoop", ["CLinux", "Wire", "FixedCollections"]),
    library(
        "MediaWorker", ["Wire", "FixedCollections", "Observability", "Transport", "Forwarding", "EventLoop"]),
    library("Meeting", []),
    library("Storage", ["CSQLite", "CLinux", "Meeting"]),
    .target(name: "Web", exclude: ["Page", "README.md", "console.png", "meeting.png", "package.json"]),
    library(
        "Control",
        [
            "JSON", "HTML", "Meeting", "Storage", "MediaWorker", "Observability", "Configuration", "Web",
            "Wire", "COpenSSL", "CWebSockets",
        ],
        exclude: ["README.md", "Socket/README.md"]),
    .executableTarget(
        name: "Rostrum",
        dependencies: [
            "Control", "Storage", "Configuration", "Observability", "JSON", "MediaWorker", "EventLoop",
            "Wire",
            "FixedCollections", "CCurl",
        ],
        swiftSettings: strict),
    // Synthetic participants: no part of the server, and above nothing of it but these.
    library(
        "LoadTest",
        [
            "Wire", "FixedCollections", "JSON", "HTML", "Configuration", "Transport", "EventLoop", "COpenSSL",
            "CWebSockets",
        ]),
    .executableTarget(name: "RostrumLoad", dependencies: ["LoadTest"], swiftSettings: strict),

    // What measures parts of the server without sockets.
    .executableTarget(
        name: "Bench",
        dependencies: ["Wire", "FixedCollections", "JSON", "Transport", "Forwarding", "EventLoop"],
        path: "Benchmarks/Bench", swiftSettings: strict),

    // What tests of several targets share.
    .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),
    .target(name: "CMallocCount", path: "Tests/Support/CMallocCount"),
    .target(
        name: "TransportTestSupport", dependencies: ["Transport", "Wire", "FixedCollections", "COpenSSL"],
        path: "Tests/Support/TransportTestSupport", swiftSettings: strict),

    // Writes until it is killed.
    .executableTarget(
        name: "StorageCrashWriter", dependencies: ["Storage", "Meeting"],
        path: "Tests/Support/StorageCrashWriter", swiftSettings: strict),

    tests("FixedCollectionsTests", ["FixedCollections", "TestSupport"]),
    tests("WireTests", ["Wire", "FixedCollections", "TestSupport"]),
    tests("JSONTests", ["JSON", "TestSupport"]),
    tests("ObservabilityTests", ["Observability", "JSON"]),
    tests("ConfigurationTests", ["Configuration", "JSON"]),
    tests(
        "TransportTests",
        [
            "Transport", "Wire", "FixedCollections", "COpenSSL", "CSRTP", "TransportTestSupport",
            "TestSupport",
        ] + multiBuffer,
        settings: multiBufferSettings,
        // OpenSSL's timers run on virtual time in these tests.
        linker: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=gettimeofday"])]),
    tests("ForwardingTests", ["Forwarding", "Wire", "FixedCollections", "TestSupport", "CMallocCount"]),
    tests("EventLoopTests", ["EventLoop", "CLinux", "CMallocCount", "Wire", "FixedCollections"]),
    tests(
        "MediaWorkerTests",
        [
            "MediaWorker", "Transport", "Forwarding", "EventLoop", "Wire", "FixedCollections",
            "TransportTestSupport", "TestSupport", "CMallocCount",
        ]),
    tests("MeetingTests", ["Meeting"]),
    tests(
        "LoadTestTests",
        ["LoadTest", "Transport", "Wire", "FixedCollections", "EventLoop", "JSON", "TestSupport"]),
    tests("StorageTests", ["Storage", "Meeting", "TestSupport", "StorageCrashWriter"]),
    tests(
        "ControlTests",
        [
            "Control", "JSON", "HTML", "Meeting", "Storage", "MediaWorker", "Wire", "Configuration",
            "Observability", "CLinux",
        ]),
]

if hasIPsecMB {
    targets.append(.systemLibrary(name: "CIPsecMB", providers: [.apt(["libipsec-mb-dev"])]))
}

/// A release build needs few of the tests; ROSTRUM_TESTS names their targets, with commas between.
let wantedTests = Context.environment["ROSTRUM_TESTS"]?.split(separator: ",").map(String.init)
if let wantedTests { targets.removeAll { $0.type == .test && !wantedTests.contains($0.name) } }

let package = Package(
    name: "rostrum",
    products: [
        .executable(name: "rostrum", targets: ["Rostrum"]),
        .executable(name: "rostrum-load", targets: ["RostrumLoad"]),
        .executable(name: "rostrum-bench", targets: ["Bench"]),
    ],
    targets: targets
)
