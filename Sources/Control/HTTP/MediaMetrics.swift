import MediaWorker
import Observability

/// What the media workers count, as metrics. Each name has a help text here; a test holds the workers to it.
enum MediaMetrics {
    static func samples(_ statistics: MediaStatistics) -> [MetricSample] {
        var samples: [MetricSample] = []
        for (name, value) in statistics.counters {
            let total = name.hasSuffix("_total") ? name : name + "_total"
            samples.append(.counter("rostrum_" + total, help: counters[total] ?? "", value))
        }
        for (name, value) in statistics.gauges {
            samples.append(.gauge("rostrum_" + name, help: gauges[name] ?? "", value))
        }
        for (number, worker) in statistics.workers.enumerated() {
            let values = [
                ("worker_load", worker.load), ("worker_participants", Double(worker.participants)),
                ("worker_packets_per_second", worker.packetsPerSecond),
                ("worker_receive_delay_seconds", worker.receiveDelay / .seconds(1)),
            ]
            for (name, value) in values {
                let help = workerGauges[name] ?? ""
                samples.append(.gauge("rostrum_" + name, help: help, labels: ["worker": "\(number)"], value))
            }
        }
        return samples
    }

    private static let counters = [
        // Packets from publishers.
        "packets_received_total": "RTP packets from participants, before they are opened.",
        "packets_malformed_total":
            "Packets that break RTP, RTCP or their codec's payload format.",
        "packets_late_total":
            "RTP packets dropped unopened: the worker had more than it can do, and they had waited over 100 ms.",
        "packets_unknown_stream_total": "RTP packets of streams that their sender hasn't negotiated.",
        "packets_not_forwarded_total":
            "RTP packets of muted or unwanted publications, not opened.",
        "packets_duplicate_total": "RTP packets that had come before, or came too late to be of use.",
        "packets_recovered_total": "Lost packets of publishers that came again on request.",
        "packets_store_full_total": "Packets dropped because the store of a worker had no block left.",
        "srtp_failures_total": "Packets that were no authentic SRTP, or replayed.",
        "srtcp_failures_total":
            "Packets that were no authentic SRTCP, or replayed.",
        // Packets to viewers.
        "packets_forwarded_total":
            "Packets queued for seats: one for three viewers counts thrice.",
        "packets_turn_full_total": "Packets not queued for a seat because its viewer's turn was full.",
        "packets_sent_total": "SRTP packets sealed and handed to the socket, retransmissions included.",
        "bytes_sent_total": "Bytes of the SRTP packets that were handed to the socket.",
        "packets_retransmitted_total": "Packets repeated for viewers that had reported them lost.",
        "packets_padded_total":
            "Packets padded by up to 16 bytes, so that they leave in one message with others.",
        "packets_unsealed_total": "Packets not sent because there was no key or no room to seal them.",
        // Feedback.
        "nacks_sent_total": "NACK messages sent to publishers.",
        "nacks_received_total": "NACK messages received from viewers.",
        "key_frame_requests_total": "Key frames asked of publishers, by PLI or FIR.",
        "packets_paced_total": "Packets that waited until their viewer's link had room for them.",
        "packets_paced_dropped_total": "Packets of those that were dropped, being late or no longer wanted.",
        "packets_padding_total": "Packets of padding that measured viewers' links.",
        "retransmissions_refused_total": "Retransmissions beyond 15 % of what the viewer's link carries.",
        "link_reports_total": "Messages in which viewers said what their links carry (transport-cc, REMB).",
        // Datagrams.
        "datagrams_unknown_source_total":
            "Datagrams of strangers, or of no known kind.",
        "datagrams_handed_over_total": "Datagrams handed to the worker they belong to.",
        "handover_dropped_total": "Datagrams lost between workers: the other one's ring was full.",
        "handover_refused_total": "Datagrams not handed on because their sender had handed over too many.",
        "datagrams_dropped_by_kernel_total":
            "Datagrams lost because a receive buffer was full.",
        "datagrams_send_errors_total":
            "Datagrams not sent: too long, unreachable or filtered.",
        "datagrams_send_dropped_total": "Datagrams not sent because the send buffer was full.",
        "send_messages_total": "Messages the kernel took for sending, of one or more datagrams each.",
        "send_segments_total": "Datagrams the kernel took for sending.",
        "send_calls_total": "System calls made to send datagrams.",
        "tcp_frames_dropped_total": "Frames not sent over ICE-TCP because a connection's backlog was full.",
        "tcp_refused_total": "ICE-TCP connections not taken because there were too many.",
        "tcp_closed_for_share_total": "ICE-TCP connections closed because they took more than their share.",
        // Addresses that have yet to prove themselves.
        "packets_unproven_total":
            "Authentic packets from addresses yet to be proven by a check.",
        "packets_unproven_failed_total":
            "False packets from unknown addresses, with known SSRCs.",
        "packets_unproven_limited_total":
            "Packets from unknown addresses ignored after too many false ones.",
        // ICE and DTLS.
        "stun_checks_total": "ICE connectivity checks of participants that were answered.",
        "stun_proofs_total": "Answers of participants to checks of the server.",
        "stun_rejected_total": "STUN messages that were malformed, or whose credentials were wrong.",
        "stun_unknown_ufrag_total": "ICE connectivity checks for nobody who is here.",
        "dtls_handshakes_total": "DTLS handshakes completed.",
        "dtls_failures_total": "DTLS handshakes failed or given up.",
        "consent_expired_total": "Transports dropped because no check came for 30 s.",
        // Sessions on several workers.
        "packets_relayed_total": "Packets passed on to other workers that host the session.",
        "relay_dropped_total": "Packets not passed on because the other worker's ring was full.",
        "worker_turns_total": "Turns of the workers' event loops.",
    ]

    private static let gauges = [
        "transports": "Transports (ICE, DTLS and SRTP of one participant) on all workers.",
        "media_sessions": "Routers of sessions; one that is spread over workers has several.",
        "mirrors": "Participants that a worker knows of because they publish on another one.",
        "media_participants": "Participants the workers know, those without a transport yet included.",
        "participants_with_sources_off": "Participants with a source that is muted, paused or not shared.",
        "packets_held": "Packets in the workers' stores, for retransmission and key frames.",
        "tcp_connections": "Open ICE-TCP connections.",
        "ice_ufrags": "ICE user fragments that checks may name.",
        "udp_addresses": "UDP addresses that belong to a participant.",
        "foreign_addresses": "UDP addresses that a worker knows to belong to another one.",
        "sealed_streams": "Outgoing streams with SRTP keys.",
    ]

    private static let workerGauges = [
        "worker_load": "Share of time that a worker was busy over the last seconds, 0 to 1.",
        "worker_participants": "Participants on a worker.",
        "worker_packets_per_second": "Packets of media that a worker receives and sends in a second.",
        "worker_receive_delay_seconds": "The longest that datagrams have lately waited for a worker.",
    ]
}
