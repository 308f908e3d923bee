import CCurl
import Glibc

/// HTTP requests one after the other, by libcurl. Each blocks the thread for half a minute at most.
@safe final class HTTPClient {
    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    private static let mostBytes = 16 << 20
    private static let seconds = 30

    private let handle: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - bearer: goes into `Authorization`.
    ///   - authorities: a file of certificates to trust; nil: those of the system.
    init(bearer: String, authorities: String?) throws(CommandError) {
        guard let handle = unsafe curl_easy_init() else {
            throw CommandError("libcurl doesn't start", code: 1)
        }
        unsafe self.handle = handle
        for line in ["Authorization: Bearer \(bearer)", "Content-Type: application/json"] {
            unsafe headers = curl_slist_append(headers, line)
        }
        unsafe rostrum_curl_set_headers(handle, headers)
        unsafe rostrum_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe rostrum_curl_set_number(handle, CURLOPT_TIMEOUT, Self.seconds)
        unsafe rostrum_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 10)
        unsafe rostrum_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        if let authorities { unsafe rostrum_curl_set_text(handle, CURLOPT_CAINFO, authorities) }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
    }

    /// - Throws: Why there was no answer.
    func send(_ method: String, _ url: String, body: [UInt8]?) throws(CommandError) -> Answer {
        received = []
        unsafe rostrum_curl_set_text(handle, CURLOPT_URL, url)
        if let body {
            unsafe rostrum_curl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
            // Copied, since the array may go before the request is made.
            let text = String(decoding: body, as: UTF8.self)
            unsafe rostrum_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, text)
        } else {
            unsafe rostrum_curl_set_number(handle, CURLOPT_HTTPGET, 1)
        }
        unsafe rostrum_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        unsafe rostrum_curl_set_reader(handle, receive, Unmanaged.passUnretained(self).toOpaque())
        let code = unsafe curl_easy_perform(handle)
        guard code == CURLE_OK else {
            let reason = unsafe String(cString: curl_easy_strerror(code))
            throw CommandError("can't reach \(url): \(reason)", code: 1)
        }
        return Answer(status: unsafe rostrum_curl_status(handle), body: received)
    }

    /// False if the answer is too long.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard received.count + bytes.count <= Self.mostBytes else { return false }
        unsafe received.append(contentsOf: bytes)
        return true
    }

    /// A part of a path, with what has a meaning there escaped.
    func escaped(_ part: String) -> String {
        guard let text = unsafe curl_easy_escape(handle, part, Int32(part.utf8.count)) else { return part }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}

/// What libcurl calls with parts of the answer; anything but their length ends the request.
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ client: UnsafeMutableRawPointer?
) -> Int {
    guard let client = unsafe client else { return 0 }
    let length = size * count
    let taken = unsafe Unmanaged<HTTPClient>.fromOpaque(client).takeUnretainedValue()
        .take(UnsafeRawBufferPointer(start: bytes, count: length))
    return taken ? length : 0
}
