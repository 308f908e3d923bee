import EventLoop
import FixedCollections
import Forwarding

extension MediaWorker {
    private var droppedByKernel: UInt64 {
        switch receiver {
        case .some(let receiver): receiver.droppedByKernel
        case .none: 0
        }
    }

    /// What other workers couldn't take.
    private var droppedInHandover: UInt64 {
        shared.rings[lane].reduce(0) { $0 &+ $1.dropped }
    }

    /// What strangers sent for other workers, more than their share.
    private var refusedInHandover: UInt64 {
        shared.rings[lane].reduce(0) { $0 &+ $1.refused }
    }

    private var droppedInRelay: UInt64 {
        shared.relays[lane].reduce(0) { $0 &+ $1.dropped }
    }

    func statistics() -> MediaStatistics {
        let forwarded = forwarder.counters
        let sent = outlet.sender.statistics
        return MediaStatistics(
            counters: [
                "packets_received_total": forwarded.received,
                "packets_forwarded_total": forwarded.forwarded,
                "packets_sent_total": outlet.packets,
                "bytes_sent_total": outlet.bytes,
                "packets_retransmitted_total": forwarded.retransmitted,
                "packets_recovered_total": forwarded.recovered,
                "packets_duplicate_total": forwarded.duplicates,
                "packets_malformed_total": forwarded.malformed,
                "packets_unknown_stream_total": forwarded.unknownStream,
                "packets_not_forwarded_total": forwarded.notForwarded,
                "packets_padded_total": batch.padded,
                "packets_unsealed_total": outlet.unsealed,
                "packets_store_full_total": forwarded.storeFull,
                "packets_turn_full_total": forwarded.turnFull,
                "nacks_sent_total": forwarded.nacksSent,
                "nacks_received_total": forwarded.nacksReceived,
                "key_frame_requests_total": forwarded.keyFrameRequests,
                "packets_paced_total": forwarded.paced,
                "packets_paced_dropped_total": forwarded.pacedDropped,
                "packets_padding_total": forwarded.padding,
                "retransmissions_refused_total": forwarded.repairsRefused,
                "link_reports_total": forwarded.linkReports,
                "datagrams_unknown_source_total": counters.unknownSource,
                "packets_unproven_total": counters.unproven,
                "packets_unproven_failed_total": counters.unprovenFailures,
                "packets_unproven_limited_total": counters.unprovenLimited,
                "datagrams_handed_over_total": counters.handedOver,
                "datagrams_dropped_by_kernel_total": droppedByKernel,
                "datagrams_send_errors_total": sent.errors,
                "datagrams_send_dropped_total": sent.dropped,
                "send_messages_total": sent.messages,
                "send_segments_total": sent.segments,
                "send_calls_total": sent.calls,
                "handover_dropped_total": droppedInHandover,
                "handover_refused_total": refusedInHandover,
                "tcp_refused_total": outlet.streams.statistics.refused,
                "tcp_closed_for_share_total": outlet.streams.statistics.closedForShare,
                "tcp_frames_dropped_total": outlet.streams.statistics.framesDropped,
                "stun_checks_total": counters.checks,
                "stun_proofs_total": counters.proven,
                "stun_rejected_total": counters.rejectedSTUN,
                "stun_unknown_ufrag_total": counters.unknownUfrag,
                "srtp_failures_total": counters.srtpFailures,
                "srtcp_failures_total": counters.controlFailures,
                "dtls_handshakes_total": counters.handshakes,
                "dtls_failures_total": counters.failedHandshakes,
                "consent_expired_total": counters.consentExpired,
                "packets_late_total": counters.late,
                "packets_relayed_total": counters.relayed,
                "relay_dropped_total": droppedInRelay,
                "worker_turns_total": counters.turns,
            ],
            gauges: [
                "transports": Double(connections.count),
                "media_sessions": Double(sessions.count),
                "packets_held": Double(forwarder.packetCount),
                "tcp_connections": Double(outlet.streams.count),
                "media_participants": Double(participants.count),
                "mirrors": Double(mirrors.count),
                "participants_with_sources_off": Double(sources.count),
                "ice_ufrags": Double(ufrags.count),
                "udp_addresses": Double(addresses.count),
                "foreign_addresses": Double(foreign.count),
                "sealed_streams": Double(sealedStreams),
            ],
            workers: [
                WorkerStatistics(
                    load: coalescing.averageLoad, receiveDelay: backlog.longest(at: now),
                    participants: participants.count, packetsPerSecond: packetRate.value)
            ])
    }

    private var sealedStreams: Int {
        var count = 0
        for index in 0..<connections.endIndex where connections.contains(index) {
            count += connections[index].outgoing.count
        }
        return count
    }
}
