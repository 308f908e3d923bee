@main
struct Rostrum {
    static func main() {
        print("hi")
    }
}
