import Testing

@testable import LoadTest

struct AdmissionTests {
    private func session(admitted: Int, peak: Int, refused: Int, left: Int = 0) -> Admission.Session {
        Admission.Session(admitted: admitted, inside: admitted - left, peak: peak, refused: refused)
    }

    @Test func `exactly as many as there are places is no error, and neither are fewer who all came in`() {
        #expect(session(admitted: 10, peak: 10, refused: 5).errors(places: 10) == 0)
        #expect(session(admitted: 7, peak: 7, refused: 0).errors(places: 10) == 0)
    }

    @Test func `whoever is let in beyond the places or refused before them is an error`() {
        #expect(session(admitted: 12, peak: 12, refused: 3).errors(places: 10) == 2)
        #expect(session(admitted: 8, peak: 8, refused: 7).errors(places: 10) == 2)
        #expect(session(admitted: 30, peak: 11, refused: 9, left: 20).errors(places: 10) == 1)
    }

    @Test func `sessions are counted apart`() {
        let admission = Admission()
        for session in ["a", "a", "b"] { admission.enter(session) }
        admission.exit("a")
        admission.refuse("b")
        #expect(admission.errors(places: 2) == 1)
        #expect(admission.refused == 1)
    }
}
