// Forwarding
